"""The three examples on every framework that they exist for: what they give, what one change executes again."""

from __future__ import annotations

import importlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from outtake.service.mocks import read_mocks
from outtake.service.rpc_client import open_service
from outtake.service.service import Document, Service
from outtake_probe.records import Json
from tests.examples.chat_server import chat_server

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
ENVS = os.environ.get("OUTTAKE_ENVS")
WAIT = 60.0
CRITERIA = {"fees": 0.1, "class size": 0.1, "mountains": 0.0, "jobs": 0.9}
"""What somebody cares about who wants a job."""
SOURCE = "Rivers and their towns"
ROUNDS = -1
"""A step of LlamaIndex that collects runs once for each event: what follows is the round of the event that changed, and
the last one, which sees all."""


@dataclass(frozen=True)
class Example:
    """A program, the environment that it runs in, what it gives, and what its fork with the mock gives."""

    spec: str
    environment: str
    output: str
    mocks: Json
    forked: str
    executed: dict[str, int]
    """Steps that the fork executes, by their last part; `ROUNDS` for those that follow in the order of the run."""

    def __str__(self) -> str:
        return self.spec.partition(".")[0]


def _essays(name: str, environment: str, executed: dict[str, int]) -> Example:
    mocks = json.loads((EXAMPLES / "data" / "essays" / f"mocks_{name}.json").read_text("utf-8"))
    wrong, right = "average is 1222.92 %. The best essay is by Femi.", "average is 67.92 %. The best essay is by Bram."
    return Example(f"essays_{name}.py:grading", environment, wrong, mocks, right, executed)


def _universities(name: str, executed: dict[str, int]) -> Example:
    mocks = [{"step": "criteria", "output": {"criteria": CRITERIA}}]
    first, other = "the University of Alm: by", "the Corin Institute of Technology: by"
    return Example(f"universities_{name}.py:recommending", name, first, mocks, other, executed)


EXAMPLE_LIST = [
    _essays("llamaindex", "llamaindex", {"compute": ROUNDS, "summarise": 1}),
    _essays("langgraph", "langgraph", {"compute": 1, "summarise": 1}),
    _essays("plain", "", {"compute": 1, "summarise": 1}),
    _universities("llamaindex", {"rank": 2, "summarise": 1}),
    _universities("langgraph", {"rank": 1, "summarise": 1}),
    Example(
        "plagiarism_llamaindex.py:checking",
        "llamaindex",
        f"82 % of the sentences are taken from “{SOURCE}”.",
        [{"step": "identify", "where": {"title": SOURCE}, "output": {"source": SOURCE, "matches": []}}],
        "The essay is its author's own.",
        {"compute": ROUNDS, "summarise": 1},
    ),
]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    if ENVS is None:
        pytest.skip("OUTTAKE_ENVS names no folder of target environments; scripts/test makes them")
    made = open_service(tmp_path_factory.mktemp("examples") / ".outtake")
    yield made
    made.close()


def run(service: Service, example: Example, env: dict[str, str] | None = None) -> Document:
    python = str(Path(ENVS or "", example.environment, "bin", "python")) if example.environment else None
    return ended(service, service.run(example.spec, folder=str(EXAMPLES), python=python, env=env, headless=True))


def ended(service: Service, started: Document) -> Document:
    done = service.wait(started["run"], timeout=WAIT)
    assert done["status"] == "completed", done["error"]
    return done


def steps(report: Document, fate: str) -> dict[str, int]:
    found: dict[str, int] = {}
    for line in report["lines"]:
        if line["fate"] == fate and line["kind"] == "step":
            name = line["component"].rpartition("/")[2]
            found[name] = found.get(name, 0) + 1
    return found


def expected(example: Example, service: Service, run: str, report: Document) -> dict[str, int]:
    """What the fork is to execute, told from the record of the run."""
    mocked = next(line["parent_seq"] for line in report["lines"] if line["fate"] == "mocked")
    rounds = [r for r in service.show(run, kind="step") if r["component"].endswith("/compute")]
    after = sum(mocked in r["caused_by"] for r in rounds)
    return {name: after if count == ROUNDS else count for name, count in example.executed.items()}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("example", EXAMPLE_LIST, ids=str)
def test_one_change_executes_what_follows_from_it(service: Service, example: Example) -> None:
    done = run(service, example)
    assert example.output in json.dumps(done["output"], ensure_ascii=False)
    fork = ended(service, service.fork(done["run"], edits=read_mocks(example.mocks).edits, headless=True))
    assert example.forked in json.dumps(fork["output"], ensure_ascii=False)
    report = service.report(fork["run"])
    assert steps(report, "executed") == expected(example, service, done["run"], report)
    assert fork["executed"]["model"] == 1
    assert report["unused"] == []
    again = ended(service, service.fork(done["run"], at=1, headless=True))
    assert again["output"] == done["output"]
    assert (again["executed"]["model"], steps(service.report(again["run"]), "executed")) == (0, {})


@pytest.mark.timeout(120)
def test_the_score_leads_to_the_sentences_and_their_source(service: Service) -> None:
    done = run(service, EXAMPLE_LIST[-1])
    hands = service.why(done["run"], text="82 %")["hands"]
    assert hands[0]["component"].endswith("compute"), hands[0]
    chain = service.why(done["run"], hands[0]["seq"])
    names = [hand["hash"] for hand in chain["chain"] if hand["hash"]]
    told = json.dumps([service.body(name)["value"] for name in names], ensure_ascii=False)
    assert SOURCE in told
    assert "When the railway came, the wharves emptied" in told


@pytest.mark.timeout(120)
@pytest.mark.parametrize("example", EXAMPLE_LIST, ids=str)
def test_it_runs_on_a_real_model(service: Service, example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    """Real as far as the example can tell: answers come over the network, from a server that speaks the protocol."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    script = importlib.import_module(str(example).partition("_")[0]).script
    with chat_server(script) as server:
        env = {**os.environ, "OUTTAKE_MODEL": "a-model", "OPENAI_API_KEY": "a-key", "OPENAI_BASE_URL": server.address}
        done = run(service, example, env)
    assert example.output in json.dumps(done["output"], ensure_ascii=False)
    assert len(server.asked) == done["executed"]["model"]


@pytest.mark.timeout(120)
@pytest.mark.parametrize("example", [e for e in EXAMPLE_LIST if "essays" in e.spec and e.environment], ids=str)
@pytest.mark.parametrize(
    ("mock", "says"),
    [
        ({"step": "asses", "output": {}}, "there is no step 'asses' to mock; it has .*/assess, "),
        ({"step": "assess", "output": {"grade": 1}}, "'grade'.* has .*"),
        ({"step": "assess", "output": 12}, "does not fit"),
    ],
    ids=["unknown step", "unknown field", "no event"],
)
def test_a_mock_that_cannot_be_is_refused(service: Service, example: Example, mock: Json, says: str) -> None:
    python = str(Path(ENVS or "", example.environment, "bin", "python"))
    edits = read_mocks([mock]).edits
    started = service.run(example.spec, folder=str(EXAMPLES), python=python, edits=edits, headless=True)
    done = service.wait(started["run"], timeout=WAIT)
    assert (done["status"], done["executed"]["model"]) == ("failed", 0)
    assert done["error"]["wrong_use"]
    assert re.search(says, done["error"]["message"]), done["error"]["message"]
