"""Classes and what derives from them."""

from __future__ import annotations

from outtake_probe.targets.toolkit.classes import derives_from, with_subclasses


class Base: ...


class Left(Base): ...


class Right(Base): ...


class Both(Left, Right): ...


def test_a_class_comes_before_those_that_derive_from_it() -> None:
    assert list(with_subclasses(Base)) == [Base, Left, Both, Right, Both]
    assert list(with_subclasses(Both)) == [Both]


def test_a_class_derives_from_the_names_of_its_bases_and_its_own() -> None:
    assert derives_from(Both, "Base")
    assert derives_from(Both, "Unknown", "Right")
    assert derives_from(Both, "Both")
    assert not derives_from(Both, "Bas")
    assert not derives_from(Left, "Right", "Both")
