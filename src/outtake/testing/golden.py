"""Golden logs: what the recorded scenes of a kit consist of, the same from release to release.

A fork matches what the program does with the record by component path, kind and digest, and by the occurrence among
equals.  If an adapter names a component otherwise, or digests another form of an input, the runs that were recorded
before cannot be forked any more.  So each scene's log, reduced to what matching and serving depend on, has to equal the
committed one.  ``python -m outtake.testing.golden [--write] [TARGET ...]`` compares the targets of Outtake, or writes
the files anew.

A file is JSON Lines: the environment that it was written in, then the name of each scene, followed by its lines.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from pathlib import Path

from outtake.testing import built_in
from outtake.testing.checks.waiting import answered
from outtake.testing.kit import Kit, Scene
from outtake.testing.rig import Rig
from outtake.testing.watched import Watched
from outtake_probe.records import TIMER, Json

FOLDER = Path("tests/golden")
WRITE = "python -m outtake.testing.golden --write"

Line = list[str]
"""Kind; what of its kind (the call, the recipient, the source, the key, the operation); component; digest; type; flags,
each in a field of its own."""
Golden = dict[Scene, list[Line]]

LEFT_OUT = frozenset({"noted", "stream_chunk", "span_started", "span_ended"})
"""Kinds that no match depends on, and pieces: how many share a record depends on what comes between them.  Timers that
were over are left out, too: which of them share a record depends on the machine's speed (see the promise `timers`)."""
CONCURRENT: frozenset[Scene] = frozenset(
    {"parallel", "letters", "printing", "cancelling", "timing", "requests", "asking"}
)
"""Scenes in which several things happen at the same time, in no order that a framework promises: compared sorted."""
REPEATING: frozenset[Scene] = frozenset({"timing"})
"""Scenes that do something as often as the machine's speed allows: lines count once, whatever was digested."""
FLAGS = ("failed", "interrupted", "opaque", "keeps", "changes", "kept", "functions", "state", "effects")
"""What decides on serving an invocation; of hashes and names it matters only that they are there."""
VALUES = frozenset({"state", "effects"})
"""The flags of which the value matters, too."""
MOST = 5
"""Differences that are reported of each scene."""


def log(scene: Scene, runs: Sequence[Watched], reruns: Collection[str] = ()) -> list[Line]:
    """What the golden log of a scene has to say of these runs of it; see `Kit.reruns`."""
    lines = [_line(record) for run in runs for record in run.log if not _left_out(record)]
    if scene in REPEATING:
        lines = [[*line[:3], "", *line[4:]] for line in lines]
    if scene not in CONCURRENT:
        return lines
    again = [line for line in lines if scene in REPEATING or line[2] in reruns]
    return sorted([*(line for line in lines if line not in again), *map(list, {tuple(line) for line in again})])


def logs(rig: Rig) -> Golden:
    """The golden logs of every scene of a kit; recordings that the rig has already are used."""
    return {scene: log(scene, _recorded(rig, scene), rig.kit.reruns) for scene in rig.kit.programs}


def _line(record: Json) -> Line:
    of = next((record[name] for name in ("call", "recipient", "source", "key", "op") if name in record), "")
    flags = [f"{name}={record[name]}" if name in VALUES else name for name in FLAGS if record.get(name)]
    return [record["kind"], of, record.get("component", ""), record.get("digest", ""), record.get("type", ""), *flags]


def _left_out(record: Json) -> bool:
    return record["kind"] in LEFT_OUT or record.get("source", "").startswith(TIMER)


def _recorded(rig: Rig, scene: Scene) -> list[Watched]:
    if scene == "asking":
        return [answered(rig)]
    run = rig.recorded(scene)
    return [run, *rig.requests()] if scene == "requests" else [run]


def differences(golden: Golden, found: Golden) -> list[str]:
    """What is not as it was, in words; empty where every scene is as it was."""
    told = [f"{scene}: no program of the kit is recorded so any more" for scene in golden if scene not in found]
    for scene, lines in found.items():
        if scene not in golden:
            told.append(f"{scene}: is new, and has no golden log")
        elif lines != golden[scene]:
            changes = _changes(golden[scene], lines)
            more = [f"and {len(changes) - MOST} more"] if len(changes) > MOST else []
            told += [f"{scene}: {change}" for change in [*changes[:MOST], *more]]
    return told


