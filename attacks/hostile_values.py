"""Objects that raise, lie, refer to themselves and never end, as inputs, results and errors of what is debugged.

Each is passed through a plain function and through the gate: both must see the same, and every record must be there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from attacks.result import Result, Size
from tests.probe.inprocess import Log, execute

TRIALS = {"short": 150, "full": 10_000}
_METHODS = (
    *("__repr__", "__str__", "__eq__", "__hash__", "__len__", "__iter__", "__getitem__", "__bool__", "__reduce__"),
    *("__getattribute__", "__getattr__", "__dir__", "__format__", "__int__", "__index__", "__float__", "__call__"),
    *("keys", "items", "values", "get", "model_dump", "model_fields", "__class__", "__dict__", "__name__"),
    *("__fspath__", "__bytes__", "__copy__", "__deepcopy__", "__instancecheck__", "__sizeof__", "__contains__"),
)
_BASES = (object, dict, list, str, int, float, tuple, set, Exception, bytes)


class Hostile(Exception):
    """What the methods of hostile objects raise."""


def _raises(*args: object, **kwargs: object) -> NoReturn:
    raise Hostile("hands off")


def _lies(*args: object, **kwargs: object) -> Any:
    return object()


def _itself(self: object, *args: object, **kwargs: object) -> Any:
    return self


@st.composite
def objects(draw: st.DrawFn) -> object:
    """An instance of a class some of whose methods and attributes do what they should not."""
    base = draw(st.sampled_from(_BASES))
    names = draw(st.lists(st.sampled_from(_METHODS), min_size=1, max_size=6, unique=True))
    body: dict[str, Any] = {}
    for name in names:
        what = draw(st.sampled_from([_raises, _lies, _itself]))
        is_attribute = name in ("__class__", "__dict__", "__name__", "model_fields") or draw(st.booleans())
        body[name] = property(what) if is_attribute else what
    try:
        return type("Odd", (base,), body)()
    except Exception:  # noqa: BLE001  not every mixture can be made
        return object()


def _endless(kind: int) -> object:
    """Values that refer to themselves, or to each other again and again."""
    if kind == 0:
        around: list[Any] = []
        around.append(around)
        return around
    if kind == 1:
        value: Any = "leaf"
        for _ in range(60):
            value = [value, value]
        return value
    if kind == 2:
        error = ValueError("self")
        error.args = (error,)
        error.cause = error  # type: ignore[attr-defined]
        error.__cause__ = error
        return error
    if kind == 3:
        return 7 ** (9000 + kind)
    if kind == 4:
        mapping: dict[Any, Any] = {}
        mapping["self"], mapping[1] = mapping, [mapping, mapping]
        return mapping
    deep: Any = 1
    for _ in range(5000):
        deep = [deep]
    return deep


odd = st.one_of(
    objects(),
    st.sampled_from([0, 2, 3, 4, 5] * 8 + [1]).map(_endless),
    st.floats(),
    st.integers(min_value=10**20),
    st.binary(max_size=9),
    st.text(st.characters(codec=None), max_size=9),  # lone surrogates, too
)
values = st.recursive(odd, lambda inner: st.one_of(st.lists(inner, max_size=3), st.tuples(inner, inner)), max_leaves=6)


def attack(size: Size) -> Result:
    """Let hostile objects through the gate."""
    result = Result("hostile_values", {"objects": 0, "faults": 0})

    @seed(1)
    @settings(
        max_examples=TRIALS[size],
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    @given(values, st.sampled_from(["returns", "raises", "streams"]))
    def passes(value: object, how: str) -> None:
        result.count("objects")
        for failure in _differences(value, how, result):
            result.fail(failure)
        assert not result.failures

    try:
        passes()
    except Exception as error:  # noqa: BLE001  what got through is told, not raised
        if not result.failures:
            result.fail(f"{type(error).__name__}: {error}")
    return result


def _differences(value: object, how: str, result: Result) -> list[str]:
    from attacks._hostile_program import program  # noqa: PLC0415  its functions are decorated when they are imported

    made: Callable[[], object] = program(value, how)
    plain = _outcome(made)
    found: list[object] = []
    log: Log = execute(lambda: found.append(_outcome(made)))
    told = [fields["text"] for kind, fields in log.told if kind == "console"]
    result.count("faults", len(told))
    failures = [f"the probe had a fault: {text}" for text in told]
    if len(found) != 1 or not _same(plain, found[0]):
        failures.append(
            f"another outcome under the probe: {type(found[0] if found else None)} for {type(plain)} ({how})"
        )
    if [record.seq for record in log.records] != list(range(len(log.records))):
        failures.append("records are missing")
    return failures


def _outcome(made: Callable[[], object]) -> object:
    try:
        return made()
    except Exception as error:  # noqa: BLE001  the program's outcome
        return error


def _same(plain: object, watched: object) -> bool:
    """The very same object, or an error of the same class."""
    return plain is watched or type(plain) is type(watched)
