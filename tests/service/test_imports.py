"""Files from strangers: checked whole before anything is kept, kept whole or not at all, and what they may cost."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from attacks._exports import packed, unpacked
from benchmarks.long_run import write_runs
from outtake.core.runs import EndlessLine, Fork, Launch, Run, segments
from outtake.engine import plans
from outtake.service import ServiceError, WrongUse
from outtake.service.archive import export
from outtake.service.rpc_client import open_service
from outtake.service.service import Service
from outtake.store import Damaged, Store
from outtake.store.giving_up import GivenUp, wanted_while
from outtake_probe.bodies import EXPANDED, Bodies, Unresolvable, digest, resolve
from tests.service.targets import write

WAIT = 60
LAUNCH = Launch(spec="program.py:main", folder="", python="")


def exported(service: Service, tmp_path: Path) -> Path:
    write(tmp_path)
    run = service.wait(service.run("program.py:main", headless=True)["run"], timeout=WAIT)["run"]
    service.export(run, "run.outtake")
    return tmp_path / "run.outtake"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seq": "x"}, "seq is 'x', not int"),
        ({"seq": 10**6}, "numbers have no holes"),
        ({"at": None}, "at is None, not float"),
        ({"at": -1e300}, "not float"),
        ({"parent": 2}, "its parent is 2"),
        ({"body": "0" * 32}, "is not in the file"),
        ({"caused_by": [2]}, "as its cause"),
        ({"component": "\ud800"}, "no valid Unicode"),
    ],
)
def test_a_record_that_nobody_wrote_is_refused(
    service: Service, tmp_path: Path, change: dict[str, object], words: str
) -> None:
    file = exported(service, tmp_path)
    parts = unpacked(file.read_bytes())
    lines = parts["runs/r1.jsonl"].splitlines()
    lines[2] = json.dumps({**json.loads(lines[2]), **change}).encode()
    file.write_bytes(packed({**parts, "runs/r1.jsonl": b"\n".join(lines)}))
    with pytest.raises(WrongUse, match="nothing was imported") as refused:
        service.import_(str(file))
    assert words in str(refused.value)
    assert [run["run"] for run in service.runs()] == ["r1"]


def test_a_kill_in_the_middle_of_an_import_leaves_nothing(tmp_path: Path) -> None:
    made = Store(tmp_path / "made")
    (run,) = write_runs(made, 20_000)
    export(made, run, tmp_path / "long.outtake")
    made.close()
    code = "import sys; from outtake.cli.app import main; main(['--store', 'store', 'import', 'long.outtake'])"
    importing = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.DEVNULL)
    log = tmp_path / "store" / "outtake.db-wal"
    until = time.monotonic() + WAIT
    while importing.poll() is None and time.monotonic() < until:
        if log.exists() and log.stat().st_size > 1 << 20:  # some of it is written
            break
    assert importing.poll() is None
    os.kill(importing.pid, signal.SIGKILL)
    importing.wait(WAIT)
    service = open_service(tmp_path / "store")
    try:
        assert service.runs() == []
        assert service.import_(str(tmp_path / "long.outtake"))["run"] == "r1"
        assert service.info("r1")["records"] == 20_000
    finally:
        service.close()


def test_a_transaction_inside_another_is_a_part_of_it(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(RuntimeError), store.writing():
        run = store.create(LAUNCH, None, seed=0)
        assert store.run(run.id).launch.spec == LAUNCH.spec
        raise RuntimeError
    assert store.runs() == []
    store.close()


# -- bounds ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["[%s,%s]", '{"\\u0000text":[%s,%s]}'])
def test_a_few_nodes_do_not_expand_to_gigabytes(form: str) -> None:
    nodes = {digest(b'"ha"'): b'"ha"'}
    name = next(iter(nodes))
    for _ in range(60):
        part = f'{{"\\u0000":"{name}"}}'
        node = (form % (part, part)).encode()
        name = digest(node)
        nodes[name] = node
    with pytest.raises(Unresolvable, match="so often"):
        resolve(name, nodes.__getitem__)


def test_a_large_body_that_is_stored_whole_is_read_whole() -> None:
    value = [f"{number:x}" * 20 for number in range(EXPANDED // 80)]
    bodies = Bodies()
    name = bodies.put(value)
    assert resolve(name, dict(bodies.take()).__getitem__) == value


def test_a_chain_of_references_that_has_no_end_is_told() -> None:
    nodes = {"a": b'[{"\\u0000":"b"}]', "b": b'[{"\\u0000":"a"}]'}
    with pytest.raises(Unresolvable, match="nested too deeply"):
        resolve("a", nodes.__getitem__)


def test_runs_that_are_forked_from_each_other_have_no_segments() -> None:
    runs = {
        name: Run(id=name, launch=LAUNCH, fork=Fork(parent=parent, cut=cut))
        for name, parent, cut in (("r1", "r2", 5), ("r2", "r1", 4))
    }
    with pytest.raises(EndlessLine):
        segments(runs["r1"], runs.__getitem__)


def test_what_is_in_itself_is_told_of_all_the_same(service: Service) -> None:
    run = service.store.create(LAUNCH, None, seed=0, status="completed").id
    kinds = ("invocation_started", "message_queued", "invocation_ended")
    about = {"invocation_started": {"call": "agent"}, "invocation_ended": {"call": "agent"}, "message_queued": {}}
    bodies = Bodies()
    body = bodies.put("the same text in each of them")
    records = [
        {"kind": kind, "seq": n, "at": 1.0, "parent": n, "invocation": n, "caused_by": [n], "body": body, **about[kind]}
        for n, kind in enumerate(itertools.islice(itertools.cycle(kinds), 300))
    ]
    service.store.append(run, records, bodies.take())
    for seq in range(5):
        assert service.why(run, seq=seq)["chain"]
        assert service.affects(run, seq)["seq"] == seq
    assert service.why(run, text="the same text")["first"] == 0
    service.trace(run), service.report(run), service.diff(run, run), service.describe(run)


def test_messages_that_lead_to_messages_have_no_end(service: Service) -> None:
    run = service.store.create(LAUNCH, None, seed=0, status="completed").id
    chain = [
        {"kind": "message_queued", "seq": n, "at": 1.0, "caused_by": [n - 1] if n else [], "recipient": "a"}
        for n in range(5000)
    ]
    service.store.append(run, chain)
    assert len(service.affects(run, 0)["messages"]) == 5000


def test_who_is_gone_is_not_answered(service: Service) -> None:
    (run,) = write_runs(service.store, 5000)
    asked = iter([True, True])
    with wanted_while(lambda: next(asked, False)):
        with pytest.raises(GivenUp):
            service.why(run.id, seq=100)
        with pytest.raises(GivenUp):
            service.search(run.id, "heron")


# -- plans and damage ------------------------------------------------------------------------------------------------


def test_a_plan_comes_in_pages(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "PAGE", 2)
    write(tmp_path)
    run = service.wait(service.run("program.py:main", headless=True)["run"], timeout=WAIT)
    for at in (0, 5, run["records"] - 1):
        fork = service.wait(service.fork(run["run"], at=at, headless=True)["run"], timeout=WAIT)
        assert (fork["status"], fork["output"], fork["records"]) == ("completed", run["output"], run["records"])
        assert not fork["executed"]["model"]


def test_a_run_whose_row_is_damaged_can_be_listed_and_deleted(service: Service) -> None:
    runs = [service.store.create(LAUNCH, None, seed=0, status="completed").id for _ in range(2)]
    with service.store.writing() as connection:
        connection.exec_driver_sql("UPDATE runs SET launch = '{\"spec\": 5', output = 'x' WHERE number = 1")
    assert [(run["run"], run["status"]) for run in service.runs()] == [("r1", "lost"), ("r2", "completed")]
    assert "is damaged" in service.info("r1")["error"]["message"]
    assert service.delete("r1")["deleted"]
    assert [run["run"] for run in service.runs()] == runs[1:]


def test_damage_is_told_with_the_way_out(service: Service, tmp_path: Path) -> None:
    file = exported(service, tmp_path)
    with service.store.writing() as connection:
        connection.exec_driver_sql("UPDATE bodies SET data = x'00ff00ff'")
        connection.exec_driver_sql("UPDATE records SET extra = '{'")
    for ask in (lambda: list(service.show("r1")), lambda: service.why("r1", seq=2), lambda: service.search("r1", "a")):
        with pytest.raises(ServiceError, match=r"outtake\.db.*is damaged.*\.recover"):
            ask()
    with pytest.raises(Damaged):
        list(service.store.records("r1"))
    assert service.import_(str(file))["run"] == "r2"
