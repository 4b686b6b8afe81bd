"""Run attacks and print their figures as JSON, one line each.

python -m attacks [NAME ...] [--short]
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
import pkgutil
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

from attacks.result import Result, Size

HERE = Path(__file__).parent
_PARTS = ("result", "__main__")


def names() -> list[str]:
    """The attacks that there are: the modules of this package that have a function `attack`."""
    found = sorted(module.name for module in pkgutil.iter_modules([str(HERE)]) if module.name not in _PARTS)
    return [name for name in found if not name.startswith("_")]


def run(name: str, size: Size) -> Result:
    """Run one attack."""
    module = importlib.import_module(f"attacks.{name}")
    attack = cast("Callable[[Size], Result]", module.attack)
    return attack(size)


def main() -> int:
    parser = argparse.ArgumentParser(prog="attacks", description=__doc__.partition("\n")[0])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"which: {', '.join(names())}; all where none is named"
    )
    parser.add_argument("--short", action="store_true", help="as few trials as in CI")
    given = parser.parse_args()
    unknown = sorted(set(given.names) - set(names()))
    if unknown:
        parser.error(f"unknown attack {', '.join(unknown)}; known: {', '.join(names())}")
    failed = False
    for name in given.names or names():
        began = time.monotonic()
        result = run(name, "short" if given.short else "full")
        seconds = round(time.monotonic() - began, 1)
        print(json.dumps({**dataclasses.asdict(result), "seconds": seconds}), flush=True)
        failed = failed or bool(result.failures)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
