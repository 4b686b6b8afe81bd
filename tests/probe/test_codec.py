"""Values: Python as JSON and back; what cannot come back says so; nothing is run on the way."""

from __future__ import annotations

import dataclasses
import datetime as dt
import decimal
import enum
import math
import pathlib
import uuid
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outtake_probe.codec import (
    Opaque,
    RecordedError,
    decode,
    decode_error,
    describe_error,
    encode,
    is_opaque,
    safe_repr,
)


class Colour(enum.Enum):
    RED = "red"


class Point(NamedTuple):
    x: int
    y: int


@dataclasses.dataclass(frozen=True)
class Order:
    name: str
    lines: list[Point]


class Failed(Exception):
    def __init__(self, code: int, *, hint: str) -> None:
        super().__init__(f"code {code}")
        self.code = code
        self.hint = hint


numbers = st.booleans() | st.integers() | st.floats(allow_nan=False)
plain = st.none() | numbers | st.text(max_size=20) | st.binary(max_size=9)
hashable = plain | st.tuples(plain, plain)
anything = st.recursive(
    plain | st.decimals(allow_nan=False) | st.dates() | st.datetimes() | st.uuids() | st.timedeltas(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.dictionaries(hashable, inner, max_size=4)
        | st.sets(hashable, max_size=4)
        | st.frozensets(hashable, max_size=4)
    ),
    max_leaves=12,
)


@given(anything)
def test_values_come_back(value: Any) -> None:
    back = decode(encode(value))
    assert back == value
    assert type(back) is type(value)


@pytest.mark.parametrize(
    "value",
    [
        Colour.RED,
        Point(1, 2),
        Order("a", [Point(1, 2)]),
        pathlib.Path("some/file"),
        decimal.Decimal("1.10"),
        uuid.UUID(int=7),
        dt.time(1, 2),
        {"$type": "not a tag of ours"},
        {1: "one", (2, 3): "pair"},
        math.inf,
    ],
)
def test_classes_come_back(value: object) -> None:
    assert decode(encode(value)) == value


def test_what_cannot_come_back_is_shown_and_says_so() -> None:
    value = encode({"file": object()})
    assert is_opaque(value)
    assert "0x" not in value["file"]["repr"]
    with pytest.raises(Opaque, match="builtins:object"):
        decode(value)


def test_a_name_in_a_log_brings_back_no_class_that_is_no_data() -> None:
    for tag in ("dataclass", "model", "enum", "namedtuple"):
        with pytest.raises(Opaque):
            decode({"$type": tag, "class": "subprocess:Popen", "fields": {"args": "x"}, "items": ["x"], "name": "x"})


def test_errors_come_back_as_what_they_were() -> None:
    error = decode_error(encode(Failed(7, hint="try")))
    assert isinstance(error, Failed)
    assert (str(error), error.code, error.hint) == ("code 7", 7, "try")
    gone = decode_error({"$type": "exception", "class": "no.such.module:Error", "message": "was there"})
    assert isinstance(gone, RecordedError)
    assert "was there" in str(gone)


def test_an_error_is_described_with_its_frames() -> None:
    def fails(number: int) -> None:
        raise ValueError(number)

    with pytest.raises(ValueError, match="3") as caught:
        fails(3)
    frames = describe_error(caught.value)["frames"]
    assert frames[-1]["function"] == "fails"
    assert frames[-1]["locals"] == {"number": "3"}
    assert frames[-1]["source"] == "raise ValueError(number)"


def test_a_representation_never_raises() -> None:
    class Rude:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    assert "RuntimeError" in safe_repr(Rude())
    assert len(safe_repr("x" * 10_000)) == 400
