"""Calls of a function that is marked with `outtake.run`: runs of their own inside of a process that goes on."""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from outtake.core.runs import ENDED
from outtake.service.errors import Conflict
from outtake.service.service import Service
from outtake_probe.records import Json

WAIT = 60.0
APP = """
import asyncio
import random
import uuid

import outtake
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

app = FastAPI()

class Question(BaseModel):
    text: str
    times: int = 2

def called(what):
    with open("calls.txt", "a") as file:
        file.write(what + "\\n")

@outtake.model
async def think(prompt: str) -> str:
    called(f"think {prompt}")
    await asyncio.sleep(0)
    return f"{prompt} {random.random()} {uuid.uuid4()}"

@outtake.model
async def words(prompt: str):
    called(f"words {prompt}")
    for word in prompt.split():
        yield word

@outtake.tool(effects="read")
def look(word: str) -> str:
    called(f"look {word}")
    return word[::-1]

@app.post("/ask")
@outtake.run
async def ask(question: Question) -> dict:
    said = [await think(f"{question.text} {n}") for n in range(question.times)]
    print("looking")
    return {"answer": look(" ".join(said))}

@app.get("/turn")
@outtake.run
def turn(q: str) -> str:
    return look(q)

@outtake.run
async def talk(q: str):
    async for word in words(q):
        yield word + " "

@app.get("/talk")
async def talking(q: str):
    return StreamingResponse(talk(q))

@app.get("/bad")
@outtake.run
async def bad(q: str):
    look(q)
    raise ValueError(f"no {q}")

@app.get("/raw")
@outtake.run
async def raw(request: Request) -> str:
    return look(request.url.path)

if __name__ == "__main__":
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", ws="none"))

    async def serve():
        serving = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        with open("port.part", "w") as file:
            file.write(str(server.servers[0].sockets[0].getsockname()[1]))
        import os
        os.rename("port.part", "port")
        await serving

    asyncio.run(serve())
"""


class App:
    """The server in its process, which is a run."""

    def __init__(self, service: Service, folder: Path) -> None:
        (folder / "app.py").write_text(APP)
        self.service = service
        self.folder = folder
        self.run: str = service.run("app.py", folder=str(folder))["run"]
        port = folder / "port"
        self.until(self.run, lambda _: port.exists())
        self.address = f"http://127.0.0.1:{port.read_text()}"

    def until(self, run: str, so: Callable[[Any], bool]) -> Any:
        """Wait until it is so, with a bound."""
        info = self.service.info(run)
        for _ in range(int(WAIT / 0.1)):
            if so(info):
                return info
            assert info["status"] not in ENDED, info
            self.service.watch(run).wait(0.1)
            info = self.service.info(run)
        raise AssertionError(f"{run} did not come to it: {info}")

    def get(self, path: str, body: Json = None) -> Any:
        """What the server answers, as JSON or text."""
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.address + path, data, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=WAIT) as response:
            text = response.read().decode()
        return json.loads(text) if text[:1] in '{"' else text

    def later(self, path: str, body: Json = None) -> concurrent.futures.Future[Any]:
        """`get`, in a thread."""
        future: concurrent.futures.Future[Any] = concurrent.futures.Future()

        def get() -> None:
            try:
                future.set_result(self.get(path, body))
            except Exception as error:  # noqa: BLE001  it is for whoever asks
                future.set_exception(error)

        threading.Thread(target=get, daemon=True).start()
        return future

    def runs(self, function: str = "") -> list[Any]:
        """Runs of requests, oldest first."""
        found = [r for r in self.service.runs() if r["spec"].startswith(f"app.py:{function}") and not r["parent"]]
        return sorted(found, key=lambda r: int(r["run"][1:]))

    def only(self, function: str) -> Any:
        """The run of the only request to this function, once it has ended."""
        (run,) = self.runs(function)
        return self.service.wait(run["run"], timeout=WAIT)

    @property
    def calls(self) -> list[str]:
        file = self.folder / "calls.txt"
        return file.read_text().splitlines() if file.exists() else []

    def fork(self, run: str, at: int | None = None, *edits: Json) -> Any:
        made = self.service.fork(run, at=at, edits=edits, headless=True)
        return self.service.wait(made["run"], timeout=WAIT)


@pytest.fixture
def app(service: Service, tmp_path: Path) -> Iterator[App]:
    app = App(service, tmp_path)
    yield app
    with contextlib.suppress(Conflict):  # it has ended
        service.control(app.run, "stop")


def test_requests_at_the_same_time_are_runs_of_their_own_and_each_is_forked_alone(app: App) -> None:
    texts = ["alpha", "bravo", "charlie", "delta"]
    answers = [future.result(WAIT) for future in [app.later("/ask", {"text": text}) for text in texts]]
    runs = {
        run["input"]["question"]["fields"]["text"]: app.service.wait(run["run"], timeout=WAIT)
        for run in app.runs("ask")
    }
    assert sorted(runs) == sorted(texts)
    for text, answer in zip(texts, answers, strict=True):
        run = runs[text]
        log = list(app.service.show(run["run"], bodies=True))
        assert run["status"] == "completed"
        assert run["output"] == answer
        assert not any(other in str(log) for other in texts if other != text)
        before = app.calls
        for cut in range(1, len(log) + 1, 3):
            fork = app.fork(run["run"], cut)
            assert (fork["status"], fork["output"]) == ("completed", answer), (cut, fork)
        assert app.calls == before
    ids = [word for run in runs.values() for word in run["output"]["answer"].split() if word.count("-") == 4]
    assert len(set(ids)) == 8, "ids of requests must differ"
    assert app.service.info(app.run)["status"] == "running"
    called = [r for r in app.service.show(app.run) if r["kind"] == "invocation_started" and r["component"] == "app/ask"]
    assert len(called) == 4


