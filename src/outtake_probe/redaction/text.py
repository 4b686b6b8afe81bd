"""The cleaner: replaces every secret in a text by a mark.

It goes over every string of every prompt, so what is expensive is done only where a sign of a secret is in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from outtake_probe.redaction.forms import BEARER, FORMS, open_at_end
from outtake_probe.redaction.known import SHORTEST, Known, secrets_in
from outtake_probe.redaction.names import Telling, is_placeholder, looks_secret, telling

MARK = "[redacted]"
_HINTS = ("key", "token", "secret", "pass", "pwd", "credential", "authorization", "cookie", "jwt", "dsn")
"""Parts of telling names."""
_WORD = re.compile(
    r"(?:key|token|secret|pass(?:w(?:or)?d|phrase|code)?|pwd|credential|authorization|cookie|jwt|dsn)s?(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_BEFORE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. ")
_NAME = 40
"""Characters of a name that are looked at."""
_SEPARATOR = re.compile(r"(\\*[\"'])?\]?[ \t]*(=>|:=|[:=]|,(?=[ \t]*\\*[\"']))[ \t\r\n]*([bruf]{0,2}\\*[\"'])?")
_BARE = re.compile(r"[^\s\"'&;,<>()\[\]{}\\`|]{6,}")
_LINE = re.compile(r"[^\r\n\"'\\]{4,}")
_LONGEST = 4096
_FORMS = tuple((sign, re.compile(form, re.DOTALL)) for sign, form in FORMS.items() if " " not in sign)
_BLOCKS = tuple((sign, re.compile(form, re.DOTALL)) for sign, form in FORMS.items() if " " in sign)
_STARTS = tuple(FORMS)
_SHORT_WORD = 9
"""Characters of a word up to which it holds no secret of a well-known form."""
_LONG_WORD = 20
"""Characters from which a word of letters only may hold one."""
_BEARER = re.compile(BEARER)
_ASCII = {i: i + 32 for i in range(65, 91)}
Span = tuple[int, int]


class Cleaner:
    """Replaces secrets in texts.  `patterns` are the user's own.  Raises `re.error` for one that is none.

    `generation` grows with each secret that becomes known: what was cleaned before may have to be cleaned again.
    """

    def __init__(self, patterns: Iterable[str] = (), environ: Mapping[str, str] | None = None) -> None:
        self._own = [re.compile(pattern) for pattern in patterns]
        self._known: dict[str, Known] = {}
        self._signs: list[tuple[str, Known]] = []
        """Those that stand only in words that are looked at."""
        self._plain: list[tuple[str, Known]] = []
        self.generation = 0
        for name, value in (environ or {}).items():
            self.learn(name, value)

    def learn(self, name: str, value: str) -> None:
        """An environment variable has this value now."""
        for secret in secrets_in({name: value}):
            self.learn_secret(secret)

    def learn_secret(self, secret: str) -> None:
        """This is a secret, wherever it stands."""
        for line in [secret, *secret.splitlines()] if "\n" in secret else [secret]:
            if len(line) >= SHORTEST - 2 and line not in self._known:
                known = self._known[line] = Known(line)
                for sign in known.signs:
                    (self._signs if _words(sign) else self._plain).append((sign, known))
                self.generation += 1

    def __call__(self, text: str) -> str:
        """The text without secrets."""
        if len(text) < SHORTEST - 2:
            return text
        spans = self.spans(text)
        return replaced(text, spans) if spans else text

    def spans(self, text: str) -> list[Span]:
        """Where secrets stand in a text, in order; none overlaps another."""
        found = [span for sign, known in self._plain if sign in text for span in known.spans(text)]
        words = _words(text)
        if words:
            found += [span for sign, known in self._signs if sign in words for span in known.spans(text)]
            found += [match.span() for sign, form in _FORMS if sign in words for match in form.finditer(text)]
        found += [match.span() for sign, form in _BLOCKS if sign in text for match in form.finditer(text)]
        for pattern in self._own:
            found += [match.span() for match in pattern.finditer(text) if match.end() > match.start()]
        lower = _lower(text)
        if "bearer" in lower:
            found += [match.span() for match in _BEARER.finditer(text)]
        if "=" in text or ":" in text or "," in text:
            found += self._named(text, lower)
        return joined(found) if found else found

    def _named(self, text: str, lower: str) -> Iterator[Span]:
        """What stands after a telling name: in JSON, code, headers, addresses, settings."""
        for hint in _HINTS:
            at = lower.find(hint)
            while at >= 0:
                word = _WORD.match(text, at)
                if word is not None:
                    span = _after_name(text, at, word.end())
                    if span is not None:
                        yield span
                at = lower.find(hint, at + len(hint))

    def open_at_end(self, text: str) -> int:
        """From where on the end of a text may be the beginning of a secret; its length where there is none."""
        places = [len(text)]
        places += [at for known in self._known.values() if (at := known.begins_at_end(text)) is not None]
        at = open_at_end(_STARTS, text)
        if at is not None:
            places.append(at)
        named = self._named(text + "\0", _lower(text) + "\0")  # what goes to the mark is not closed
        places += [begin for begin, end in named if end > len(text)]
        return min(places)


def _lower(text: str) -> str:
    """The text in lower case, as long as it is."""
    lower = text.lower()
    return lower if len(lower) == len(text) else text.translate(_ASCII)  # some letters are two in lower case


def replaced(text: str, spans: Iterable[Span]) -> str:
    """The text with the mark in the place of what stands there."""
    parts, at = [], 0
    for begin, end in spans:
        parts += [text[at:begin], MARK]
        at = end
    return "".join([*parts, text[at:]])


def joined(found: list[Span]) -> list[Span]:
    """Spans in order, those that overlap as one."""
    out: list[Span] = []
    for begin, end in sorted(found):
        if out and begin < out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((begin, end))
    return out


def _words(text: str) -> str:
    """The words of a text that may hold a secret: in prose few, and searching in these takes a small part of the time.

    What holds none of them is a short word, or one of letters only.
    """
    return "\n".join(
        [
            word
            for word in set(text.split())
            if len(word) >= _SHORT_WORD and (len(word) >= _LONG_WORD or not word.isalpha())
        ]
    )


def _after_name(text: str, at: int, end: int) -> Span | None:
    """Where the secret stands that a name leads to, which has its last word from `at` to `end`."""
    separator = _SEPARATOR.match(text, end)
    if separator is None:
        return None
    begin = at
    while begin and at - begin < _NAME and text[begin - 1] in _BEFORE and text[begin - 1] not in " .":
        begin -= 1
    name = text[begin:end]
    told = telling(name)
    if not told and begin and text[begin - 1] == " ":  # as in "API key: ..."
        while begin and at - begin < _NAME and text[begin - 1] in _BEFORE:
            begin -= 1
        told = telling(text[begin:end])
    if not told:
        return None
    closed, how, opened = separator.groups()
    value = separator.end()
    if how == ",":
        return (
            _quoted(text, value, opened, "perhaps")
            if closed and opened and begin and text[begin - 1] in "\"'"
            else None
        )
    if opened is not None:
        return _quoted(text, value, opened, told if closed or how == "=" else "perhaps")
    if closed is None and how == ":" and name.lower().endswith(("authorization", "cookie")):
        line = _LINE.match(text, value)
        return line.span() if line is not None and not is_placeholder(line.group()) else None
    return None if closed is not None else _bare(text, value)


def _quoted(text: str, begin: int, opened: str, told: Telling) -> Span | None:
    """A value in quotes, which may be escaped: JSON in JSON."""
    mark = opened.lstrip("bruf")
    end = text.find(mark, begin, begin + _LONGEST)
    while end > 0 and len(mark) == 1 and text[end - 1] == "\\" and text[end - 2] != "\\":
        end = text.find(mark, end + 1, begin + _LONGEST)
    if end < 0:
        end = len(text) if len(text) - begin < _LONGEST else begin
    value = text[begin:end].rstrip("\0")
    if len(value) < 3 or "\n" in value or is_placeholder(value):
        return None
    return (begin, end) if told == "surely" or looks_secret(value) else None


def _bare(text: str, begin: int) -> Span | None:
    """A value without quotes: one word that has digits and letters in it, and is no expression of a language."""
    found = _BARE.match(text, begin)
    if found is None or text[found.end() : found.end() + 1] in ("(", "["):
        return None
    value = found.group().rstrip(".:!?")
    is_mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    if not is_mixed or is_placeholder(value) or re.fullmatch(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|/.*|\w+://.*", value):
        return None
    return begin, begin + len(value)
