"""Specs: what names a target, and what does not."""

from __future__ import annotations

import pytest

from outtake_probe.specs import BadSpec, Spec, parse_spec


@pytest.mark.parametrize(
    ("spec", "parsed"),
    [
        ("a/b.py:make", Spec("function", "a/b.py", "make")),
        ("pkg.module:Team.make", Spec("function", "pkg.module", "Team.make")),
        ("C:\\a.py", Spec("script", "C:\\a.py")),
        ("a/b.py", Spec("script", "a/b.py")),
        ("/opt/bin/uvicorn", Spec("script", "/opt/bin/uvicorn")),
        ("a/my notes.ipynb", Spec("notebook", "a/my notes.ipynb")),
        ("-m pkg.module", Spec("module", "pkg.module")),
        ("kernel my notes (1)", Spec("kernel", "my notes (1)")),
    ],
)
def test_a_spec_has_parts(spec: str, parsed: Spec) -> None:
    assert parse_spec(spec) == parsed


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        ("", "names no target"),
        (":main", "names no target"),
        ("pkg.module", "or -m as in -m pkg.module"),
        ("-m pkg-module", "say -m pkg.module"),
        ("-m ", "say -m pkg.module"),
        ("a.ipynb:main", "from its first cell to its last"),
    ],
)
def test_a_spec_that_names_nothing_says_what_would(spec: str, reason: str) -> None:
    with pytest.raises(BadSpec) as caught:
        parse_spec(spec)
    assert reason in str(caught.value)
