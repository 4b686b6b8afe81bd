"""Exports that no Outtake has written: one that is whole, and every way to change a part of it."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from outtake_probe.bodies import digest

Parts = dict[str, bytes]
"""What an archive holds, by name."""
Hostile = tuple[str, bytes]
"""What is wrong with a file, and the file."""

VALUES: tuple[Any, ...] = (None, "x", -1, 2**70, 1.5, True, [], {}, [[]], "\ud800", "r1", 10**6)
"""What a field holds instead."""
DEEP = b"[" * 100_000 + b"]" * 100_000


def unpacked(file: bytes) -> Parts:
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(parts: Parts, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return out.getvalue()


def hostile(file: bytes, every: int = 1) -> Iterator[Hostile]:
    """Files made from one that is whole; `every`: one in so many of those that differ in a field only."""
    for number, found in enumerate(_fields(unpacked(file))):
        if number % every == 0:
            yield found
    yield from _shapes(unpacked(file))
    yield from _archives(file)
    yield from _bytes(file, every)


# -- one field is another --------------------------------------------------------------------------------------------


def _fields(parts: Parts) -> Iterator[Hostile]:
    manifest = json.loads(parts["manifest.json"])
    for told, change in _changes(manifest):
        yield f"manifest: {told}", packed({**parts, "manifest.json": json.dumps(change).encode()})
    for name in [name for name in parts if name.startswith("runs/")]:
        records = [json.loads(line) for line in parts[name].splitlines()]
        for place in {0, 1, len(records) // 2, len(records) - 1}:
            for told, record in _changes(records[place]):
                changed = [*records[:place], record, *records[place + 1 :]]
                yield f"{name}:{place}: {told}", packed({**parts, name: _lines(changed)})


def _changes(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """A value with one thing in it changed, taken away, or added."""
    for other in VALUES:
        yield f"{path} is {other!r}", other
    if isinstance(value, dict):
        yield f"{path} has a field more", {**value, "poem": 1}
        for key in value:
            yield f"{path} has no {key}", {name: item for name, item in value.items() if name != key}
            for told, changed in _changes(value[key], f"{path}.{key}"):
                yield told, {**value, key: changed}
    elif isinstance(value, list) and value:
        for told, changed in _changes(value[0], f"{path}[0]"):
            yield told, [changed, *value[1:]]


def _lines(records: list[Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


# -- what records and bodies refer to --------------------------------------------------------------------------------


def _shapes(parts: Parts) -> Iterator[Hostile]:
    name = next(name for name in parts if name.startswith("runs/"))
    records = [json.loads(line) for line in parts[name].splitlines()]
    shapes: dict[str, Callable[[dict[str, Any]], Any]] = {
        "is in itself": lambda r: {**r, "parent": r["seq"]},
        "is in a later one": lambda r: {**r, "parent": r["seq"] + 1},
        "is of itself": lambda r: {**r, "invocation": r["seq"] + 2},
        "is caused by itself": lambda r: {**r, "caused_by": [r["seq"]]},
        "delivers itself": lambda r: {**r, "message": r["seq"]},
        "has a body that is not there": lambda r: {**r, "body": "0" * 32},
        "has a hole before it": lambda r: {**r, "seq": r["seq"] * 10**6},
        "is at no time": lambda r: {**r, "at": 1e308},
    }
    for told, shape in shapes.items():
        yield f"every record {told}", packed({**parts, name: _lines([shape(r) for r in records])})
    yield "records come twice", packed({**parts, name: _lines(records + records)})
    yield "records come backwards", packed({**parts, name: _lines(records[::-1])})
    yield "a deep record", packed({**parts, name: parts[name] + DEEP + b"\n"})
    yield "a deep manifest", packed({**parts, "manifest.json": DEEP})
    manifest = json.loads(parts["manifest.json"])
    (first, *_) = manifest["runs"]
    for told, runs in {
        "two runs have one name": [first, first],
        "a run is forked from itself": [{**first, "fork": {"parent": first["id"], "cut": 1}}],
        "a run is forked from one that is not there": [{**first, "fork": {"parent": "r99", "cut": 1}}],
        "too many runs": [{**first, "id": f"r{n}"} for n in range(5000)],
    }.items():
        yield told, packed({**parts, "manifest.json": json.dumps({**manifest, "runs": runs}).encode()})
    for told, nodes in _bombs():
        top = digest(nodes[-1])
        bodies = b"".join(
            json.dumps([digest(node), base64.b64encode(node).decode()]).encode() + b"\n" for node in nodes
        )
        changed = _lines([{**r, "body": top} if r.get("body") else r for r in records])
        yield told, packed({**parts, name: changed, "nodes.jsonl": parts["nodes.jsonl"] + bodies})


def _bombs() -> Iterator[tuple[str, list[bytes]]]:
    """Small nodes that stand for much: each refers to the one before it, twice and more."""
    for told, form in (
        ("lists in lists", '[{"\\u0000":"%s"},{"\\u0000":"%s"}]'),
        ("cut lists", '{"\\u0000list":[{"\\u0000":"%s"},{"\\u0000":"%s"}]}'),
        ("cut texts", '{"\\u0000text":[{"\\u0000":"%s"},{"\\u0000":"%s"}]}'),
        ("objects", '{"a":{"\\u0000":"%s"},"b":{"\\u0000":"%s"}}'),
    ):
        nodes = [b'"ha"']
        for _ in range(60):
            name = digest(nodes[-1])
            nodes.append((form % (name, name)).encode())
        yield f"{told} that expand to more than there is", nodes
    chain = [b"1"]
    for _ in range(5000):
        chain.append(b'[{"\\u0000":"%s"}]' % digest(chain[-1]).encode())
    yield "a chain of references", chain
    yield "a reference to a number", [b'{"\\u0000":5}']
    yield "a text of numbers", [b'{"\\u0000text":[1,2]}']
    yield "a list that is none", [b'{"\\u0000list":7}']
    yield "no JSON", [b"\xff\xfe"]
    yield "a deep node", [DEEP]


# -- the archive itself ----------------------------------------------------------------------------------------------


def _archives(file: bytes) -> Iterator[Hostile]:
    parts = unpacked(file)
    yield "a gigabyte of nothing", packed({**parts, "runs/r1.jsonl": bytes(300 << 20)})
    yield "a long line", packed({**parts, "nodes.jsonl": b'"' + bytes(70 << 20)})
    yield "many entries", packed({**parts, **{f"x{n}": b"" for n in range(5000)}})
    yield "another way of packing", packed(parts, zipfile.ZIP_BZIP2)
    encrypted = bytearray(file)
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = encrypted.find(mark)
        while place >= 0:
            encrypted[place + at] |= 1
            place = encrypted.find(mark, place + 1)
    yield "an encrypted archive", bytes(encrypted)
    for missing in parts:
        yield f"no {missing}", packed({name: data for name, data in parts.items() if name != missing})
        yield f"nothing in {missing}", packed({**parts, missing: b""})
        yield f"binary in {missing}", packed({**parts, missing: bytes(range(256))})
    yield "a name that leads elsewhere", packed({**parts, "../../../x": b"1"})


def _bytes(file: bytes, every: int) -> Iterator[Hostile]:
    for at in range(0, len(file), max(1, len(file) * every // 400)):
        yield f"byte {at} is another", file[:at] + bytes([file[at] ^ 0x55]) + file[at + 1 :]
        yield f"cut at {at}", file[:at]


def write(folder: Path, file: bytes) -> Path:
    path = folder / "hostile.outtake"
    path.write_bytes(file)
    return path
