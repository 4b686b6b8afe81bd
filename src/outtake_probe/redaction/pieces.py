"""Secrets that are split over pieces: of a stream, of a list of short texts, of what a process prints.

No piece holds such a secret, all of them together do.  The pieces keep their number and their form: the first one that
has a part of the secret has the mark, the others lose their parts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from outtake_probe.records import Json
from outtake_probe.redaction.text import MARK, Cleaner, Span, joined

Path = tuple[str | int, ...]
SHORT = 400
"""Characters up to which a text counts as a piece of one."""
WINDOW = 4096
"""Characters that are remembered of the pieces that have gone out."""
DEPTH = 20


def cleaned_texts(clean: Cleaner, texts: Sequence[str]) -> list[str]:
    """Short texts without the secrets that they only hold together."""
    spans = _spans(clean, texts)
    return _cut(list(texts), spans) if spans else list(texts)


def cleaned_list(clean: Cleaner, pieces: Sequence[Json]) -> list[Json]:
    """All pieces of a stream without the secrets that they only hold together."""
    return Stream(clean).take(list(pieces), is_last=True)


class Stream:
    """The pieces of one stream, as they go out.

    A piece waits while its end may be the beginning of a secret.  If it has to go out at once, that end is masked.
    """

    def __init__(self, clean: Cleaner) -> None:
        self._clean = clean
        self._past: dict[Path, str] = {}
        self._last: dict[Path, str] = {}
        self._varies: set[Path] = set()
        """Places that have not said the same in each piece."""
        self._open: set[Path] = set()
        """Where what went out last ends with the mark."""

    def is_open(self, pieces: Sequence[Json]) -> bool:
        """Whether the pieces that wait end where a secret may have begun."""
        for path, parts in self._by_path(pieces).items():
            text = self._past.get(path, "") + "".join(part for _, part in parts)
            if self._clean.open_at_end(text) < len(text):
                return True
        return False

    def take(self, pieces: list[Json], *, is_last: bool = False) -> list[Json]:
        """The pieces that go out, clean."""
        changes: dict[int, dict[Path, str]] = {}
        for path, parts in self._by_path(pieces).items():
            past = self._past.get(path, "")
            texts = [past, *(part for _, part in parts)]
            whole = "".join(texts)
            spans = _spans(self._clean, texts)
            end = len(whole) if is_last else self._clean.open_at_end(whole)
            if end < len(whole) and not any(first <= end < last for first, last in spans):
                spans = [span for span in spans if span[1] <= end] + [(end, len(whole))]
            went = len(past)
            inside = [(max(begin, went), end) for begin, end in spans if end > went]
            cut = _cut(texts, inside)[1:]
            if path in self._open and inside and inside[0][0] == went:  # the mark is where it began
                cut[0] = cut[0].removeprefix(MARK)
            self._open.discard(path)
            if inside and inside[-1][1] == len(whole):
                self._open.add(path)
            self._past[path] = whole[-WINDOW:]
            for (index, part), new in zip(parts, cut, strict=True):
                if new != part:
                    changes.setdefault(index, {})[path] = new
        for piece in pieces:
            for path, text in _texts(piece, (), 0):
                if self._last.get(path, text) != text:
                    self._varies.add(path)
                self._last[path] = text
        return [_changed(piece, (), changes[n]) if n in changes else piece for n, piece in enumerate(pieces)]

    def _by_path(self, pieces: Sequence[Json]) -> dict[Path, list[tuple[int, str]]]:
        """The short texts at each place of the pieces; what says the same in each, or an id, is no part of one."""
        found: dict[Path, list[tuple[int, str]]] = {}
        last, varies = dict(self._last), set(self._varies)
        for index, piece in enumerate(pieces):
            for path, text in _texts(piece, (), 0):
                is_same = last.setdefault(path, text) == text and bool(found.get(path) or path in self._last)
                if not is_same and last[path] != text:
                    varies.add(path)
                last[path] = text
                if is_same and len(text) >= 8 and (path not in varies or _is_id(path)):
                    continue
                found.setdefault(path, []).append((index, text))
        return found


class Printed:
    """What a process prints, as it comes: an end that may be the beginning of a secret waits for what follows."""

    def __init__(self, clean: Cleaner) -> None:
        self._clean = clean
        self._past = self._waiting = ""

    def add(self, text: str, *, is_last: bool = False) -> str:
        """What can be determined now, clean."""
        past, text = self._past, self._waiting + text
        whole = past + text
        end = len(whole)
        if not is_last:
            end = max(len(past), self._clean.open_at_end(whole), end - WINDOW)
        self._past, self._waiting = whole[:end][-WINDOW:], whole[end:]
        spans = [span for span in self._clean.spans(whole[:end]) if span[1] > len(past)]
        return _cut([past, whole[len(past) : end]], spans)[1]


def _is_id(path: Path) -> bool:
    """Whether a place is called an id: it may change from time to time, and is never a part of a text."""
    return bool(path) and str(path[-1]).lower().endswith("id")


def _spans(clean: Cleaner, texts: Sequence[str]) -> list[Span]:
    """Where secrets stand in all texts together: those that one text has by itself, and those that only all have."""
    found = clean.spans("".join(texts))
    at = 0
    for text in texts:
        found += [(at + begin, at + end) for begin, end in clean.spans(text)]
        at += len(text)
    return joined(found)


def _texts(piece: Json, path: Path, depth: int) -> Iterator[tuple[Path, str]]:
    if isinstance(piece, str):
        if 0 < len(piece) <= SHORT:
            yield path, piece
    elif depth < DEPTH and isinstance(piece, dict):
        for name, item in piece.items():
            yield from _texts(item, (*path, name), depth + 1)
    elif depth < DEPTH and isinstance(piece, list):
        for index, item in enumerate(piece):
            yield from _texts(item, (*path, index), depth + 1)


def _changed(piece: Json, path: Path, changes: dict[Path, str]) -> Json:
    if isinstance(piece, str):
        return changes.get(path, piece)
    if isinstance(piece, dict):
        return {name: _changed(item, (*path, name), changes) for name, item in piece.items()}
    if isinstance(piece, list):
        return [_changed(item, (*path, index), changes) for index, item in enumerate(piece)]
    return piece


def _cut(texts: list[str], spans: Sequence[Span]) -> list[str]:
    """The texts with the mark where a secret of all of them together begins, and without the rest of it."""
    starts = [0, *accumulate(map(len, texts))]
    out = list(texts)
    for begin, end in reversed(spans):
        first, last = bisect_right(starts, begin) - 1, bisect_right(starts, end - 1) - 1
        for n in range(last, first - 1, -1):
            low, high = max(begin - starts[n], 0), min(end - starts[n], len(texts[n]))
            out[n] = out[n][:low] + (MARK if n == first else "") + out[n][high:]
    return out
