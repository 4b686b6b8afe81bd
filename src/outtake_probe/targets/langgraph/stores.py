"""What a node reads from and writes to a store that outlives it (`BaseStore`).

All of a store's methods end in `batch` or `abatch`; those that are sent to a queue of the store's own are caught
before.  Reads are remembered with what they gave, so that a fork can tell whether they would give the same; writes are
done again.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from typing import Any

from langgraph.store.base import BaseStore, GetOp, PutOp
from langgraph.store.base.batch import AsyncBatchedBaseStore

from outtake_probe.bodies import Bodies
from outtake_probe.codec import Opaque, decode, encode, is_opaque
from outtake_probe.records import Json
from outtake_probe.targets.langchain import messages
from outtake_probe.targets.toolkit.context_variables import assigned
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.waits import on_loop

Method = Callable[..., Any]
Watcher = Callable[[Any, Sequence[Any], Sequence[Any]], None]
_inside: ContextVar[bool] = ContextVar("outtake_langgraph_store", default=False)


class Stored:
    """What one visit of a node did with the store of its graph."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self._reads: dict[str, Json] = {}
        self._writes: list[Json] = []
        self._foreign = False

    def clear(self) -> None:
        """Forget it all: the node is about to run."""
        self._reads.clear()
        self._writes.clear()
        self._foreign = False

    def did(self, store: Any, ops: Sequence[Any], results: Sequence[Any]) -> None:
        """Operations were done."""
        if store is not self._store:
            self._foreign = True
            return
        written = {(tuple(op["namespace"]), op["key"]) for op in self._writes}
        for op, result in zip(ops, results, strict=False):
            if isinstance(op, PutOp):
                self._writes.append({"namespace": list(op.namespace), "key": op.key, "value": encode(op.value)})
            elif not (isinstance(op, GetOp) and (tuple(op.namespace), op.key) in written):
                self._reads.setdefault(_name(op), _digest(result))

    def add_reads(self, changes: Json) -> None:
        """What was answered from the record inside the node read this."""
        for name, value in changes.get("read", {}).items():
            self._reads.setdefault(name, value)

    def changes(self) -> dict[str, Json]:
        """Raises `Opaque`."""
        if self._foreign:
            raise Opaque("the node used another store than its graph's")
        if is_opaque(self._writes):
            raise Opaque("the node stored what cannot be put into a record")
        out: dict[str, Json] = {}
        if self._reads:
            out["read"] = dict(self._reads)
        if self._writes:
            out["stored"] = list(self._writes)
        return out

    def same(self, changes: Json) -> bool:
        """Whether the reads would give the same now.  A store that only a loop can ask is taken for changed."""
        reads = changes.get("read", {})
        if not reads:
            return True
        if self._store is None or not _can_ask(self._store):
            return False
        with assigned(_inside, True):
            ops = [_op(name) for name in reads]
            return all(
                _digest(result) == value for result, value in zip(self._store.batch(ops), reads.values(), strict=True)
            )

    def redo(self, changes: Json) -> None:
        """Write what was written."""
        ops = [PutOp(tuple(op["namespace"]), op["key"], decode(op["value"])) for op in changes.get("stored", ())]
        if ops and self._store is not None:
            self._store.batch(ops)


def _can_ask(store: Any) -> bool:
    return not (hasattr(store, "_aqueue") and on_loop())


def _name(op: Any) -> str:
    """A read in words that say all of it."""
    return f"{type(op).__name__} {_text(encode(op))}"


def _text(value: Json) -> str:
    return json.dumps(value, sort_keys=True)


def _op(name: str) -> Any:
    return decode(json.loads(name.partition(" ")[2]))


def _digest(result: Any) -> Json:
    """What a read gave, without when that was stored."""
    return _bodies.put(_said(result))


_bodies = Bodies()


def _said(result: Any) -> Json:
    if isinstance(result, (list, tuple)):
        return [_said(item) for item in result]
    if hasattr(result, "namespace") and hasattr(result, "value"):
        return [list(result.namespace), result.key, messages.body(result.value)]
    return messages.body(result)


# -- watching --------------------------------------------------------------------------------------------------------


def install(patches: Patches, watcher: Watcher) -> list[str]:
    """Tell `watcher` what is done with any store."""
    patches.family(BaseStore, {"batch": _batch(watcher), "abatch": _abatch(watcher)})
    for name in ("aget", "asearch", "aput", "adelete", "alist_namespaces"):
        patches.wrap(AsyncBatchedBaseStore, name, _elsewhere(watcher))
    return []


def _elsewhere(watcher: Watcher) -> Callable[[Method], Method]:
    """What is sent to a queue is done in a task of the store's own, where no one knows for whom."""

    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        async def sent(self: Any, *args: Any, **kwargs: Any) -> Any:
            watcher(None, (), ())
            return await method(self, *args, **kwargs)

        return sent

    return wrap


def _batch(watcher: Watcher) -> Callable[[Method], Method]:
    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        def batch(self: Any, ops: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
            done = list(ops)
            if _inside.get():
                return method(self, done, *args, **kwargs)
            with assigned(_inside, True):
                results = method(self, done, *args, **kwargs)
            watcher(self, done, results)
            return results

        return batch

    return wrap


def _abatch(watcher: Watcher) -> Callable[[Method], Method]:
    def wrap(method: Method) -> Method:
        @functools.wraps(method)
        async def abatch(self: Any, ops: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
            done = list(ops)
            if _inside.get():
                return await method(self, done, *args, **kwargs)
            with assigned(_inside, True):
                results = await method(self, done, *args, **kwargs)
            watcher(self, done, results)
            return results

        return abatch

    return wrap
