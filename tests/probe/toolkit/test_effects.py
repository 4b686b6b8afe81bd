"""Declared effects: the first valid declaration counts."""

from __future__ import annotations

import outtake
from outtake_probe.targets.toolkit.effects import declared_effects


@outtake.tool(effects="read")
def search(query: str) -> str:
    return query


class Deletes:
    __outtake_effects__ = "irreversible"


class Misspelt:
    __outtake_effects__ = "rea"


def test_nothing_is_declared() -> None:
    assert declared_effects() is None
    assert declared_effects(object(), None, int) is None


def test_a_decorator_and_an_attribute_declare() -> None:
    assert declared_effects(search) == "read"
    assert declared_effects(Deletes()) == declared_effects(Deletes) == "irreversible"


def test_the_first_declaration_counts_and_an_unknown_one_does_not() -> None:
    assert declared_effects(None, search, Deletes) == "read"
    assert declared_effects(Misspelt(), Deletes) == "irreversible"
    assert declared_effects(Misspelt()) is None
