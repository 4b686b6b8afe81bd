"""Which of all that was found in a folder is offered, and in which order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from outtake.core.finding.found import FoundProgram
from outtake.core.finding.modules import Module

MOST = 60
LEAST_WEIGHT = 10
"""Below that, something is a part of a program."""
_TESTS = re.compile(r"(^|/)(tests?/|conftest\.py$|test_[^/]*\.py$|[^/]*_test\.py$)")


def is_test(name: str) -> bool:
    """Whether a file, relative to the folder, is one of its tests."""
    return _TESTS.search(name) is not None


def offered(modules: Sequence[Module], others: Iterable[FoundProgram] = ()) -> tuple[list[FoundProgram], int]:
    """What a person could mean, the likeliest first, and how many more there are.

    What other code of the folder uses is a part of something that is offered itself: a helper, a step, a tool.
    """
    used = {use for module in modules if not is_test(module.name) for use in module.others}
    found = list(others)
    for module in modules:
        stem = _stem(module.name)
        for program in module.programs():
            attribute = program.spec.partition(":")[2]
            is_part = attribute != "" and (attribute in module.uses or (stem, attribute) in used)
            if program.weight >= LEAST_WEIGHT and not (is_part and program.weight < 100 and attribute != "main"):
                found.append(program)
    found.sort(
        key=lambda one: (is_test(one.file), one.note != "", -one.weight, one.file.count("/"), one.file, one.line)
    )
    return found[:MOST], max(0, len(found) - MOST)


def _stem(name: str) -> str:
    parts = name.removesuffix(".py").split("/")
    return parts[-2] if parts[-1] == "__init__" and len(parts) > 1 else parts[-1]
