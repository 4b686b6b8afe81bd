"""What a client of a released version relies on stays: its operations, what they take, and what they answer."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import cast

import pytest

from outtake.server import openapi
from outtake_probe.records import Json

RELEASED = sorted((Path(__file__).parents[1] / "released").glob("*-api.json.gz"))
TODAY: Json = json.loads(openapi.document())
METHODS = ("get", "put", "post", "patch", "delete")


def broken(old: Json, new: Json) -> Iterator[str]:
    """What a client that was written for the document `old` finds no more, or is asked for in addition, in `new`."""
    for path, methods in old["paths"].items():
        for method in methods.keys() & set(METHODS):
            name, found = f"{method.upper()} {path}", new["paths"].get(path, {}).get(method)
            if found is None:
                yield f"{name} is gone"
            else:
                yield from (f"{name}: {what}" for what in _broken_operation((old, methods[method]), (new, found)))


Part = tuple[Json, Json]
"""A document, and a part of it."""


def _broken_operation(old: Part, new: Part) -> Iterator[str]:
    took, takes = _parameters(old), _parameters(new)
    yield from (f"the parameter {name} is gone" for name in took.keys() - takes.keys())
    for name, parameter in takes.items():
        if parameter.get("required") and not took.get(name, {}).get("required"):
            yield f"the parameter {name} has to be given"
    for kind, body in _contents(old, "requestBody").items():
        yield from _broken_schema((old[0], body), (new[0], _contents(new, "requestBody").get(kind)), "the body", True)
    for kind, answer in _contents(old, "answer").items():
        yield from _broken_schema((old[0], answer), (new[0], _contents(new, "answer").get(kind)), "the answer", False)


def _parameters(part: Part) -> Mapping[str, Json]:
    return {f"{each['name']} in the {each['in']}": each for each in part[1].get("parameters", [])}


def _contents(part: Part, which: str) -> Mapping[str, Json]:
    """The schemas of a body, or of an answer that is no error, by their media type."""
    answers = (answer for status, answer in part[1]["responses"].items() if status.startswith("2"))
    holder = part[1].get(which) if which == "requestBody" else next(answers, None)
    return {kind: content.get("schema", {}) for kind, content in (holder or {}).get("content", {}).items()}


def _broken_schema(old: Part, new: Part, where: str, given: bool, around: tuple[str, ...] = ()) -> Iterator[str]:
    """`given`: the client gives it.  `around` are the names of the schemas that lead here, which may form a loop."""
    name = str(old[1].get("$ref", ""))
    if name and name in around:
        return
    if new[1] is None:
        yield f"{where} is gone"
        return
    was, now, around = _resolved(old), _resolved(new), (*around, name)
    yield from (f"{where}: the type {kind} is gone" for kind in sorted(_types(was) - _types(now)) if _types(now))
    had, has = was.get("properties", {}), now.get("properties", {})
    for key, schema in had.items():
        yield from _broken_schema((old[0], schema), (new[0], has.get(key)), f"{where}, {key}", given, around)
    if given:
        needed = set(now.get("required", [])) - set(was.get("required", []))
        yield from (f"{where}, {key} has to be given" for key in sorted(needed))
    if "items" in was and "items" in now:
        yield from _broken_schema((old[0], was["items"]), (new[0], now["items"]), f"an item of {where}", given, around)


def _resolved(part: Part) -> Json:
    document, schema = part
    while "$ref" in schema:
        found = document
        for key in schema["$ref"].removeprefix("#/").split("/"):
            found = found[key]
        schema = found
    return schema


def _types(schema: Json) -> set[str]:
    options = schema.get("anyOf") or schema.get("oneOf") or [schema]
    return {str(option.get("$ref") or option.get("type")) for option in options if "type" in option or "$ref" in option}


@pytest.mark.parametrize("released", RELEASED, ids=lambda path: path.name)
def test_clients_of_a_released_version_find_everything(released: Path) -> None:
    assert list(broken(json.loads(gzip.decompress(released.read_bytes())), TODAY)) == []


def test_there_is_a_released_document() -> None:
    assert RELEASED


def _drop_operation(document: Json) -> None:
    del document["paths"]["/api/runs"]["get"]


def _drop_property(document: Json) -> None:
    del document["components"]["schemas"]["RunSummary"]["properties"]["status"]


def _need_parameter(document: Json) -> None:
    document["paths"]["/api/runs"]["get"]["parameters"] = [{"name": "q", "in": "query", "required": True}]


def _need_property(document: Json) -> None:
    body = _contents((document, document["paths"]["/api/runs"]["post"]), "requestBody")["application/json"]
    schema = _resolved((document, body))
    schema["required"] = [*schema.get("required", []), "folder"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_drop_operation, "GET /api/runs is gone"),
        (_drop_property, "GET /api/runs: an item of the answer, status is gone"),
        (_need_parameter, "GET /api/runs: the parameter q in the query has to be given"),
        (_need_property, "POST /api/runs: the body, folder has to be given"),
    ],
    ids=["operation", "property", "parameter", "needed"],
)
def test_what_breaks_a_client_is_named(change: Callable[[Json], None], told: str) -> None:
    changed = cast(Json, copy.deepcopy(TODAY))
    change(changed)
    assert told in list(broken(TODAY, changed))
    assert list(broken(TODAY, TODAY)) == []