def test_a_changed_answer_goes_on_with_the_random_numbers_of_the_request(app: App) -> None:
    answer = app.get("/ask", {"text": "one"})["answer"]
    run = app.only("ask")["run"]
    first = next(r for r in app.service.show(run) if r["kind"] == "invocation_started" and r["call"] == "model")
    fork = app.fork(run, None, {"op": "replace_input", "seq": first["seq"], "value": {"prompt": "eno 0"}})
    assert fork["status"] == "completed"
    before, after = answer[::-1].split(), fork["output"]["answer"][::-1].split()
    assert [*after] == ["eno", *before[1:]], "the edited prompt draws what the request drew"


def test_a_stream_is_a_run_until_it_has_been_read(app: App) -> None:
    assert app.get("/talk?q=a+b+c") == "a b c "
    run = app.only("talk")
    assert (run["status"], run["output"]) == ("completed", ["a ", "b ", "c "])
    fork = app.fork(run["run"], 3)
    assert (fork["status"], fork["output"]) == ("completed", ["a ", "b ", "c "])


def test_a_request_that_fails_is_a_failed_run_and_the_server_goes_on(app: App) -> None:
    with pytest.raises(urllib.error.HTTPError):
        app.get("/bad?q=x")
    run = app.only("bad")
    assert (run["status"], run["error"]["message"]) == ("failed", "no x")
    assert app.get("/turn?q=abc") == "cba"


def test_one_request_is_held_and_ended_while_others_go_on(app: App) -> None:
    app.service.add_breakpoint(app.run, "component:*think")
    held = app.later("/ask", {"text": "one"})
    while not app.runs("ask"):
        app.service.watch(app.run).wait(0.1)
    run = app.runs("ask")[0]["run"]
    app.until(run, lambda info: bool(info["held"]))
    assert app.get("/turn?q=abc") == "cba"
    app.service.control(run, "stop")
    with pytest.raises(urllib.error.HTTPError):
        held.result(WAIT)
    assert app.service.wait(run, timeout=WAIT)["status"] == "stopped"
    assert app.get("/turn?q=abcd") == "dcba"


def test_an_argument_that_cannot_be_made_again_is_named(app: App) -> None:
    assert app.get("/raw") == "war/"
    run = app.only("raw")
    assert run["status"] == "completed"
    fork = app.fork(run["run"], 1)
    assert fork["status"] == "failed"
    assert "the argument request of raw cannot be made again" in fork["error"]["message"]


def test_the_function_is_a_target_by_itself(app: App) -> None:
    made = app.service.run("app.py:ask", folder=str(app.folder), input={"question": {"text": "x"}}, has_input=True)
    assert app.service.wait(made["run"], timeout=WAIT)["status"] == "completed"
    made = app.service.run("app.py:ask", folder=str(app.folder), input={"question": {"txt": "x"}}, has_input=True)
    failed = app.service.wait(made["run"], timeout=WAIT)
    assert "question is no Question" in failed["error"]["message"]
    made = app.service.run("app.py:ask", folder=str(app.folder), input={"text": "x"}, has_input=True)
    assert (
        "ask has no argument 'text'; it takes question"
        in app.service.wait(made["run"], timeout=WAIT)["error"]["message"]
    )


def test_who_ends_the_process_ends_its_requests(app: App) -> None:
    app.service.add_breakpoint(app.run, "component:*think")
    app.later("/ask", {"text": "one"})
    while not app.runs("ask"):
        app.service.watch(app.run).wait(0.1)
    run = app.runs("ask")[0]["run"]
    app.until(run, lambda info: bool(info["held"]))
    app.service.control(app.run, "stop")
    assert app.service.wait(app.run, timeout=WAIT)["status"] in ENDED
    assert app.service.wait(run, timeout=WAIT)["status"] in ENDED
    with pytest.raises(Conflict):
        app.service.control(run, "continue")


MANY = """
import gc, os, threading, outtake

@outtake.model
def think(prompt):
    return prompt.upper()

@outtake.run
def answer(question):
    return think(question)

def descriptors():
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0

if __name__ == "__main__":
    counts = []
    for _ in range(3):
        for n in range(20):
            answer(f"question {n}")
        for thread in threading.enumerate():
            if thread.name == "outtake-leaving":
                thread.join(30)
        gc.collect()
        counts.append([threading.active_count(), descriptors()])
    print(max(threads for threads, _ in counts) < 30, max(files for _, files in counts) < 40)
"""


def test_nothing_is_left_of_a_request_that_is_over(service: Service, tmp_path: Path) -> None:
    (tmp_path / "many.py").write_text(MANY)
    run = service.run("many.py", folder=str(tmp_path), headless=True)["run"]
    ended = service.wait(run, timeout=WAIT)
    assert (ended["status"], ended["output"]) == ("completed", {"exit_code": 0, "output": "True True"})
    statuses = [found["status"] for found in service.runs() if found["spec"] == "many.py:answer"]
    assert statuses == ["completed"] * 60
