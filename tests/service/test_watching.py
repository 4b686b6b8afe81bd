"""Being watched changes nothing: children that are forked, signals, libraries of calls, and what is taken out again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from outtake.service.errors import WrongUse
from outtake.service.rpc_client import open_service
from outtake.service.service import Document, Service

WAIT = 30.0
ENV = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
FORKS = """
import os, sys, uuid, outtake

@outtake.tool(effects="read")
def look(n):
    return n + 1

def main(topic):
    first = look(1)
    child = os.fork()
    if child == 0:
        look(2)
        print("child", uuid.uuid4() != uuid.uuid4(), flush=True)
        if topic == "raises":
            raise RuntimeError("the child's own")
        return "the child's"
    _, status = os.waitpid(child, 0)
    return ["the parent's", look(first), os.waitstatus_to_exitcode(status)]
"""
SIGNALS = """
import signal, outtake

class Alarm(Exception):
    pass

armed = False

def ring(*_):
    if armed:
        raise Alarm

@outtake.tool(effects="read")
def look(n):
    return n

def main(topic):
    global armed
    signal.signal(signal.SIGALRM, ring)
    heard = 0
    for n in range(200):
        try:
            armed = True
            signal.setitimer(signal.ITIMER_REAL, 0.0003 + n % 40 * 0.0002)
            look({"n": n, "more": list(range(50))})
            armed = False
        except Alarm:
            heard += 1
    armed = False
    signal.setitimer(signal.ITIMER_REAL, 0)
    return {"heard": heard > 0, "last": look("last")}
"""
CHILDREN = """
import asyncio, multiprocessing, os, subprocess, sys, outtake

def work():
    pass

@outtake.tool(effects="write")
def shell(words):
    return subprocess.run([sys.executable, "-c", f"print('{words}')"], capture_output=True, text=True).stdout

async def awaited():
    await (await asyncio.create_subprocess_exec(sys.executable, "-c", "pass")).wait()

def main():
    subprocess.run(["echo", "sk-ant-api03-abcdefghijklmnop"], capture_output=True)
    subprocess.check_output("echo two", shell=True)
    os.system("true")
    asyncio.run(awaited())
    child = multiprocessing.get_context("spawn").Process(target=work)
    child.start()
    child.join()
    return [shell("inside a tool"), child.exitcode]
"""
CLIENT = """
import sys, types, outtake

def main(topic="default"):
    print("executed", flush=True)
    return topic
"""
TRACES = """
import builtins, multiprocessing.process, os, subprocess, sys, threading, uuid
from concurrent.futures import ThreadPoolExecutor

def traces():
    names = [type(finder).__name__ for finder in sys.meta_path]
    starts = [subprocess.Popen.__init__, os.system, multiprocessing.process.BaseProcess.start]
    return [uuid.uuid4, builtins.input, threading.Thread.start, ThreadPoolExecutor.submit, *starts, names]

before = traces()
import outtake

@outtake.tool(effects="read")
def look(n):
    return n

