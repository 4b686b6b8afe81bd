"""What another process may ask of the owner of a store: each method says so, and each is tried over the socket."""

from __future__ import annotations

import inspect
import itertools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from outtake.service import ServiceError
from outtake.service.methods import asks, method_of, streams
from outtake.service.rpc_client import Remote, open_service
from outtake.service.service import METHODS, Document, Service
from tests.service.targets import WRITER, write

GIVEN: Mapping[str, Any] = {
    "run": "r1",
    "a": "r1",
    "b": "r1",
    "seq": 3,
    "seqs": [1, 2],
    "text": "draft",
    "message": 10**6,
    "id": 10**6,
    "kind": "feedback",
    "verb": "pause",
    "condition": "error",
    "component": "nobody",
    "key": "k",
    "value": 1,
    "spec": "nothing.py:main",
    "name": "renamed",
    "timeout": 0.0,
    "body": "00",
}
"""What is given for a parameter that a method needs, by its name; for some there is nothing that fits."""


@pytest.fixture
def remote(service: Service, tmp_path: Path) -> Iterator[Remote]:
    write(tmp_path, WRITER)
    service.wait(service.run("program.py:main", headless=True)["run"], timeout=30.0)
    found = cast(Remote, open_service(tmp_path / ".outtake"))
    assert isinstance(found, Remote)
    yield found
    found.close()


def test_every_public_method_says_who_may_call_it() -> None:
    public = [(name, value) for name, value in inspect.getmembers(Service, inspect.isfunction) if name[0] != "_"]
    assert [name for name, method in public if method_of(method) is None] == []
    assert {"runs", "why", "affects", "run", "fork"} <= METHODS.keys()
    assert {"close", "watch"}.isdisjoint(METHODS)


@pytest.mark.parametrize("name", sorted(METHODS))
def test_each_remote_method_can_be_called_over_the_socket(
    remote: Remote, service: Service, tmp_path: Path, name: str
) -> None:
    given = _arguments(name, tmp_path)
    answer = _tried(remote, name, given)
    if asks(METHODS[name]):
        assert answer == _tried(service, name, given)
    else:
        assert "unknown method" not in str(answer)
    assert [run["run"] for run in remote.runs()] != [] or name == "delete"  # the connection has outlived it


def test_what_is_for_this_process_only_is_no_method_of_a_client(remote: Remote) -> None:
    with pytest.raises(AttributeError, match="announce"):
        remote.announce(url="http://elsewhere")


def test_a_fault_of_the_owner_is_told_once_and_the_connection_outlives_it(
    remote: Remote, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(ServiceError, match="a fault of Outtake's, in the process that owns the store: TypeError"):
        remote.info("r1", nothing_of_the_kind=1)
    assert [record.message for record in caplog.records] == ["info failed"]
    assert remote.info("r1")["run"] == "r1"


def test_where_a_value_came_from_is_told_while_another_process_owns_the_store(remote: Remote) -> None:
    chain: Document = remote.why("r1", 5)
    assert next(link["seq"] for link in chain["chain"]) == 5
    assert remote.affects("r1", 1)["calls"]["all"] > 0


def _arguments(name: str, folder: Path) -> dict[str, Any]:
    needed = [p for p in list(inspect.signature(METHODS[name]).parameters.values())[1:] if p.default is p.empty]
    given = {p.name: str(folder / "x.outtake") if p.name == "path" else GIVEN[p.name] for p in needed}
    return {**given, "seq": 3} if name == "why" else given


def _tried(service: Any, name: str, given: Mapping[str, Any]) -> Any:
    """What a method gives, or which error of the service it raises, as JSON."""
    try:
        found = getattr(service, name)(**given)
        found = list(itertools.islice(found, 500)) if streams(METHODS[name]) else found
    except ServiceError as error:
        return {"error": error.code, "message": str(error)}
    return json.loads(json.dumps(found))
