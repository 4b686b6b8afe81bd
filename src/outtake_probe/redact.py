"""Secrets stop here: what is redacted never leaves the debugged process.

A secret is a string under a telling key, a value of an environment variable with a telling name, an ``Authorization``
header, a key of a well-known form, or a text that a pattern of the user's `outtake.toml` matches.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping

from outtake_probe.bodies import MARK

SECRET_KEYS = frozenset(
    {
        "api_key",
        "apikey",
        "api-key",
        "x-api-key",
        "authorization",
        "Authorization",
        "password",
        "secret",
        "client_secret",
        "access_token",
        "refresh_token",
        "azure_ad_token",
    }
)
_TELLING = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL", re.IGNORECASE)
_FORMS = (
    r"\bsk-[A-Za-z0-9_-]{16,}",
    r"\b(?:ghp|gho|ghs|github_pat)_[A-Za-z0-9_]{20,}",
    r"\bAKIA[0-9A-Z]{16}\b",
    r"(?i:\bbearer\s+)[A-Za-z0-9._~+/=-]{12,}",
)


_SIGNS = ("sk-", "ghp_", "gho_", "ghs_", "github_pat_", "AKIA")
"""What a text with a key of a well-known form contains: looking for these is far cheaper than the search."""


def cleaner(patterns: Iterable[str] = (), environ: Mapping[str, str] | None = None) -> Callable[[str], str]:
    """A function that replaces every secret in a text by `MARK`.  Raises `re.error` for a pattern that is none."""
    env, own = os.environ if environ is None else environ, tuple(patterns)
    values = sorted({v for k, v in env.items() if _TELLING.search(k) and len(v) >= 8}, key=len, reverse=True)
    search = re.compile("|".join([*map(re.escape, values), *_FORMS, *own]))
    signs = (*_SIGNS, *values)

    def clean(text: str) -> str:
        if len(text) < 8:
            return text
        if own or "bearer" in text.lower():
            return search.sub(MARK, text)
        for sign in signs:
            if sign in text:
                return search.sub(MARK, text)
        return text

    return clean
