"""The same team on a real model, played by a server on this machine that speaks the OpenAI protocol."""

import subprocess
from pathlib import Path

from .conftest import TEAM, Run
from .model_server import model_server


def test_the_team_runs_on_any_openai_compatible_address(run: Run) -> None:
    with model_server() as server:
        environ = {
            "OUTTAKE_DEMO_MODEL": "openai:some-model",
            "OPENAI_BASE_URL": server.address,
            "OPENAI_API_KEY": "not-a-secret",
            "NO_PROXY": "127.0.0.1",
        }
        output = run(TEAM, environ=environ)
    assert output.rstrip().endswith("FINAL ANSWER: 519")
    assert server.paths == {"/v1/chat/completions"}
    assert {request["model"] for request in server.requests} == {"some-model"}


def test_a_real_model_is_offered_the_tools_and_shown_their_results(run: Run) -> None:
    with model_server() as server:
        environ = {"OUTTAKE_DEMO_MODEL": "openai:m", "OPENAI_BASE_URL": server.address, "OPENAI_API_KEY": "k"}
        run(TEAM, environ={**environ, "NO_PROXY": "127.0.0.1"})
    asked, answered = (request for request in server.requests if request.get("tools"))
    names = {tool["function"]["name"] for tool in asked["tools"]}
    assert names == {"open_page", "click", "sort_table", "find_on_page", "search"}
    first_row = answered["messages"][-1]["content"].splitlines()[6]
    assert first_row == "Roy White | LF | 519 | 139 | 14 | 52 | 75"


def test_an_unknown_model_is_refused_with_the_way_out(autogen_python: Path, tmp_path: Path) -> None:
    environ = {"OUTTAKE_DEMO_MODEL": "gpt-4o"}
    done = subprocess.run(
        [autogen_python, TEAM],
        capture_output=True,
        check=False,
        cwd=tmp_path,
        encoding="utf-8",
        env=environ,
        timeout=60,
    )
    assert done.returncode == 1
    assert "unknown model 'gpt-4o': say openai:NAME" in done.stderr
