"""Python values as JSON and back.

What JSON cannot say is tagged: ``{"$type": "tuple", "items": [...]}``.  Dataclasses, pydantic models, enumerations,
named tuples and exceptions keep the name of their class and come back as that class; everything else is *opaque*: its
representation is shown, but it cannot be brought back, and who needs it must make it again.  Nothing is pickled, and
bringing a value back never runs anything but the constructor of such a data class.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime as dt
import decimal
import enum
import importlib
import itertools
import linecache
import math
import os
import pathlib
import re
import reprlib
import sys
import threading
import traceback
import uuid
from collections.abc import Callable, Mapping
from types import FrameType, TracebackType
from typing import Any

from outtake_probe.faults import is_from_signal_handler
from outtake_probe.records import Json
from outtake_probe.redaction.names import is_secret, telling
from outtake_probe.redaction.text import MARK

TAG = "$type"
DEPTH = 40
"""Levels that are encoded of a value."""
REPEATS = 20_000
"""How often parts of one value are encoded that it holds more than once: a few that hold each other again and again
make a value without end."""
MANY = 200_000
"""Items that are encoded of a mapping that is no dict: one of the user's may never end."""
_BITS = 14_000
"""Bits of an integer that surely has fewer digits than Python reads and writes."""
REPR = 400
FRAMES = 20
"""Frames of an error that are shown."""
INNERMOST = 2
"""Frames that are shown in any case: where it happened."""
_STANDARD = os.path.dirname(os.__file__) + os.sep
_ADDRESS = re.compile(r"(?: at)? 0x[0-9a-fA-F]{6,}")


@dataclasses.dataclass(frozen=True, slots=True)
class Family:
    """Classes with a coding of their own: all subclasses of `base` are written as ``{"$type": name, ...}``."""

    name: str
    base: type
    to_json: Callable[[Any, int], dict[str, Json]]
    """Of a value and the depth at which it stands: what the tagged object holds beside its tag."""
    from_json: Callable[[Json], object]


_families: dict[str, Family] = {}
_family_of: dict[type, Family | None] = {}
_known: dict[str, type] = {}


def register(family: Family) -> None:
    """Write and read a family of classes as its adapter says; one of the same name is replaced."""
    _families[family.name] = family
    _family_of.clear()


def know(cls: type) -> None:
    """This class can be found again by its name although no module holds it: it was made inside a function."""
    _known[class_name(cls)] = cls


class Opaque(ValueError):
    """A recorded value cannot be brought back; the message says what it was."""


def safe_repr(value: object, limit: int = REPR) -> str:
    """A bounded representation without memory addresses; never raises."""
    try:
        text = _ADDRESS.sub("", str.__str__(_short.repr(value)))
    except Exception as error:  # noqa: BLE001  the user's __repr__ is the boundary
        text = f"<{type.__getattribute__(type(value), '__name__')}, whose repr raised {type(error).__name__}>"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def safe_str(value: object) -> str:
    """What a value says of itself; never raises."""
    try:
        return str.__str__(str(value))
    except Exception:  # noqa: BLE001  the user's __str__ is the boundary
        return safe_repr(value)


