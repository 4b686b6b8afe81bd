"""Parsing the program's own files, in whichever thread asks for it."""

from __future__ import annotations

import ast
import threading
import warnings

TRIES = 20
_parsing = threading.RLock()  # what is collected as garbage meanwhile may have its own code parsed


def parse(text: bytes, path: str = "<unknown>", *, quiet: bool = False) -> ast.Module:
    """The syntax tree of a file.  Not `quiet`: with the warnings that its import gives.

    Raises `SyntaxError`, `ValueError`, `RecursionError`.
    """
    with _parsing:
        for _ in range(TRIES):
            try:
                return _parse(text, path, quiet)
            except SystemError:  # before Python 3.13, trees that two threads make at once count each other's depth
                continue
        return _parse(text, path, quiet)


def _parse(text: bytes, path: str, quiet: bool) -> ast.Module:
    if not quiet:
        return ast.parse(text, path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text, path)
