"""What a function's code does, as a hash: part of what is asked of an invocation that the record may answer for.

A changed step is another step: a fork executes it.  Only its own code counts, not that of what it calls; and the code
is that of one version of Python.
"""

from __future__ import annotations

import inspect
import types
from hashlib import blake2b
from typing import Any


def fingerprint(function: Any) -> str:
    """A hash of the code of a function or method, wherever it stands in its file; empty where it has none."""
    code = getattr(inspect.unwrap(getattr(function, "__func__", function)), "__code__", None)
    return blake2b(_text(code).encode("utf-8", "replace"), digest_size=8).hexdigest() if code is not None else ""


def _text(code: types.CodeType) -> str:
    """The code without names of files and lines; a set among its constants has no order, so it is left out."""
    held = [_text(each) if isinstance(each, types.CodeType) else repr(each) for each in code.co_consts]
    return repr((code.co_code, code.co_names, code.co_varnames, [text for text in held if "frozenset" not in text]))