class _Short(reprlib.Repr):
    """Representations of built-in collections that are bounded in width and depth; of others, their own."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 3
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdeque = self.maxarray = 30
        self.maxdict = 30
        self.maxstring = self.maxlong = self.maxother = 4 * REPR

    def repr_instance(self, x: object, level: int) -> str:
        return repr(x)

    def repr_int(self, x: int, level: int) -> str:
        return repr(x) if x.bit_length() < _BITS else hex(x)


_short = _Short()


def class_name(cls: type) -> str:
    """The name by which a class is found again: ``module:qualname``."""
    try:
        return f"{_called.get(cls.__module__, cls.__module__)}:{cls.__qualname__}"
    except Exception:  # noqa: BLE001  a metaclass of the user's is the boundary
        return f":{type.__getattribute__(cls, '__name__')}"


_called: dict[str, str] = {}


def alias(module: str, name: str) -> None:
    """Call a module by another name, which it has where its file is imported."""
    _called[module] = name


class _Walk(threading.local):
    """Where the encoding of a value is: what encloses the part that is looked at, and what was seen of it before."""

    def __init__(self) -> None:
        self.around: set[int] = set()
        self.seen: set[int] = set()
        self.repeats = 0


_walk = _Walk()


def encode(value: object, depth: int = 0) -> Json:
    """`value` as JSON; opaque parts are tagged and named, see `is_opaque`.  Never raises what the value does."""
    cls = type(value)
    if cls in _EXACT:
        return value
    if cls is int and isinstance(value, int):
        return value if value.bit_length() < _BITS else {TAG: "int", "hex": hex(value)}
    if cls is float and isinstance(value, float):
        return value if math.isfinite(value) else {TAG: "float", "value": repr(value)}
    if _walk.around:
        return _part(value, depth)
    _walk.seen.clear()
    _walk.repeats = 0
    return _part(value, depth)


def _part(value: object, depth: int) -> Json:
    """A part of a value that may have parts itself, or methods of the user's."""
    around = _walk.around
    is_repeated = id(value) in _walk.seen
    _walk.repeats += is_repeated
    _walk.seen.add(id(value))
    if depth > DEPTH or id(value) in around or _walk.repeats > REPEATS:
        return {TAG: "opaque", "class": class_name(type(value)), "repr": "…"} if is_repeated else opaque(value)
    around.add(id(value))
    try:
        return _collection(value, depth)
    except Exception as error:
        if is_from_signal_handler(error):
            raise
        return opaque(value)
    finally:
        around.discard(id(value))


def _collection(value: object, depth: int) -> Json:
    if issubclass(type(value), (str, int)) and not isinstance(value, enum.Enum):
        return _scalar(value)
    if type(value) is list:
        return [encode(item, depth + 1) for item in value]
    if type(value) is dict:
        return _mapping(value, depth)
    encoder = _ENCODERS.get(type(value))
    if encoder is not None:
        return encoder(value, depth)
    return _instance(value, depth)


_EXACT = frozenset((str, bool, type(None)))


def _scalar(value: object) -> Json:
    """The plain value of an instance of a subclass."""
    if isinstance(value, str):
        return str.__str__(value)
    return encode(int.__int__(value))  # type: ignore[arg-type]


def _mapping(value: Mapping[object, object], depth: int) -> Json:
    items = list(value.items()) if type(value) is dict else _bounded(value)
    if all(type(key) is str for key, _ in items) and TAG not in value:
        return {key: encode(item, depth + 1) for key, item in items}
    return {TAG: "dict", "items": [[encode(k, depth + 1), encode(v, depth + 1)] for k, v in items]}


def _bounded(value: Mapping[object, object]) -> list[tuple[object, object]]:
    """The items of a mapping of the user's, which may never end."""
    found = [(key, item) for key, item in itertools.islice(value.items(), MANY + 1)]
    if len(found) > MANY:
        raise Opaque("a mapping without end")
    return found


def _sorted_items(value: frozenset[object] | set[object], depth: int) -> Json:
    return sorted((encode(item, depth + 1) for item in value), key=repr)


_ENCODERS: dict[type, Callable[[Any, int], Json]] = {
    tuple: lambda v, d: {TAG: "tuple", "items": [encode(item, d + 1) for item in v]},
    set: lambda v, d: {TAG: "set", "items": _sorted_items(v, d)},
    frozenset: lambda v, d: {TAG: "frozenset", "items": _sorted_items(v, d)},
    bytes: lambda v, _: {TAG: "bytes", "base64": base64.b64encode(v).decode()},
    dt.datetime: lambda v, _: {TAG: "datetime", "value": v.isoformat()},
    dt.date: lambda v, _: {TAG: "date", "value": v.isoformat()},
    dt.time: lambda v, _: {TAG: "time", "value": v.isoformat()},
    dt.timedelta: lambda v, _: {TAG: "timedelta", "days": v.days, "seconds": v.seconds, "microseconds": v.microseconds},
    decimal.Decimal: lambda v, _: {TAG: "decimal", "value": str(v)},
    uuid.UUID: lambda v, _: {TAG: "uuid", "value": str(v)},
}

