"""What a step reads and changes beside its events: the workflow's state, and the workflow's own attributes.

Each part that can be named is a cell: ``store.KEY`` (a key of a state that is a dict, a field of one that is a model),
``self.NAME`` (an attribute that the user's class set), ``resource.NAME`` (what is injected).  An `AccessTracker` notes
which cells a step touched and what they were; it is what lets the record answer for the step.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol

from outtake_probe.codec import Opaque, decode
from outtake_probe.records import Json
from outtake_probe.targets.llamaindex import fingerprints
from outtake_probe.targets.llamaindex.fingerprints import ABSENT, Print

MISSING: Any = object()


class Cells(Protocol):
    """A family of cells: where the values of one prefix live."""

    def get(self, name: str) -> Any:
        """The live value, or `MISSING`."""

    def set(self, name: str, value: Any) -> None: ...

    def delete(self, name: str) -> None: ...


class Shared:
    """The cells of one run (or of one workflow's attributes), what they last looked like, and who watches."""

    def __init__(self, prefix: str, cells: Cells) -> None:
        self.prefix = prefix
        self.cells = cells
        self.prints: dict[str, Print] = {}
        self.watches: list[AccessTracker] = []

    def look(self, name: str) -> Print:
        """What a cell looks like now.  Raises `Opaque`."""
        value = self.cells.get(name)
        if value is MISSING:
            return ABSENT
        found = self.prints[name] = fingerprints.take(value, self.prints.get(name))
        return found

    def settle(self, name: str) -> None:
        """Somebody else has to do with a cell: what was written until now is by who wrote it."""
        for watch in self.watches:
            watch.settle(self, name)


@dataclass(slots=True)
class Track:
    """One cell during one step."""

    read: Print | None = None
    """What it looked like when the step first read it; None where it only wrote."""
    last: Print | None = None
    """What it looked like when the step had last to do with it."""
    blind: bool = False
    """The step wrote it before it read it."""
    rebased: bool = False
    """Another step has changed it meanwhile."""
    live: int = 0
    """Identity of the object that was there."""
    change: dict[str, Json] | None = None
    pending: bool = False
    """The step has written it, and nobody has looked at it since: only it has to do with the cell."""


class AccessTracker:
    """What one step touched.  Cells that cannot be looked at make the step one that only executing does again."""

    def __init__(self, owner: weakref.ref[Any], around: AccessTracker | None = None) -> None:
        self.owner = owner
        """The workflow whose step this is; contexts that outlive it refer to this object."""
        self.around = around
        """What watches the step, where this is about a tool that it calls."""
        self.tracks: dict[tuple[Shared, str], Track] = {}
        self.opaque = ""
        self.paused = 0

    # -- while the step runs -----------------------------------------------------------------------------------------

    def read(self, shared: Shared, name: str) -> None:
        """The step is about to read a cell, and may change what it holds in place."""
        if self.around is not None:
            self.around.read(shared, name)
        track = self._track(shared, name)
        if track.last is None and not track.blind and not track.pending and not self.opaque:
            track.last = self._look(shared, name)
            track.read = track.last
            track.live = id(shared.cells.get(name))

    def writes(self, shared: Shared, name: str) -> None:
        """The step is about to write a cell, whatever is there."""
        if self.around is not None:
            self.around.writes(shared, name)
        track = self._track(shared, name)
        track.blind = track.blind or track.last is None

    def wrote(self, shared: Shared, name: str) -> None:
        """The step has written a cell, in one go."""
        if self.around is not None:
            self.around.wrote(shared, name)
        track = self._track(shared, name)
        others = [w.tracks[shared, name] for w in shared.watches if w is not self and (shared, name) in w.tracks]
        track.pending = not self.opaque
        if others:
            self.settle(shared, name)
        for theirs in others:
            theirs.last, theirs.rebased = None if self.opaque else track.last, True

    def settle(self, shared: Shared, name: str) -> None:
        """Look at what was written, if that has not been done."""
        track = self.tracks.get((shared, name))
        if track is None or not track.pending:
            return
        track.pending = False
        now = None if self.opaque else self._look(shared, name)
        if now is not None:
            self._note(shared, name, track, now)

    def rebase(self, shared: Shared, name: str, track: Track) -> None:
        """Something else has changed a cell meanwhile."""
        track.last, track.rebased = self._look(shared, name), True

    def cannot(self, reason: str) -> None:
        self.opaque = self.opaque or reason

    def _track(self, shared: Shared, name: str) -> Track:
        track = self.tracks.get((shared, name))
        if track is None:
            shared.settle(name)
            track = self.tracks[shared, name] = Track()
            if self not in shared.watches:
                shared.watches.append(self)
        return track

    def _look(self, shared: Shared, name: str) -> Print | None:
        try:
            return shared.look(name)
        except Opaque as error:
            self.cannot(f"{shared.prefix}.{name}: {error}")
            return None

    def _note(self, shared: Shared, name: str, track: Track, now: Print) -> None:
        """The cell looks like `now` because of this step."""
        value = shared.cells.get(name)
        try:
            track.change = _change(track, now, value)
        except Opaque as error:
            self.cannot(f"{shared.prefix}.{name}: {error}")
        track.last = now

    # -- when it came back -------------------------------------------------------------------------------------------

    def finish(self) -> dict[str, Json]:
        """What it read and changed.  Raises `Opaque`."""
        try:
            for (shared, name), track in self.tracks.items():
                self._settle(shared, name, track)
            if self.opaque:
                raise Opaque(self.opaque)
            return self._told()
        finally:
            for shared in {shared for shared, _ in self.tracks}:
                if self in shared.watches:
                    shared.watches.remove(self)

    def _settle(self, shared: Shared, name: str, track: Track) -> None:
        """What was handed out may have been changed in place."""
        if track.pending:
            self.settle(shared, name)
            return
        if self.opaque or track.last is None:
            return
        now = self._look(shared, name)
        if now is not None and now is not track.last and now.digest != track.last.digest:
            self._note(shared, name, track, now)

    def _told(self) -> dict[str, Json]:
        read = {f"{s.prefix}.{n}": t.read.digest for (s, n), t in self.tracks.items() if t.read is not None}
        told: dict[str, Json] = {"read": read} if read else {}
        for (shared, name), track in self.tracks.items():
            for kind, value in (track.change or {}).items():
                told.setdefault(kind, {})[f"{shared.prefix}.{name}"] = value
        if "deleted" in told:
            told["deleted"] = list(told["deleted"])
        return told


def _change(track: Track, now: Print, value: Any) -> dict[str, Json] | None:
    """How to make `now` of what the step found; only what is new, where it is known what was there."""
    before = track.read
    if value is MISSING:
        return {"deleted": None}
    if before is not None and not track.rebased:
        if before.digest == now.digest:
            return None
        same_object = id(value) == track.live
        if before.items is not None and now.grown_from(before):
            added = [fingerprints.coded(item) for item in value[len(before.items) :]]
            return {"grown": {"by": added, "same": same_object}}
        old, new = before.entries(), now.entries()
        if old is not None and new is not None:
            return _entries(old, new, value, same_object)
    return {"set": fingerprints.coded(value)}


def _entries(old: dict[str, int], new: dict[str, int], value: dict[str, Any], same_object: bool) -> dict[str, Json]:
    put = {key: fingerprints.coded(value[key]) for key, item in new.items() if key not in old or old[key] != item}
    return {"entries": {"put": put, "gone": [key for key in old if key not in new], "same": same_object}}


# -- again -----------------------------------------------------------------------------------------------------------


def same(changes: Json, find: Callable[[str], Shared | None]) -> bool:
    """Whether what a step read then is what it would read now."""
    for name, digest in changes.get("read", {}).items():
        prefix, _, key = name.partition(".")
        shared = find(prefix)
        try:
            if shared is None or shared.look(key).digest != digest:
                return False
        except Opaque:
            return False
    return True


def redo(changes: Json, find: Callable[[str], Shared | None]) -> None:
    """Change again what a step changed."""
    kinds: dict[str, Callable[[Cells, str, Json], None]] = {"set": _set, "grown": _grow, "entries": _put}
    for kind, act in kinds.items():
        for name, value in changes.get(kind, {}).items():
            _at(name, find, act, value)
    for name in changes.get("deleted", []):
        _at(name, find, lambda cells, key, _: cells.delete(key), None)


def _at(name: str, find: Callable[[str], Shared | None], act: Callable[[Cells, str, Json], None], value: Json) -> None:
    prefix, _, key = name.partition(".")
    shared = find(prefix)
    if shared is None:
        raise Opaque(f"there is nothing to set {name} on")
    shared.settle(key)
    act(shared.cells, key, value)
    for watch in shared.watches:
        track = watch.tracks.get((shared, key))
        if track is not None and track.last is not None:
            watch.rebase(shared, key, track)


def _set(cells: Cells, key: str, value: Json) -> None:
    cells.set(key, decode(value))


def _grow(cells: Cells, key: str, grown: Json) -> None:
    new = [decode(item) for item in grown["by"]]
    value = cells.get(key)
    if grown["same"]:
        value.extend(new)
    else:
        cells.set(key, [*value, *new])


def _put(cells: Cells, key: str, entries: Json) -> None:
    value = cells.get(key)
    made = value if entries["same"] else dict(value)
    for gone in entries["gone"]:
        made.pop(gone, None)
    made.update({name: decode(item) for name, item in entries["put"].items()})
    if made is not value:
        cells.set(key, made)


# -- which step runs here --------------------------------------------------------------------------------------------

watching: ContextVar[AccessTracker | None] = ContextVar("outtake_llamaindex_watch", default=None)
"""What notes the accesses of the running code."""


@contextmanager
def unwatched() -> Iterator[None]:
    """The framework itself looks at everything."""
    watch = watching.get()
    if watch is None:
        yield
        return
    watch.paused += 1
    try:
        yield
    finally:
        watch.paused -= 1


def read_all(watch: AccessTracker, shared: Shared, keys: Iterable[str]) -> None:
    for key in keys:
        watch.read(shared, key)
