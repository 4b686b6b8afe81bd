"""What changed of the program's own code since a run, and what a fork served all the same."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping

from outtake.core.code_changes import Renewed, files, renewed, stale
from outtake.core.prompt_changes import FirstPrompt, Written, changed_prompts
from outtake.core.runs import Run
from outtake.store import Store
from outtake.store.files import Files
from outtake_probe.code_hash import OwnCode
from outtake_probe.own_files import OwnFiles, program_text, text_hash
from outtake_probe.records import Json
from outtake_probe.session import CODE_CHANGED
from outtake_probe.specs import parse_spec
from outtake_probe.syntax import parse

LARGEST = 8 << 20
"""Bytes up to which a file is read to see whether it changed."""


def code(store: Store, run: Run) -> dict[str, Json]:
    """The program's own files that a run imported, and what changed of them; see `outtake.core.code_changes`.

    `prompts` are looked for by `outtake.core.prompt_changes`; `stale` names what a fork served before its cut though
    its code has changed.
    """
    own = Files(store).of(run.id)
    parent = Files(store).of(run.fork.parent) if run.fork is not None else {}
    now = _now(run, {**parent, **own})
    found = files(own, parent, now)
    changed = [file.path for file in found if file.since_run in ("changed", "gone")]
    others = [] if not changed else [*changed_prompts(_told(store, run), _written(run, now), changed)]
    return {
        "run": run.id,
        "parent": run.fork.parent if run.fork is not None else None,
        "folder": run.launch.folder,
        "files": [dataclasses.asdict(file) for file in found],
        "renewed": [{**dataclasses.asdict(each), "files": list(each.files)} for each in _renewed(store, run)]
        if changed
        else [],
        "prompts": [dataclasses.asdict(each) for each in others],
        "stale": [{**dataclasses.asdict(each), "files": list(each.files)} for each in stale(_note(store, run))],
    }


def _renewed(store: Store, run: Run) -> list[Renewed]:
    """The components of a run whose code is another one now: files are read, and nothing in them is executed."""
    folder = run.launch.folder
    spec = parse_spec(run.launch.spec).file if run.launch.spec else None
    beside = [os.path.dirname(os.path.join(folder, spec))] if spec is not None else []
    current = OwnCode(OwnFiles(folder, [folder, *beside]))
    started = store.records(run.id, kind="invocation_started")
    return renewed(started, lambda functions: current.now(tuple(functions)))


def _told(store: Store, run: Run) -> Iterator[FirstPrompt]:
    """What each model of a run was told in its first call."""
    for component in sorted(store.components(run.id)):
        first = next(store.records(run.id, kind="model", component=component, limit=1), None)
        if first is not None and first.get("body"):
            yield FirstPrompt(component, first["seq"], store.body(first["body"]))


def _written(run: Run, now: Mapping[str, str | None]) -> dict[str, Written]:
    """The strings in the program's files as they are now; a file that does not parse has none."""
    found = {}
    for path, hashed in now.items():
        if hashed:
            try:
                with open(os.path.join(run.launch.folder, path), "rb") as file:
                    found[path] = Written(parse(program_text(path, file.read()), path, quiet=True))
            except (OSError, SyntaxError, ValueError, RecursionError):
                continue
    return found


def differing(store: Store, left: Run, right: Run) -> list[dict[str, Json]]:
    """The program's own files that are not the same in two runs, from the left one to the right one."""
    a, b = Files(store).of(left.id), Files(store).of(right.id)
    if not a or not b:
        return []
    found = [{"path": file.path, "change": file.since_parent} for file in files(b, a, dict.fromkeys(a))]
    return [file for file in found if file["change"] != "same"]


def new_code(store: Store, run: Run) -> list[str]:
    """The program's own files whose code is another one in a fork than in its parent, as far as both imported them."""
    if run.fork is None:
        return []
    own, parent = Files(store).of(run.id), Files(store).of(run.fork.parent)
    return [path for path, text in own.items() if parent.get(path, text) != text]


def _now(run: Run, known: Mapping[str, str]) -> dict[str, str | None]:
    """Hashes of files as they are now, None of one that is gone; nothing for a program that was on another machine."""
    if run.launch.imported or not os.path.isdir(run.launch.folder):
        return {}
    return {path: _hash(os.path.join(run.launch.folder, path)) for path in known}


def _hash(path: str) -> str | None:
    try:
        if os.path.getsize(path) > LARGEST:
            return ""
        with open(path, "rb") as file:
            return text_hash(program_text(path, file.read()))
    except OSError:
        return None


def _note(store: Store, run: Run) -> list[Mapping[str, Json]]:
    """What the fork's program said first of all in its own log, where it did."""
    if run.fork is None:
        return []
    first = next(iter(store.records(run.id, after=run.fork.cut - 1, before=run.fork.cut + 1)), None)
    if first is None or first.get("type") != CODE_CHANGED or not first.get("body"):
        return []
    components: list[Mapping[str, Json]] = store.body(first["body"])["components"]
    return components
