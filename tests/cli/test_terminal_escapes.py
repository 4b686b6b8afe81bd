"""Whatever a log holds, and wherever: no command lets it steer the terminal."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from outtake.core.annotations import Note
from outtake.core.runs import Fork, Launch
from outtake.service.rpc_client import open_service
from outtake.store.annotations import Annotations
from outtake_probe.bodies import Bodies
from outtake_probe.records import Json
from tests.cli.conftest import Cli
from tests.cli.terminal import Typist, terminal

BAD = "x\x1b]52;c;aGFja2Vk\x07\x1b[2J\x9b31m\x1b]0;title\x1b\\\x7f\x08y"
"""It writes to the clipboard, clears the screen, sets the title."""
COMMANDS = [
    *(
        ["runs"],
        ["runs", "--tree"],
        ["show", "r1"],
        ["show", "r1", "--bodies"],
        ["show", "r1", "3"],
        ["search", "r1", "y"],
    ),
    *(
        ["why", "r1", "3"],
        ["why", "r1", "--text", "y"],
        ["affects", "r1", "1"],
        ["describe", "r1"],
        ["diff", "r1", "r2"],
    ),
    *(["report", "r2"], ["trace", "r1"], ["trace", "r1", "--line"], ["annotations", "r1"], ["annotate", "r1", BAD]),
    *(["rename", "r1", BAD], ["runs", "--json"], ["show", "r1", "--json"], ["describe", BAD], ["show", BAD], ["tree"]),
]
terminal_only = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def hostile(cli: Cli) -> Cli:
    service = open_service(Path(cli.folder) / ".outtake")
    launch = Launch(spec=BAD, folder=str(cli.folder), python="python", input=BAD, config={BAD: BAD}, args=[BAD])
    bodies = Bodies()
    body = bodies.put({"text": BAD, BAD: [BAD], "role": "user", "content": BAD})
    error = bodies.put({"$type": "exception", "class": BAD, "message": BAD, "frames": [{"source": BAD, "file": BAD}]})
    records = [{"seq": seq, "at": float(seq), **record} for seq, record in enumerate(_records(body, error))]
    first = service.store.create(launch, None, seed=1, name=BAD)
    service.store.append(first.id, records, bodies.take())
    fork = Fork(parent=first.id, cut=2, edits=[{"op": "mock_output", "component": BAD, "value": BAD, "seq": None}])
    second = service.store.create(dataclasses.replace(launch, edits=[]), fork, seed=1, name=BAD)
    service.store.append(second.id, [{**record, "at": 0.5} for record in records[2:]])
    for run in (first, second):
        service.store.change(run.id, status="failed", error={"class": BAD, "message": BAD}, output=None)
    said = Annotations(service.store)
    said.add(first.id, Note(kind="feedback", text=BAD, author=BAD))
    said.add(first.id, Note(kind="finding", text=BAD, seq=3, author=BAD, data={"component": BAD}))
    service.close()
    return cli


def _records(body: str, error: str) -> Iterator[dict[str, Json]]:
    yield {"kind": "run_started", "body": body}
    yield {"kind": "message_queued", "component": BAD, "recipient": BAD, "type": BAD, "body": body}
    yield {"kind": "invocation_started", "component": BAD, "call": "tool", "invocation": 2, "message": 1, "body": body}
    yield {"kind": "noted", "component": BAD, "type": BAD, "invocation": 2, "body": body}
    yield {"kind": "invocation_ended", "component": BAD, "call": "tool", "invocation": 2, "failed": True, "body": error}
    yield {"kind": "config_set", "component": BAD, "key": BAD, "body": body}
    yield {"kind": "run_ended", "status": "failed", "body": error}


@terminal
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(c for c in command if c != BAD))
def test_recorded_text_does_not_steer_the_terminal(hostile: Cli, command: list[str]) -> None:
    with Typist(hostile, *command) as typist:
        typist.ends()
    rest = terminal_only.sub("", typist.seen)
    assert re.findall(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", rest) == [], ascii(rest)
    assert "y" in rest
