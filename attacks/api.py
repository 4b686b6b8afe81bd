"""The HTTP API: requests made from its own description, numbers and depths that no type holds, races over one run.

Nothing may be answered with a status of 500 or more, no connection may break, no fork may be left without its parent.
"""

from __future__ import annotations

import itertools
import json
import logging
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings

from attacks._served import BOUND, Answer, Served, served
from attacks.result import Result, Size

EXAMPLES: dict[Size, int] = {"short": 2, "full": 60}
"""Requests for each operation."""
EVERY: dict[Size, int] = {"short": 6, "full": 1}
"""Which of the requests with a number in a place are made."""
RACES: dict[Size, int] = {"short": 3, "full": 60}
HUGE = ("9" * 16, "9" * 26, "9" * 5000, "-" + "9" * 26, "1e400", "٣", "NaN", "-0")
DEPTHS: dict[Size, Sequence[int]] = {"short": (600,), "full": (240, 600, 5000, 100_000)}
Asked = tuple[str, str, Any]


def attack(size: Size) -> Result:
    """Everything that the description of the API allows, and what it does not."""
    result = Result("api")
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    with served() as server:
        described = json.loads(server.ask("GET", "/api/openapi.json").body)
        _fuzz(server, result, described, EXAMPLES[size])
        numbers = itertools.islice(_huge(described), 0, None, EVERY[size])
        for method, path, body in itertools.chain(numbers, _deep(DEPTHS[size])):
            _judge(result, "hostile requests", f"{method} {path[:120]}", server.ask(method, path, body))
        for _ in range(RACES[size]):
            _race(server, result)
    return result


def _judge(result: Result, kind: str, what: str, answer: Answer) -> None:
    result.count(kind)
    if answer.is_fault:
        result.count("faults")
        result.fail(f"{what}: {answer.status} {answer.body[:200]!r}")


# -- made from the description ---------------------------------------------------------------------------------------


def _fuzz(server: Served, result: Result, described: Any, examples: int) -> None:
    with requests.Session() as session:
        for found in schemathesis.openapi.from_dict(described).get_all_operations():
            result.count("operations")
            read: Any = found  # an operation that the description does not describe raises here
            _fuzz_one(server, result, session, read.ok(), examples)


def _fuzz_one(server: Served, result: Result, session: requests.Session, operation: Any, examples: int) -> None:
    @seed(8)
    @settings(
        max_examples=examples,
        phases=[Phase.generate],
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def one(case: Any) -> None:
        asked = case.as_transport_kwargs(base_url=server.url)
        headers = {**(asked.pop("headers", None) or {}), "Authorization": f"Bearer {server.token}"}
        try:
            said = session.request(**asked, headers=headers, timeout=BOUND)
            answer = Answer(said.status_code, said.content)
        except requests.RequestException as error:
            answer = Answer(0, str(error).encode())
        _judge(result, "fuzzed requests", f"{case.method} {case.formatted_path}", answer)

    one()


# -- numbers and depths ----------------------------------------------------------------------------------------------


def _huge(described: Any) -> Iterator[Asked]:
    """Numbers that no column holds, in every place of a path or query, and in every field of a body."""
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            verb = method.upper()
            for number in HUGE:
                there = path.replace("{run}", f"r{number}").replace("{id}", number).replace("{hash}", number)
                yield verb, there, {} if verb in ("POST", "PATCH") else None
                here = path.replace("{run}", "r1").replace("{id}", number).replace("{hash}", "00" * 16)
                query = "&".join(f"{p['name']}={number}" for p in operation.get("parameters", ()) if p["in"] == "query")
                yield verb, f"{here}?{query}", _body(described, operation, number)


def _body(described: Any, operation: Any, number: str) -> Any:
    """A body whose fields all hold a number."""
    asked = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if asked is None:
        return None
    schema = next((part for part in (asked, *asked.get("anyOf", ())) if "$ref" in part), asked)
    if "$ref" not in schema:
        return None
    fields = described["components"]["schemas"][schema["$ref"].rpartition("/")[2]]["properties"]
    value = json.loads(number) if number.lstrip("-").isdecimal() and number.isascii() and len(number) < 4000 else number
    return {name: [value] if told.get("type") == "array" else value for name, told in fields.items()}


def _deep(depths: Sequence[int]) -> Iterator[Asked]:
    """Values inside values, where a request takes any."""
    for depth in depths:
        for left, right in ("[", "]"), ('{"a":', "}"):
            value = (left * depth + ("1" if left != "[" else "") + right * depth).encode()
            yield "POST", "/api/runs", b'{"spec": "program.py:main", "input": ' + value + b"}"
            yield "POST", "/api/runs", b'{"spec": "program.py:main", "config": {"a": ' + value + b"}}"
            edit = b'{"op": "mock_output", "component": "writer", "value": ' + value + b"}"
            yield "POST", "/api/runs", b'{"spec": "program.py:main", "edits": [' + edit + b"]}"
            yield "POST", "/api/runs/r1/fork", b'{"at": 0, "edits": [' + edit + b"]}"
            yield (
                "POST",
                "/api/runs/r1/annotations",
                b'{"kind": "feedback", "data": {"a": ' + value + b"}}",
            )
            yield "POST", "/api/mocks", b'{"document": ' + value + b"}"
            yield "POST", "/api/runs/r1/send", b'{"component": "writer", "value": ' + value + b"}"
            yield "POST", "/api/runs/r1/release", b'{"verb": "serve", "value": ' + value + b"}"
            yield "POST", "/api/runs", value
            yield "POST", "/api/import?name=x", value
    for run in ("r1", "r2", "r3"):
        for path in (
            "",
            "/report",
            "/describe",
            "/outline",
            "/records?bodies=true",
            "/trace",
            "/pending",
            "/annotations",
        ):
            yield "GET", f"/api/runs/{run}{path}", None
    for path in ("/api/runs", "/api/tree", "/api/events", "/plain", "/api/runs/r1/events"):
        yield "GET", path, None


# -- races -----------------------------------------------------------------------------------------------------------


def _race(server: Served, result: Result) -> None:
    """A run is deleted while it is forked, renamed, annotated and read."""
    run = server.record()
    asked: list[Asked] = [
        ("DELETE", f"/api/runs/{run}", None),
        ("POST", f"/api/runs/{run}/fork", {"at": 0}),
        ("POST", f"/api/runs/{run}/fork", {"at": 1, "headless": True}),
        ("POST", f"/api/runs/{run}/annotations", {"kind": "feedback", "text": "x"}),
        ("PATCH", f"/api/runs/{run}", {"name": "x"}),
        ("GET", f"/api/runs/{run}", None),
        ("GET", f"/api/diff?a={run}&b=r1", None),
        ("GET", "/api/tree", None),
    ]
    begin = threading.Barrier(len(asked))

    def one(method: str, path: str, body: Any) -> None:
        begin.wait(BOUND)
        _judge(result, "raced requests", f"{method} {path} in a race", server.ask(method, path, body))

    threads = [threading.Thread(target=one, args=each) for each in asked]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    result.count("races")
    known = {found["run"]: found for found in json.loads(server.ask("GET", "/api/runs").body)}
    for found in known.values():
        if found["parent"] is not None and found["parent"] not in known:
            result.fail(f"{found['run']} was left without its parent {found['parent']}")