_DECODERS: dict[str, Callable[[Json], object]] = {
    "tuple": lambda v: tuple(decode(item) for item in v["items"]),
    "set": lambda v: {decode(item) for item in v["items"]},
    "frozenset": lambda v: frozenset(decode(item) for item in v["items"]),
    "dict": lambda v: {decode(key): decode(item) for key, item in v["items"]},
    "bytes": lambda v: base64.b64decode(v["base64"]),
    "float": lambda v: float(v["value"]),
    "int": lambda v: int(v["hex"], 16),
    "datetime": lambda v: dt.datetime.fromisoformat(v["value"]),
    "date": lambda v: dt.date.fromisoformat(v["value"]),
    "time": lambda v: dt.time.fromisoformat(v["value"]),
    "timedelta": lambda v: dt.timedelta(v["days"], v["seconds"], v["microseconds"]),
    "decimal": lambda v: decimal.Decimal(v["value"]),
    "uuid": lambda v: uuid.UUID(v["value"]),
    "path": lambda v: pathlib.Path(v["value"]),
    "class": lambda v: find_class(v["class"], object),
    "enum": lambda v: find_class(v["class"], enum.Enum)[v["name"]],
    "dataclass": lambda v: _build_dataclass(v),  # noqa: PLW0108  defined below
    "model": lambda v: _build_model(v),  # noqa: PLW0108  defined below
    "namedtuple": lambda v: find_class(v["class"], tuple)(*map(decode, v["items"])),
    "exception": lambda v: decode_error(v),  # noqa: PLW0108  defined below
}


def _family(cls: type) -> Family | None:
    if cls not in _family_of:
        found = [family for family in _families.values() if issubclass(cls, family.base)]
        _family_of[cls] = max(found, key=lambda family: len(family.base.__mro__), default=None)
    return _family_of[cls]


def _instance(value: object, depth: int) -> Json:
    cls = type(value)
    name = class_name(cls)
    family = _family(cls)
    if family is not None and is_found(cls):
        return {TAG: family.name, **family.to_json(value, depth)}
    if isinstance(value, type):
        return {TAG: "class", "class": class_name(value)} if is_found(value) else opaque(value)
    if isinstance(value, enum.Enum) and is_found(cls):
        return {TAG: "enum", "class": name, "name": value.name}
    if isinstance(value, pathlib.PurePath):
        return {TAG: "path", "value": str(value)}
    if dataclasses.is_dataclass(value):
        fields = {f.name: encode(getattr(value, f.name, None), depth + 1) for f in dataclasses.fields(value)}
        return {TAG: "dataclass" if is_found(cls) else "opaque", "class": name, "fields": fields}
    if is_model(value):
        tag = "model" if is_found(cls) else "opaque"
        return {TAG: tag, "class": name, "fields": _model_fields(value, depth)}
    if isinstance(value, tuple) and hasattr(value, "_fields") and is_found(cls):
        return {TAG: "namedtuple", "class": name, "items": [encode(i, depth + 1) for i in tuple.__iter__(value)]}
    if isinstance(value, BaseException):
        return encode_error(value, depth)
    if isinstance(value, Mapping):
        return {TAG: "opaque", "class": name, "value": _mapping(value, depth)}
    return opaque(value)


def is_model(value: object) -> bool:
    """Whether `value` is a pydantic model, determined without importing pydantic."""
    return hasattr(type(value), "model_fields") and hasattr(value, "model_dump")


def _model_fields(value: object, depth: int) -> Json:
    own = {name: getattr(value, name, None) for name in type(value).model_fields}  # type: ignore[attr-defined]
    extra = getattr(value, "model_extra", None) or {}
    return {name: encode(item, depth + 1) for name, item in {**own, **extra}.items()}