def _changes(old: list[Line], new: list[Line]) -> list[str]:
    gone, come = _only(old, new), _only(new, old)
    if not gone and not come:
        number, (was, is_now) = next(
            (n, pair) for n, pair in enumerate(zip(old, new, strict=True)) if pair[0] != pair[1]
        )
        return [f"the order changed: line {number} was {_told(was)}, and is {_told(is_now)}"]
    told = []
    by_name: defaultdict[tuple[str, ...], list[Line]] = defaultdict(list)
    for line in come:
        by_name[tuple(line[:3])].append(line)
    for line in gone:
        same = by_name[tuple(line[:3])]
        told.append(_changed(line, same.pop(0)) if same else f"there is no {_told(line)} any more")
    return told + [f"there is a new {_told(line)}" for lines in by_name.values() for line in lines]


def _changed(was: Line, is_now: Line) -> str:
    name = f"{' '.join(filter(None, was[:2]))} of component {was[2] or '-'}"
    if was[3] != is_now[3]:
        return f"{name}: its digest was {was[3] or 'none'}, and is {is_now[3] or 'none'}"
    return f"{name}: it was {_told(was[4:]) or 'nothing'}, and is {_told(is_now[4:]) or 'nothing'}"


def _only(these: list[Line], others: list[Line]) -> list[Line]:
    left = Counter(map(tuple, these)) - Counter(map(tuple, others))
    return [list(line) for line in left.elements()]


def _told(line: Line) -> str:
    return " ".join(filter(None, line))


# -- files -----------------------------------------------------------------------------------------------------------


def file_of(kit: Kit, folder: Path = FOLDER) -> Path:
    return folder / f"{re.sub('[^a-z]+', '-', kit.name.lower())}.jsonl"


def environment(kit: Kit) -> Json:
    """What a golden log was recorded with."""
    declared = kit.declared
    return {"target": kit.name, "python": declared.python, "versions": dict(declared.versions)}


def write(kit: Kit, golden: Golden, folder: Path = FOLDER) -> None:
    lines: list[Json] = [environment(kit)]
    for scene, records in golden.items():
        lines += [scene, *records]
    text = "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
    file_of(kit, folder).write_text(text, "utf-8")


def read(kit: Kit, folder: Path = FOLDER) -> tuple[Json, Golden]:
    """The environment, and the golden logs; both are empty where there is no file."""
    file = file_of(kit, folder)
    if not file.exists():
        return {}, {}
    first, *rest = (json.loads(line) for line in file.read_text("utf-8").splitlines())
    golden: Golden = {}
    lines: list[Line] = []
    for line in rest:
        if isinstance(line, str):
            lines = golden.setdefault(line, [])  # type: ignore[arg-type]  # the names in our own file are scenes
        else:
            lines.append(line)
    return first, golden


def complaint(kit: Kit, found: Golden, folder: Path = FOLDER) -> str:
    """What is to be told where the logs of a kit are not the golden ones; empty where they are."""
    recorded, golden = read(kit, folder)
    told = differences(golden, found)
    if not told:
        return ""
    here = environment(kit)
    other = f"\n(they were recorded with {recorded}, here is {here})" if recorded != here else ""
    head = f"runs of {kit.name} that were recorded before could not be forked any more:"
    tail = f"Where that is meant, say so in the changelog, and write the golden logs anew: {WRITE}"
    return "\n".join([head, *(f"  {line}" for line in told), tail]) + other


def main(args: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m outtake.testing.golden", description="Compare golden logs.")
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="names of kits; default: all")
    parser.add_argument("--write", action="store_true", help="write the files anew instead")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the files are (default: %(default)s)")
    given = parser.parse_args(args)
    failed = 0
    for kit in built_in.kits:
        if given.targets and kit.name not in given.targets:
            continue
        placed = built_in.placed(kit)
        with Rig(placed) as rig:
            found = logs(rig)
        if given.write:
            write(placed, found, given.folder)
        told = complaint(placed, found, given.folder)
        failed |= bool(told)
        sys.stderr.write(f"{told or f'{kit.name}: {sum(map(len, found.values()))} lines in {len(found)} scenes'}\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
