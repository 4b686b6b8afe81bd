"""Hashes of code: the same wherever it stands, another one when it does something else."""

from __future__ import annotations

from typing import Any

from outtake_probe.codes import fingerprint

ADD = "def f(x):\n    return [y + 1 for y in x]\n"


def _function(source: str, name: str = "f") -> Any:
    held: dict[str, Any] = {}
    exec(source, held)
    return held[name]


def test_its_place_does_not_count_what_it_does_counts() -> None:
    assert fingerprint(_function(ADD)) == fingerprint(_function("\n\n# more\n" + ADD))
    assert fingerprint(_function(ADD)) != fingerprint(_function(ADD.replace("+ 1", "+ 2")))
    assert fingerprint(_function(ADD)) != fingerprint(_function(ADD.replace("[y + 1", "[y - 1")))


def test_a_method_is_its_function_and_a_builtin_has_none() -> None:
    kind = _function("class K:\n    def f(self):\n        return 1\n", "K")
    assert fingerprint(kind().f) == fingerprint(kind.f)
    assert fingerprint(len) == ""