def opaque(value: object) -> Json:
    """What is shown of a value that cannot be brought back."""
    return {TAG: "opaque", "class": class_name(type(value)), "repr": safe_repr(value)}


def is_opaque(value: Json) -> bool:
    """Whether any part of an encoded value cannot be brought back."""
    if isinstance(value, dict):
        return value.get(TAG) == "opaque" or any(is_opaque(item) for item in value.values())
    return isinstance(value, list) and any(is_opaque(item) for item in value)


def decode(value: Json) -> Any:
    """The Python value of an encoded one.  Raises `Opaque` where a part cannot be brought back."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    tag = value.get(TAG)
    if tag is None:
        return {key: decode(item) for key, item in value.items()}
    build = _decoder(tag) if isinstance(tag, str) else None
    if build is None:
        raise Opaque(f"{value.get('class', tag)} cannot be brought back from the record: {value.get('repr', '')}")
    try:
        return build(value)
    except Opaque:
        raise
    except Exception as error:
        told = f"{type(error).__name__}: {error}"
        raise Opaque(f"{value.get('class', tag)!s:.100} cannot be brought back from the record: {told}") from error


def _decoder(tag: str) -> Callable[[Json], object] | None:
    family = _families.get(tag)
    return _DECODERS.get(tag) or (family.from_json if family is not None else None)


def is_found(cls: type) -> bool:
    """Whether a class can be found again by its name."""
    return "<locals>" not in cls.__qualname__ or class_name(cls) in _known


def find_class(name: str, base: type) -> type[Any]:
    """The class of that name (``module:qualname``), if it is a `base`.  Raises `Opaque`."""
    module_name, _, qualname = name.partition(":")
    if name in _known and issubclass(_known[name], base):
        return _known[name]
    try:
        module = next((own for own, called in _called.items() if called == module_name), module_name)
        found: Any = sys.modules.get(module) or importlib.import_module(module)
        for part in qualname.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise Opaque(f"class {name} is not there: {error}") from error
    if not (isinstance(found, type) and (base is object or issubclass(found, base))):
        raise Opaque(f"{name} is no {base.__name__}")
    return found


def _build_dataclass(value: Json) -> object:
    cls = find_class(value["class"], object)
    if not dataclasses.is_dataclass(cls):
        raise Opaque(f"{value['class']} is no dataclass any more")
    made = object.__new__(cls)
    for name, item in value["fields"].items():
        object.__setattr__(made, name, decode(item))
    return made


def _build_model(value: Json) -> object:
    cls = find_class(value["class"], object)
    if not hasattr(cls, "model_validate"):
        raise Opaque(f"{value['class']} is no pydantic model any more")
    fields = {name: decode(item) for name, item in value["fields"].items()}
    return cls.model_construct(**fields)


def encode_error(error: BaseException, depth: int = 0) -> Json:
    """An exception with its class, arguments, message and plain attributes, able to be raised again."""
    told: dict[str, Json] = {TAG: "exception", "class": class_name(type(error)), "message": _message(error)}
    try:
        args = encode(list(_args(error)), depth + 1)
        held = vars(error)
        state = {k: encode(v, depth + 1) for k, v in dict.items(held) if not k.startswith("__")}
    except Exception:  # noqa: BLE001  the user's class is the boundary
        args, state = [], {}
    return {**told, "args": args, "state": {k: v for k, v in state.items() if not is_opaque(v)}}


def _args(error: BaseException) -> tuple[Any, ...]:
    """Its arguments as Python keeps them, whatever its class says."""
    return BaseException.args.__get__(error)  # type: ignore[attr-defined,no-any-return]


def _message(error: BaseException) -> str:
    """What an exception says.  Arguments that are collections are shown in brief: some have no end."""
    try:
        if type(error).__str__ in _PLAIN and any(isinstance(arg, _COLLECTIONS) for arg in _args(error)):
            return ", ".join(safe_repr(arg, 10 * REPR) for arg in _args(error))
        return str.__str__(str(error))
    except Exception:  # noqa: BLE001  the user's __str__ is the boundary
        return safe_repr(error)


_PLAIN = (BaseException.__str__, KeyError.__str__)
_COLLECTIONS = (list, tuple, dict, set, frozenset, BaseException)


class RecordedError(Exception):
    """A recorded error whose class is not there any more; the message names it."""


def decode_error(value: Json) -> BaseException:
    """The exception to raise for a recorded error."""
    try:
        cls = find_class(value["class"], BaseException)
        args = tuple(decode(item) for item in value.get("args", []))
        state = {k: decode(v) for k, v in value.get("state", {}).items()}
        error: BaseException = cls.__new__(cls, *args)
        error.args = args
        error.__dict__.update(state)
    except Exception:  # noqa: BLE001  a class of the user's that is not what it was, or cannot be made like that
        return RecordedError(f"{value.get('class')}: {value.get('message')}")
    return error


LEAST_SECRET = 6
"""Characters from which the value of such a variable is looked for."""
_IDENTITY = frozenset({TAG, "class"})
AROUND = 3
LONGEST_LINE = 200


def describe_error(error: BaseException) -> Json:
    """`encode_error` with the frames that led to it: file, line, source and bounded locals.

    What variables with telling names hold is left out everywhere in it.
    """
    try:
        frames, secrets = _frames(error.__traceback__), _secrets(error.__traceback__)
    except Exception:  # noqa: BLE001  its frames hold objects of the user's
        frames, secrets = [], []
    told = {**encode_error(error), "frames": frames}
    return _without(told, re.compile("|".join(map(re.escape, secrets)))) if secrets else told


def _secrets(trace: TracebackType | None) -> list[str]:
    """Values of variables with telling names around an error: its message may say them."""
    found = {
        value
        for frame, _ in traceback.walk_tb(trace)
        if "outtake_probe" not in frame.f_globals.get("__name__", "") and not _installed(frame.f_code.co_filename)
        for name, value in frame.f_locals.items()
        if type(value) is str and LEAST_SECRET <= len(value) <= REPR and is_secret(telling(name), value)
    }
    return sorted(found, key=len, reverse=True)


def _without(value: Json, secrets: re.Pattern[str]) -> Json:
    if isinstance(value, str):
        return secrets.sub(MARK, value)
    if isinstance(value, dict):
        return {name: item if name in _IDENTITY else _without(item, secrets) for name, item in value.items()}
    return [_without(item, secrets) for item in value] if isinstance(value, list) else value


def _frames(trace: TracebackType | None) -> list[Json]:
    """The frames of the program's own code, and the innermost ones whoever they belong to."""
    walked = [pair for pair in traceback.walk_tb(trace) if "outtake_probe" not in pair[0].f_globals.get("__name__", "")]
    last = len(walked) - INNERMOST
    own = [pair for n, pair in enumerate(walked) if n >= last or not _installed(pair[0].f_code.co_filename)]
    return [_frame(frame, line) for frame, line in own[-FRAMES:]]


def _installed(file: str) -> bool:
    """Whether a file belongs to an installed package or to Python itself: it only passes the call on."""
    return file.startswith(("<frozen", _STANDARD)) or "site-packages" in file or "dist-packages" in file


def _frame(frame: FrameType, line: int) -> Json:
    code = frame.f_code
    held = [(name, value) for name, value in frame.f_locals.items() if not name.startswith("__")]
    return {
        "file": code.co_filename,
        "line": line,
        "function": code.co_name,
        "source": linecache.getline(code.co_filename, line, frame.f_globals).strip(),
        "around": _around(linecache.getlines(code.co_filename, frame.f_globals), line),
        "locals": {name: safe_repr(value, 160) for name, value in held[:30]},
    }


def _around(lines: list[str], line: int) -> Json:
    """Some lines of source before and after one; `first` is the number of the first of them."""
    first = max(1, line - AROUND)
    return {"first": first, "lines": [text.rstrip()[:LONGEST_LINE] for text in lines[first - 1 : line + AROUND]]}
