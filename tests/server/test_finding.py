"""The programs of a folder, over the API and at the command line."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from outtake.server.models.finding import FoundPrograms
from tests.server.conftest import Client
from tests.server.fitting import fits

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_the_programs_of_a_folder(client: Client) -> None:
    told = client.get(f"/api/programs?folder={quote(str(EXAMPLES))}")
    fits(FoundPrograms, told)
    assert told["programs"][0]["spec"] == "essays_langgraph.py:grading"
    own = client.get("/api/programs")
    fits(FoundPrograms, own)
    reply = client.ask("GET", "/api/programs?folder=/nowhere/at/all")
    assert (reply.status, reply.error["code"]) == (400, "wrong_use")


STORY = """
def write_story(topic, tone="calm", *, pages: int):
    return topic
"""


def test_the_program_that_a_spec_names(client: Client, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "story.py").write_text(STORY)
    for spec, folder in [
        ("own/story.py:write_story", tmp_path),
        ("own.story:write_story", tmp_path),
        (f"{tmp_path}/own/story.py:write_story", tmp_path / "own"),
    ]:
        told = client.get(f"/api/programs?folder={quote(str(folder))}&spec={quote(spec)}")
        fits(FoundPrograms, told)
        [found] = told["programs"]
        assert found["spec"] == spec
        assert list(found["input"]["schema"]["properties"]) == ["topic", "tone", "pages"]
    for spec in ("own/story.py:other", "nothing.py:main", "own/story.py", "story", "kernel x"):
        told = client.get(f"/api/programs?folder={quote(str(tmp_path))}&spec={quote(spec)}")
        assert told["programs"] == []


def test_a_run_of_nothing_names_what_is_there(client: Client) -> None:
    reply = client.ask("POST", "/api/runs", {"spec": "nothing.py:main", "folder": str(EXAMPLES)})
    assert "found here: essays_langgraph.py:grading, " in reply.error["message"]
