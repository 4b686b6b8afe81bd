"""Every parser of text and JSON that others write: what it is given is made up (Hypothesis), near what it takes.

Each raises nothing but what it documents, and takes a bounded time.
"""

from __future__ import annotations

import contextlib
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from attacks.result import Result, Size
from outtake.core.checking import Misfit, check_record
from outtake.core.provenance import seek
from outtake.service import WrongUse, config, logs
from outtake.service.mocks import read_mocks
from outtake_probe import notebooks
from outtake_probe.bodies import Unresolvable, digest, references, resolve
from outtake_probe.codec import Opaque, decode, decode_error
from outtake_probe.conditions import BadCondition
from outtake_probe.conditions import parse as parse_condition
from outtake_probe.edits import FIELDS, OPS, BadEdit, edit_from
from outtake_probe.patterns import OPERATORS, check_pattern, matches
from outtake_probe.records import KINDS, from_json
from outtake_probe.specs import MODULE, BadSpec, parse_spec
from outtake_probe.wire import HEAD, ProtocolError, pack, read_frames

EXAMPLES: dict[Size, int] = {"short": 40, "full": 1000}
"""Inputs for each parser."""
SECONDS = 5.0
"""For one input."""

TEXT = (
    st.text(max_size=30) | st.text(st.characters(), max_size=30) | st.sampled_from(("", "\ud800", "\0", "r1", "[z-a"))
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | TEXT | st.just(10**400)
JSON = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4))


