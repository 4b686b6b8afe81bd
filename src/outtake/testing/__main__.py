"""``python -m outtake.testing [MODULE:KIT ...]``: hold targets to the promises; without names, those of Outtake itself.

The exit status is 1 when a promise is broken, 2 when there is nothing to run.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
import sys
from collections.abc import Sequence

from outtake.testing import built_in
from outtake.testing.kit import BadKit, Kit
from outtake.testing.promises import promises
from outtake.testing.running import Outcome, Report, check
from outtake.testing.table import markdown

MARKS = {"kept": "ok", "broken": "BROKEN", "not offered": "-"}


def main(args: Sequence[str] | None = None) -> int:
    given = _parser().parse_args(args)
    try:
        kits = [_placed(_kit(name), given.python) for name in given.kits] or _built_in()
        reports = [check(kit, given.promise, _Telling(kit.name)) for kit in kits]
    except BadKit as error:
        sys.stderr.write(f"{error}\n")
        return 2
    documents = [report.to_json() for report in reports]
    sys.stdout.write(json.dumps(documents, indent=1) + "\n" if given.json else markdown(documents) + "\n")
    return _status(reports)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m outtake.testing", description="Hold targets to promises.")
    parser.add_argument("kits", nargs="*", metavar="MODULE:KIT", help="an outtake.testing.Kit; default: all of Outtake")
    parser.add_argument("--python", help="the interpreter with the framework, where the kit does not say it")
    parser.add_argument("--promise", action="append", default=[], choices=[p.name for p in promises], metavar="NAME")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of the table")
    return parser


def _kit(name: str) -> Kit:
    module, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module), attribute or "KIT")
    except (ImportError, AttributeError) as error:
        raise BadKit(f"{name} names no kit; say MODULE:KIT ({error})") from error
    if not isinstance(found, Kit):
        raise BadKit(f"{name} is a {type(found).__name__}, not an outtake.testing.Kit")
    return found


def _placed(kit: Kit, python: str | None) -> Kit:
    try:
        return dataclasses.replace(kit, python=python) if python else built_in.placed(kit)
    except built_in.NoEnvironment as error:
        raise BadKit(str(error)) from error


def _built_in() -> list[Kit]:
    found = []
    for kit in built_in.kits:
        try:
            found.append(built_in.placed(kit))
        except built_in.NoEnvironment as error:
            sys.stderr.write(f"skipped: {error}\n")
    return found


@dataclasses.dataclass(frozen=True)
class _Telling:
    """Says each outcome as it comes, where no result is disturbed."""

    target: str

    def __call__(self, outcome: Outcome) -> None:
        mark = MARKS[outcome.result]
        sys.stderr.write(f"{self.target}: {outcome.promise:16} {mark:6} {outcome.seconds:6.1f} s  {outcome.reason}\n")


def _status(reports: Sequence[Report]) -> int:
    return 1 if any(report.broken for report in reports) else 0


if __name__ == "__main__":
    sys.exit(main())
