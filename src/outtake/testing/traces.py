"""What a debugger can leave in a process: run as a script beside the program of `requests`, which it calls itself.

It calls the program plainly, attaches in the middle, calls it again, leaves or waits until the debugger gives up, and
calls it once more.  It needs the standard library only.  Arguments: the folder of `outtake_probe`, the folder of the
store, the input, and `leave` or `give up`.  The last line that it prints is a JSON object.
"""

import asyncio
import gc
import inspect
import json
import sys
import threading
import types
from collections.abc import Iterator
from typing import Any

PROBE = ("outtake", "outtake_probe")
WAIT = 30.0
"""Seconds within which a thread of the debugger has to end."""
STAYS = frozenset({("builtins", "__outtake_read__")})
"""What the program's own code that was loaded while it was debugged calls, to read the clock: later, just that."""
CALLABLE = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    type,
    property,
    classmethod,
    staticmethod,
)
"""What is put in the place of something else; other values (counters, caches) change by themselves."""


def ours(value: object) -> bool:
    """Whether a value, or the code or the class of it, is the debugger's."""
    inner = inspect.unwrap(value) if callable(value) and not isinstance(value, type) else value
    return any(_module(each).partition(".")[0] in PROBE for each in (value, inner, type(value)))


def _module(value: object) -> str:
    code = getattr(getattr(value, "__func__", value), "__code__", None)
    if isinstance(code, types.CodeType):
        return next((name for name in PROBE[::-1] if f"/{name}/" in code.co_filename.replace("\\", "/")), "")
    return str(getattr(value, "__module__", ""))


def places() -> "Iterator[tuple[str, dict[str, Any]]]":
    """Every module and every class of the process but the debugger's own, with what it has."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] not in (*PROBE, "__main__") and isinstance(module, types.ModuleType):
            yield name, dict(vars(module))
    for kind in _classes(object):
        if str(kind.__module__).partition(".")[0] not in PROBE:
            yield f"{kind.__module__}.{kind.__qualname__} at {id(kind)}", dict(vars(kind))


def _classes(base: type) -> "set[type]":
    found: set[type] = set()
    left = [base]
    while left:
        new: set[type] = set(type.__subclasses__(left.pop())) - found
        found |= new
        left += new
    return found


def process() -> "dict[str, Any]":
    """What belongs to no module."""
    return {
        "sys.meta_path": [type(finder).__qualname__ for finder in sys.meta_path],
        "sys.path_hooks": list(sys.path_hooks),
        "gc.callbacks": list(gc.callbacks),
        "sys.gettrace": (sys.gettrace(), sys.getprofile()),
        "event loop policy": type(asyncio.get_event_loop_policy()),
    }


def seen() -> "dict[str, dict[str, Any]]":
    return {"": process(), **dict(places())}


def differences(before: "dict[str, dict[str, Any]]") -> "list[str]":
    """What is not as it was before: what was put in the place of something, and what is the debugger's."""
    found: list[str] = []
    after = seen()
    for place, old in before.items():
        now_there: dict[str, Any] = after.get(place, old)
        for name in {**old, **now_there}:
            was, now = old.get(name), now_there.get(name)
            if (place, name) in STAYS:
                continue
            if place == "" and was != now:
                found.append(f"{name}: {was} is {now}")
            elif place and was is not now and (isinstance(was, CALLABLE) or (name in now_there and ours(now))):
                found.append(f"{place}: {name}")
    return sorted(found)


def instances() -> "list[str]":
    """Objects of the program and its framework that hold something of the debugger's."""
    found = []
    for each in gc.get_objects():
        kind = type(each)
        own = str(kind.__module__).partition(".")[0] in PROBE or isinstance(each, (types.ModuleType, type))
        if own or inspect.isroutine(each):
            continue
        try:
            values = object.__getattribute__(each, "__dict__")
        except AttributeError:
            continue
        for name, value in list(values.items()) if type(values) is dict else ():
            if isinstance(value, (types.FunctionType, types.MethodType)) and ours(value):
                found.append(f"an object of {kind.__module__}.{kind.__qualname__}: {name}")
    return sorted(set(found))


def main() -> None:
    probe, store, given, how = sys.argv[1:]
    sys.path.append(probe)
    import program  # type: ignore[import-not-found]  # noqa: PLC0415

    import outtake_probe.attach  # noqa: PLC0415  only now can it be found
    import outtake_probe.attached  # noqa: PLC0415

    def ask() -> Any:
        made = program.handle(given)
        return asyncio.run(made) if inspect.iscoroutine(made) else made

    answers = [
        ask(),
        ask(),
    ]  # twice: what is imported and cached at the first call is there before anything is compared
    before = seen()
    joined = outtake_probe.attach.join_server({"script": sys.argv[0], "args": [], "pause": False}, store)
    answers.append(ask())
    during = differences(before)
    print("attached", flush=True)  # noqa: T201  the suite waits for it
    if how == "leave":
        joined.leave()
    else:
        joined.session.recorder.flush()
    for thread in threading.enumerate():
        if thread.name.startswith("outtake") and thread is not threading.current_thread():
            thread.join(WAIT)
    alive = [t.name for t in threading.enumerate() if t.name.startswith("outtake")]
    left = differences(before)
    answers.append(ask())
    gc.collect()
    told = {
        "answers": answers,
        "during": len(during),
        "left": [*left, *alive, *instances()],
        "active": outtake_probe.attached.active() is not None,
    }
    print(json.dumps(told), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