outtake.attach()
during = traces()
look(1)
HOW
look(2)
print(before == during, before == traces(), len({uuid.uuid4() for _ in range(9)}), flush=True)
"""
LEAVES = "import atexit; atexit._run_exitfuncs()"
GIVES_UP = "import time\nprint('attached', flush=True)\nwhile before != traces(): time.sleep(0.05)"


def ended(service: Service, started: Document) -> Document:
    return service.wait(started["run"], timeout=WAIT)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.parametrize(("topic", "code"), [("a", 0), ("raises", 1)])
def test_a_forked_child_goes_its_own_way_and_says_nothing_for_its_parent(
    service: Service, tmp_path: Path, topic: str, code: int
) -> None:
    (tmp_path / "program.py").write_text(FORKS)
    done = ended(service, service.run("program.py:main", input=topic, has_input=True, headless=True))
    assert (done["status"], done["output"]) == ("completed", ["the parent's", 3, code])
    assert done["executed"]["tool"] == 2
    said = "".join(part["text"] for part in service.console("r1")["parts"])
    assert "child True" in said
    assert ("the child's own" in said) is (topic == "raises")
    fork = ended(service, service.fork("r1", at=done["records"] - 1, headless=True))
    assert (fork["status"], fork["output"]) == ("completed", done["output"])


def test_the_record_says_which_processes_a_fork_starts_again(service: Service, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(CHILDREN)
    done = ended(service, service.run("program.py:main", headless=True))
    assert done["output"] == ["inside a tool\n", 0], done["error"]
    notes = [r for r in service.show("r1", kind="noted", bodies=True) if r["type"] == "process_started"]
    told = [(r["body"]["how"], r["body"]["command"]) for r in notes if isinstance(r["body"]["command"], str)]
    assert told == [("subprocess", "echo two"), ("os.system", "true"), ("multiprocessing", "work")]
    assert "sk-ant" not in str(notes)
    assert "inside a tool" not in str([r["body"] for r in notes])
    fork = ended(service, service.fork("r1", at=done["records"] - 1, headless=True))
    assert (fork["status"], fork["output"], fork["executed"]["tool"]) == ("completed", done["output"], 0)
    started = service.report("r2")["processes"]
    live = [(each["how"], each["command"]) for each in started if isinstance(each["command"], str)]
    assert live == told
    assert all(each["again"] for each in started)
    assert not any(each["again"] for each in service.report("r1")["processes"])


def test_a_signal_handler_that_raises_leaves_a_log_that_can_be_forked(service: Service, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(SIGNALS)
    done = ended(service, service.run("program.py:main", input="a", has_input=True, headless=True))
    assert done["status"] == "completed", done["error"]
    assert done["output"]["last"] == "last"
    assert [r["seq"] for r in service.show("r1")] == list(range(done["records"]))
    ends = list(service.show("r1", kind="invocation_ended"))
    assert len([r for r in ends if not r["failed"]]) > 2
    starts = {r["invocation"] for r in service.show("r1", kind="invocation_started")}
    assert sorted(r["invocation"] for r in ends) == sorted(starts)
    fork = ended(service, service.fork("r1", at=1, headless=True, repeat="run"))
    assert fork["status"] == "completed", fork["error"]


def test_a_plain_program_runs_the_same_whatever_library_of_calls_it_imports(service: Service, tmp_path: Path) -> None:
    (tmp_path / "openai.py").write_text("")  # the adapter finds nothing to hook, and says so
    (tmp_path / "program.py").write_text("import openai\n" + CLIENT)
    done = ended(service, service.run("program.py:main", input="given", has_input=True, headless=True))
    assert done["output"] == "given"
    described = service.describe_spec("program.py:main")
    assert described["components"] == []
    assert "executed" in "".join(part["text"] for part in service.console("r1")["parts"])


def test_a_setting_of_a_target_that_has_none_is_refused_before_anything_runs(service: Service, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(CLIENT.replace("print(", "open('ran', 'w'); print("))
    done = ended(service, service.run("program.py:main", config={"main.x": 3}, headless=True))
    assert "main.x cannot be set" in done["error"]["message"]
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("condition", ["error:[z-a", "error:(", 'text~"[z-a"'])
def test_a_pattern_that_is_none_is_refused_when_it_is_set(service: Service, tmp_path: Path, condition: str) -> None:
    (tmp_path / "program.py").write_text(CLIENT)
    with pytest.raises(WrongUse, match="no regular expression"):
        service.run("program.py:main", breakpoints=[condition])


@pytest.mark.parametrize("how", ["leaves", "gives up"])
def test_nothing_of_the_probe_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "script.py").write_text(TRACES.replace("HOW", LEAVES if how == "leaves" else GIVES_UP))
    service = open_service(tmp_path / ".outtake")
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "script.py"], env=ENV, stdout=pipe, stderr=pipe, text=True) as script:
        assert script.stdout is not None
        assert script.stderr is not None
        if how == "gives up":
            assert script.stdout.readline() == "attached\n"
            service.close()
            (tmp_path / ".outtake" / "key").unlink()  # the next server refuses it: it does not wait for another one
            service = open_service(tmp_path / ".outtake")
        try:
            told, errors = script.communicate(timeout=WAIT)
        finally:
            service.close()
        assert told == "False True 9\n", errors


LEFT_BEHIND = """
import asyncio, threading, outtake

def happened(what):
    with open("calls.txt", "a") as file:
        file.write(what + "\\n")

@outtake.model
def ask(prompt):
    happened(prompt)
    return prompt.upper()

@outtake.tool
def waits(what):
    happened(what)
    threading.Event().wait()

@outtake.tool
async def awaits(what):
    happened(what)
    await asyncio.Event().wait()

asked = threading.Event()

def daemon():
    ask("in the thread")
    asked.set()
    waits("never")

def threads(topic):
    threading.Thread(target=daemon, daemon=True).start()
    said = ask(topic)
    asked.wait()
    return said

def late(topic):
    said = ask(topic)
    started = threading.Event()
    def talk():
        started.set()
        for n in range(5):
            ask(f"{n}")
        done.set()
    done = threading.Event()
    threading.Thread(target=talk, daemon=True).start()
    started.wait()
    return said, finished.append(done)

finished = []

def waited(topic):
    said, _ = late(topic)
    finished[0].wait()
    return said

async def tasks(topic):
    left = asyncio.create_task(awaits("cancelled at the end"))
    also = [asyncio.create_task(awaits(f"cancelled {n}")) for n in range(3)]
    await asyncio.sleep(0.01)
    also[0].cancel()
    return ask(topic)
"""


@pytest.mark.parametrize("program", ["threads", "late", "waited", "tasks"])
def test_what_was_out_when_the_program_ended_stays_out_in_an_unedited_fork(
    service: Service, tmp_path: Path, program: str
) -> None:
    (tmp_path / "program.py").write_text(LEFT_BEHIND)
    done = ended(service, service.run(f"program.py:{program}", input="a", has_input=True, headless=True))
    assert done["status"] == "completed", done["error"]
    made = (tmp_path / "calls.txt").read_text()
    for cut in range(1, done["records"] + 1, 2):
        fork = ended(service, service.fork("r1", at=cut, headless=True))
        assert (fork["status"], fork["output"]) == ("completed", done["output"]), (
            cut,
            fork["difference"],
            fork["error"],
        )
    again = (tmp_path / "calls.txt").read_text()
    if program != "late":  # its thread may come further than it did the first time
        assert again == made
