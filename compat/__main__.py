"""Run frameworks' own example programs and tests plainly and under Outtake, and print what differs.

python -m compat [--python PYTHON] examples PLACE ...
python -m compat [--python PYTHON] suite PLACE ... [--pytest ARGUMENT ...]
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from compat import examples, suites
from compat.places import NotThere, place


def main() -> int:
    parser = argparse.ArgumentParser(prog="compat", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--python", default=sys.executable, help="the interpreter with the frameworks")
    parser.add_argument("--cache", type=Path, default=Path(".sources"), help="where source distributions are kept")
    parser.add_argument("--json", action="store_true", help="one JSON document a line instead of a table")
    parser.add_argument("way", choices=("examples", "suite"))
    parser.add_argument("places", nargs="+", metavar="PLACE", help="a folder, a file, or sdist:NAME==VERSION")
    parser.add_argument("--pytest", action="append", default=[], metavar="ARGUMENT", help="handed to pytest")
    given = parser.parse_args()
    try:
        places = [place(named, given.cache) for named in given.places]
    except NotThere as error:
        parser.error(str(error))
    if given.way == "suite":
        return suites.compare(places, given.python, given.pytest, as_json=given.json)
    return _examples(places, given.python, as_json=given.json)


def _examples(places: list[Path], python: str, *, as_json: bool) -> int:
    """Check every program that is found; 1 where one of them does otherwise under Outtake."""
    differing = total = 0
    if not as_json:
        print("program                            plain      recorded   requests  records  forks  note")
    for path in examples.found(places):
        outcome = examples.check(path, python)
        total += 1
        differing += outcome.differs
        print(json.dumps(outcome.json()) if as_json else _line(outcome), flush=True)
    if not as_json:
        print(f"{total} programs, {differing} of them do otherwise under Outtake")
    return 1 if differing else 0


def _line(outcome: examples.Outcome) -> str:
    equal = sum(fork.same and not fork.requests for fork in outcome.forks)
    requests = f"{outcome.requests}/{outcome.recorded_requests}/{sum(fork.requests for fork in outcome.forks)}"
    forks = f"{equal}/{len(outcome.forks)}"
    return (
        f"{outcome.name[:34]:34} {outcome.plain:10} {outcome.recorded:10} {requests:9} {outcome.records:7}  {forks:5}  "
        f"{outcome.note}"
    )


if __name__ == "__main__":
    sys.exit(main())
