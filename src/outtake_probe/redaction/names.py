"""Telling names: what stands under them is a secret, in whatever case and form the name is written.

``X-Api-Key``, ``apiKey``, ``OPENAI_API_KEY`` are the words *api key* at the end of a name.  ``max_tokens`` and
``memory_key`` are no secrets.
"""

from __future__ import annotations

import functools
import re
from typing import Literal

Telling = Literal["", "perhaps", "surely"]
"""`perhaps`: under this name there are secrets and harmless words, so a value counts only if it looks like one."""

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SURE = frozenset(
    [
        "password",
        "passwords",
        "passwd",
        "passphrase",
        "passphrases",
        "secret",
        "secrets",
        "authorization",
        "cookie",
        "cookies",
        "credential",
        "credentials",
        "apikey",
        "apikeys",
        "authkey",
        "accesskey",
        "secretkey",
        "privatekey",
        "authtoken",
        "accesstoken",
        "refreshtoken",
    ]
)
_PERHAPS = frozenset(["token", "pwd", "jwt", "passcode", "bearer", "pass", "dsn", "pat"])
_KEYS = frozenset(
    [
        "api",
        "access",
        "secret",
        "private",
        "signing",
        "encryption",
        "account",
        "subscription",
        "master",
        "auth",
        "service",
        "license",
        "client",
        "ssh",
        "shared",
        "storage",
        "admin",
        "openai",
        "anthropic",
        "azure",
        "google",
        "gemini",
        "groq",
        "mistral",
        "cohere",
        "huggingface",
    ]
)
"""Before *key*: it opens something."""
_TOKENS = frozenset(
    [
        "access",
        "refresh",
        "auth",
        "api",
        "bearer",
        "session",
        "id",
        "secret",
        "security",
        "ad",
        "bot",
        "app",
        "user",
        "personal",
        "oauth",
    ]
)
"""Before *token*, *tokens*: it lets somebody in."""
_HARMLESS = frozenset(
    [
        "next",
        "page",
        "continuation",
        "sync",
        "eos",
        "bos",
        "pad",
        "unk",
        "stop",
        "mask",
        "sep",
        "cls",
        "special",
        "start",
        "end",
        "max",
        "min",
        "new",
        "last",
        "first",
        "per",
        "total",
        "num",
        "cancellation",
        "sampling",
    ]
)
"""Before *token*: a piece of a text, or where a list goes on."""
_PLAIN = re.compile(r"[A-Za-z_]+|[0-9.]+|<.*>|\{.*\}|\$\{?\w+\}?|\*+|\.+|\[redacted\]", re.DOTALL)
_TYPES = frozenset(
    [
        "string",
        "str",
        "text",
        "password",
        "required",
        "optional",
        "secret",
        "token",
        "none",
        "null",
        "true",
        "false",
        "object",
        "number",
        "integer",
        "boolean",
        "array",
        "bearer",
        "undefined",
    ]
)


@functools.lru_cache(maxsize=20_000)
def telling(name: str) -> Telling:
    """What a name tells of the value that stands under it."""
    words = [word.lower() for word in _WORDS.findall(name[-80:])]
    last, before = (words[-1], words[-2] if len(words) > 1 else "") if words else ("", "")
    if last in _SURE or (last in ("key", "keys") and before in _KEYS):
        return "surely"
    if last in ("token", "tokens") and before in _TOKENS:
        return "surely"
    if last == "string" and before == "connection":
        return "surely"
    return "perhaps" if last in _PERHAPS and before not in _HARMLESS else ""


def is_secret(told: Telling, value: str) -> bool:
    """Whether a value that stands under a name of that kind is a secret."""
    return bool(value) if told == "surely" else told == "perhaps" and looks_secret(value)


def looks_secret(value: str) -> bool:
    """Whether a text may be a secret as far as it goes: it is one word, and no plain one, and no number."""
    return len(value) >= 8 and not any(map(str.isspace, value)) and _PLAIN.fullmatch(value) is None


def is_placeholder(value: str) -> bool:
    """Whether a text under a telling name says what belongs there, as in a schema or in a template."""
    return value.lower() in _TYPES or value.startswith(("{", "<", "$", "[redacted", "*", "..."))
