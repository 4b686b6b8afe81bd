"""Sessions, in which the SDK keeps conversations from run to run of an agent.

What a session holds when the program first uses it is recorded, as the result of a step.  In a fork the session is a
copy of that, in memory: its file or database holds by then what the parent run left there, and what is said in a fork
does not belong there.
"""

from __future__ import annotations

import copy
import functools
from collections import Counter
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from agents.memory.session import SessionABC

from outtake_probe.calls import Call
from outtake_probe.commands import BadValue
from outtake_probe.gate.invoke import acall
from outtake_probe.records import Json
from outtake_probe.targets.plain import ReturnsOnly
from outtake_probe.targets.toolkit.context_variables import assigned
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.paths import child_path
from outtake_probe.targets.toolkit.random_ids import RandomIdNumbers
from outtake_probe.targets.toolkit.weak_maps import ByIdentity
from outtake_probe.waits import Steps, adrive

if TYPE_CHECKING:
    from outtake_probe.targets.openai_agents.adapter_state import AdapterState

Act = Callable[..., Awaitable[Any]]
Method = Callable[..., Any]
_inside: ContextVar[frozenset[int]] = ContextVar("outtake_agents_sessions", default=frozenset())
"""Sessions whose own methods are running, which call each other."""


class Held:
    """What a session holds, as far as the program knows."""

    def __init__(self) -> None:
        self.items: list[Any] | None = None
        """None: it has not been read."""
        self.is_copy = False
        """The program uses this instead of the store behind the session."""


class Sessions:
    """Those of one program.  Objects that stand for the same stored conversation share what it holds."""

    def __init__(self) -> None:
        self._stored: dict[tuple[str, str, str], Held] = {}
        self._in_memory: ByIdentity[Held] = ByIdentity()
        self._ids = RandomIdNumbers()
        self._reads: Counter[str] = Counter()

    def held(self, session: Any) -> Held:
        """What a session holds."""
        place = str(getattr(session, "db_path", ""))
        if place == ":memory:":
            return self._in_memory.get(session, Held)
        return self._stored.setdefault((type(session).__name__, str(session.session_id), place), Held())

    def read(self, session: Any) -> tuple[str, int]:
        """The path of a session that is about to be read, and how many have been read there."""
        path = child_path(f"session/{self._ids.replace_in(str(session.session_id))}")
        self._reads[path] += 1
        return path, self._reads[path] - 1


def install(adapter_state: AdapterState, patches: Patches) -> list[str]:
    """Wrap the sessions that derive from the SDK's class, and those to come."""
    patches.family(SessionABC, _wrappers(adapter_state))
    return []


def watch(adapter_state: AdapterState, patches: Patches, session: Any) -> None:
    """A run is given this session; its class may be the program's own altogether."""
    if session is not None and not isinstance(session, SessionABC):
        for cls in type(session).__mro__[:-1]:
            for name, wrap in _wrappers(adapter_state).items():
                patches.wrap(cls, name, wrap)


def _wrappers(adapter_state: AdapterState) -> dict[str, Callable[[Method], Method]]:
    act: dict[str, Act] = {"get_items": _get, "add_items": _add, "pop_item": _pop, "clear_session": _clear}
    return {name: functools.partial(_wrapped, adapter_state, each) for name, each in act.items()}


def _wrapped(adapter_state: AdapterState, act: Act, method: Method) -> Method:
    @functools.wraps(method)
    async def operate(session: Any, *args: Any, **kwargs: Any) -> Any:
        # one that keeps its items in another session is that one
        if id(session) in _inside.get() or hasattr(session, "underlying_session"):
            return await method(session, *args, **kwargs)
        with assigned(_inside, _inside.get() | {id(session)}):
            held = adapter_state.sessions.held(session)
            if held.items is None:
                await _read(adapter_state, session, held)
            return await act(held, functools.partial(method, session, *args, **kwargs), session, *args, **kwargs)

    return operate


async def _read(adapter_state: AdapterState, session: Any, held: Held) -> None:
    """What the session holds at first."""
    path, number = adapter_state.sessions.read(session)
    real: list[Any] = []

    async def read(_: object) -> Any:
        recorded = await adrive(_recorded(adapter_state, path, number))
        if recorded is None:
            real.append(list(await session.get_items()))
        return recorded if recorded is not None else real[0]

    what = Call("step", path, {"session": session.session_id}, path, normalize_output=_checked, whole=ReturnsOnly())
    items = await acall(adapter_state.session, what, read)
    held.is_copy = adapter_state.session.is_fork or not real or items is not real[0]
    held.items = copy.deepcopy(list(items or ()))


def _recorded(adapter_state: AdapterState, path: str, number: int) -> Steps[Json]:
    """In a fork that executes the read: what it gave in the parent, since the store may have more by now."""
    ends = adapter_state.session.recorded_ends(path)
    end = ends[number] if number < len(ends) else None
    if end is None or end.failed or end.body is None:
        return None
    return (yield from adapter_state.session.recorded_body(end.body))


def _checked(value: Json) -> Json:
    if value is not None and not (isinstance(value, list) and all(isinstance(item, dict) for item in value)):
        raise BadValue("a session holds a list of items")
    return value or []


# -- what is done with one; `real` does it with the store behind it ----------------------------------------------------


async def _get(held: Held, real: Method, session: Any, limit: int | None = None, **_: Any) -> Any:
    if not held.is_copy:
        return await real()
    most = limit if limit is not None else getattr(getattr(session, "session_settings", None), "limit", None)
    items = held.items or []
    return copy.deepcopy(items if most is None else items[-most:] if most > 0 else [])


async def _add(held: Held, real: Method, session: Any, items: list[Any], **_: Any) -> None:
    if not held.is_copy:
        await real()
    held.items = [*(held.items or ()), *copy.deepcopy(items)]


async def _pop(held: Held, real: Method, session: Any, **_: Any) -> Any:
    last = held.items.pop() if held.items else None
    return last if held.is_copy else await real()


async def _clear(held: Held, real: Method, session: Any, **_: Any) -> None:
    held.items = []
    if not held.is_copy:
        await real()