def near(*names: str, **known: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Objects with fields that are known, of any value or of one that fits, and now and then another field."""
    fields = dict.fromkeys(names, JSON) | {name: value | JSON for name, value in known.items()}
    some = st.fixed_dictionaries({}, optional=fields)
    return some | st.builds(lambda a, b: {**b, **a}, some, st.dictionaries(TEXT, JSON, max_size=1)) | JSON


def notebook(value: Any) -> bytes:
    return notebooks.text(json.dumps(value).encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Parser:
    parse: Callable[[Any], object]
    inputs: st.SearchStrategy[Any]
    raises: tuple[type[Exception], ...]


def _record_fields() -> tuple[str, ...]:
    return tuple(sorted({name for cls in KINDS.values() for name in cls.__dataclass_fields__}))


def _frames(data: bytes) -> list[object]:
    return list(read_frames(data))


_HEADERS = near("t", "nodes", t=TEXT, nodes=st.lists(st.tuples(TEXT, st.integers(-5, 50)), max_size=3))
FRAMES = (
    st.binary(max_size=200)
    | _HEADERS.map(lambda header: json.dumps(header).encode()).map(lambda h: HEAD.pack(len(h), 0) + h)
    | st.builds(pack, TEXT, st.dictionaries(st.text(max_size=5), st.integers()))
)
TAGS = st.sampled_from(
    (
        "int",
        "float",
        "bytes",
        "tuple",
        "set",
        "frozenset",
        "datetime",
        "enum",
        "dataclass",
        "model",
        "exception",
        "path",
    )
)
ENCODED = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.fixed_dictionaries(
            {"$type": TAGS | inner},
            optional={
                "class": inner
                | st.sampled_from(("builtins:int", "builtins:eval", "os:system", "no.such:Class", "json:x")),
                **dict.fromkeys(("hex", "value", "items", "fields", "args", "state", "data", "repr", "message"), inner),
            },
        )
    ),
)
_NAMES = [digest(str(number).encode()) for number in range(4)]
NODES = st.recursive(
    LEAVES | st.builds(lambda name: {"\0": name}, st.sampled_from(_NAMES) | LEAVES),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(TEXT | st.sampled_from(("\0", "\0list", "\0text")), inner, max_size=2)
    ),
)
CONDITIONS = st.text(max_size=60) | st.lists(
    st.sampled_from(
        (
            "agent",
            "tool",
            "text",
            "error",
            "type",
            "cost",
            "tokens",
            "nth",
            ":",
            "~",
            ">",
            '"',
            "[z-a",
            "*",
            "9" * 5000,
            " ",
            ",",
        )
    ),
    max_size=8,
).map("".join)
TOML = st.text(max_size=80) | st.builds(
    lambda table, key, value: f"[{table}]\n{json.dumps(key)} = {value}\n",
    st.sampled_from(("effects", "redact", "state", "x", "effects.a")),
    st.text(max_size=8),
    st.sampled_from(('"read"', '"poem"', "1", "[]", '["[z-a"]', "{}", '["a", 1]', "true", "1979-05-27", "inf")),
)
LOGS = near(
    *("question", "history", "mistake_step", "mistake_agent", "ground_truth", "system_prompt", "is_correct"),
    question=TEXT,
    history=st.lists(near("role", "name", "content", role=TEXT, content=TEXT), max_size=4),
    mistake_step=TEXT,
)


def _resolved(nodes: list[Any]) -> None:
    """A few nodes that refer to each other, in circles, too, which no hash would let happen."""
    texts = {name: json.dumps(node).encode() for name, node in zip(_NAMES, nodes, strict=False)}
    for text in texts.values():
        references(json.loads(text))
    resolve(_NAMES[0], texts.__getitem__)


def _pattern(pattern: Any) -> None:
    check_pattern(pattern)
    matches(pattern, {"a": [1, "x"], "b": None})


def parsers(folder: Path) -> dict[str, Parser]:
    """All parsers, by what they take."""
    log, toml = folder / "log.json", folder / "outtake.toml"

    def read_log(data: Any) -> None:
        log.write_text(json.dumps(data), "utf-8")
        logs.read(log, "log.json", 1e9)

    def read_settings(text: str) -> None:
        toml.write_text(text, "utf-8", errors="surrogatepass")
        config.settings(str(folder))

    edits = near(*FIELDS, op=st.sampled_from(OPS), seq=st.integers(), component=TEXT, where=JSON)
    records = near(*_record_fields(), kind=st.sampled_from(sorted(KINDS)), seq=st.integers(), at=st.floats())
    operators = st.dictionaries(st.sampled_from(OPERATORS) | TEXT, JSON, max_size=2)
    mocks = near(
        "mocks", "live", mocks=st.lists(near("component", "tool", "model", "output", "raise", "when"), max_size=3)
    )
    return {
        "edits": Parser(edit_from, edits, (BadEdit,)),
        "conditions": Parser(parse_condition, CONDITIONS, (BadCondition,)),
        "patterns": Parser(_pattern, operators | JSON, (ValueError,)),
        "mocks": Parser(read_mocks, mocks, (WrongUse,)),
        "outtake.toml": Parser(read_settings, TOML, (WrongUse,)),
        "records": Parser(from_json, records, (ValueError,)),
        "records of strangers": Parser(lambda data: check_record(data, "it"), records, (Misfit,)),
        "frames": Parser(_frames, FRAMES, (ProtocolError,)),
        "values": Parser(decode, ENCODED, (Opaque,)),
        "errors": Parser(decode_error, ENCODED.filter(lambda value: isinstance(value, dict)), ()),
        "bodies": Parser(_resolved, st.lists(NODES, min_size=1, max_size=4), (Unresolvable, KeyError)),
        "logs": Parser(read_log, LOGS, (WrongUse,)),
        "specs": Parser(parse_spec, st.text(max_size=60) | st.text(max_size=60).map(MODULE.__add__), (BadSpec,)),
        "notebooks": Parser(notebook, near("cells", cells=st.lists(near("cell_type", "source"))), (ValueError,)),
        "texts to seek": Parser(seek, st.text(max_size=60), (ValueError,)),
    }


def attack(size: Size) -> Result:
    """Every parser on many inputs."""
    result = Result("parsers")
    with tempfile.TemporaryDirectory(prefix="outtake-attack-") as name, contextlib.chdir(name):
        for told, parser in parsers(Path(name)).items():
            result.count("parsers")
            with _told(result, told):
                _try(parser, told, EXAMPLES[size], result)
    return result


def _try(parser: Parser, told: str, examples: int, result: Result) -> None:
    @seed(8)
    @settings(
        max_examples=examples,
        phases=[Phase.generate, Phase.shrink],
        deadline=None,
        database=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(parser.inputs)
    def one(value: Any) -> None:
        began = time.monotonic()
        with contextlib.suppress(*parser.raises):
            parser.parse(value)
        result.count("inputs")
        if time.monotonic() - began > SECONDS:
            result.fail(f"{told}: {value!r:.200} took more than {SECONDS} s")

    one()


@contextlib.contextmanager
def _told(result: Result, told: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # noqa: BLE001  that nothing else is raised is what is tried
        notes = " ".join(getattr(error, "__notes__", ()))
        result.fail(f"{told}: {type(error).__name__}: {error!s:.200} ({notes:.300})")
