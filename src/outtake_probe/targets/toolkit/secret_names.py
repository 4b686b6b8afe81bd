"""Which settings of a model client must not be shown, by the names under which clients keep secrets.

This comes before the redaction of values (`outtake_probe.redaction`): a setting that is a secret is not read, or is
replaced as a whole.  What is left out here is not part of a call's digest either, so the rules must stay as they are:
with other rules, runs that were recorded before could not be matched any more.
"""

from __future__ import annotations

from outtake_probe.redaction.names import telling

_WORDS = ("key", "token", "secret", "password", "credential", "authorization", "headers")


def is_secret(name: str, value: object, *, text_only: bool = False) -> bool:
    """Whether a setting must not be shown: a secret by its type, or by a name that ends like one.

    With `text_only`, a name that merely ends like one counts only where the value is a text.
    """
    if hasattr(value, "get_secret_value") or telling(name) == "surely":
        return True
    return (not text_only or isinstance(value, str)) and name.lower().endswith(_WORDS)


def is_secret_field(name: str) -> bool:
    """Whether a field is left out of a model's settings by its name alone: the word stands anywhere in it.

    *token* counts only at the end: ``max_tokens`` and ``token_limit`` are no secrets.
    """
    lower = name.lower()
    return lower.endswith("token") or any(word in lower for word in _WORDS if word != "token")
