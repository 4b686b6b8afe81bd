"""Secrets in JSON values: what stands under a telling name, in an object, in pairs of names and values, in bytes."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping, Sequence

from outtake_probe.records import Json
from outtake_probe.redaction.names import Telling, is_secret, looks_secret, telling
from outtake_probe.redaction.pieces import SHORT, cleaned_texts
from outtake_probe.redaction.text import MARK, Cleaner

TAG = "$type"
_MOST = 5000
"""Texts of a list that are looked at together."""
_NAMES = 20_000
_SHAPES = 2_000
_NAMED = ("name", "key")
Name = tuple[str, Telling]


class Structure:
    """Cleans what texts alone do not show."""

    def __init__(self, clean: Cleaner) -> None:
        self._clean = clean
        self._names: dict[str, Name] = {}
        self._plain: dict[tuple[str, ...], list[str]] = {}
        """Clean names of objects none of whose names tells anything, by the names that they have."""
        self._generation = 0

    def cleaned(self, value: Json) -> Json:
        """A whole value without secrets."""
        if isinstance(value, str):
            return self._clean(value)
        if isinstance(value, Mapping):
            return {name: self.cleaned(item) for name, item in self.fields(value)}
        return [self.cleaned(item) for item in self.items(value)] if isinstance(value, (list, tuple)) else value

    def fields(self, value: Mapping[str, Json]) -> Iterable[tuple[str, Json]]:
        """The fields of an object, with clean names, and without what a name tells; texts in them are as they were."""
        self._keep_up()
        shape = tuple(value)
        plain = self._plain.get(shape)
        if plain is not None:
            return zip(plain, value.values(), strict=True)
        told = [(self._name(name), item) for name, item in value.items()]
        if any(kind for (_, kind), _ in told) or "value" in value or TAG in value:
            told = self._named(value, told)
        names = [name for (name, _), _ in told]
        if len(set(names)) < len(names):
            names = _apart(names)
        elif not any(kind for (_, kind), _ in told) and "value" not in value and TAG not in value:
            if len(self._plain) >= _SHAPES:
                self._plain.clear()
            self._plain[shape] = names
        return [(name, item) for name, (_, item) in zip(names, told, strict=True)]

    def items(self, value: Sequence[Json]) -> Sequence[Json]:
        """The items of a list, without what only all of them say, or the first of two tells of the second."""
        if len(value) == 2 and self._is_secret_pair(_said(value[0]), _said(value[1])):
            return [value[0], MARK]
        if len(value) < 2 or type(value[0]) is not str or type(value[1]) is not str:
            return value
        if len(value) > _MOST or not all(type(item) is str and len(item) <= SHORT for item in value):
            return value
        return cleaned_texts(self._clean, value)

    def _is_secret_pair(self, name: str | None, said: str | None) -> bool:
        return bool(name and said) and bool(self._name(name or "")[1]) and any(map(looks_secret, (said or "").split()))

    def name(self, name: str) -> str:
        """A name without secrets."""
        return self._name(name)[0]

    def _named(self, value: Mapping[str, Json], told: Sequence[tuple[Name, Json]]) -> list[tuple[Name, Json]]:
        tag = value.get(TAG)
        if tag == "bytes":
            return [(name, self._bytes(item) if name[0] == "base64" else item) for name, item in told]
        if tag == "dict":
            return [(name, self._pairs(item) if name[0] == "items" else item) for name, item in told]
        found = [(name, self._under(name[1], item)) for name, item in told]
        name = next((value[key] for key in _NAMED if isinstance(value.get(key), str)), "")
        if "value" in value and name and (kind := self._name(name)[1]):
            found = [(n, self._under(kind, item) if n[0] == "value" else item) for n, item in found]
        return found

    def _under(self, told: Telling, item: Json) -> Json:
        """What stands under a name: texts, and lists of texts, are secrets."""
        if not told:
            return item
        if isinstance(item, str):
            return MARK if is_secret(told, item) else item
        if isinstance(item, (list, tuple)):
            return [self._under(told, each) if isinstance(each, (str, dict)) else each for each in item]
        if isinstance(item, dict) and item.get(TAG) in ("tuple", "set", "frozenset"):
            return {**item, "items": self._under(told, item.get("items"))}
        return MARK if isinstance(item, dict) and item.get(TAG) == "bytes" else item

    def _pairs(self, items: Json) -> Json:
        """The items of a mapping whose keys are not all texts."""
        return [self._pair(*item) if isinstance(item, list) and len(item) == 2 else item for item in items or ()]

    def _pair(self, key: Json, item: Json) -> Json:
        name = _said(key)
        return [key, self._under(self._name(name)[1], item) if name else item]

    def _bytes(self, item: Json) -> Json:
        text = _text(item) if isinstance(item, str) else None
        clean = self._clean(text) if text is not None else None
        if text == clean or clean is None:
            return item
        return base64.b64encode(clean.encode("latin-1", "replace")).decode()

    def _keep_up(self) -> None:
        """Forget names that were looked at before another secret became known."""
        if self._clean.generation != self._generation or len(self._names) > _NAMES:
            self._generation = self._clean.generation
            self._names.clear()
            self._plain.clear()

    def _name(self, name: str) -> Name:
        """A name without secrets, and what it tells."""
        self._keep_up()
        found = self._names.get(name)
        if found is None:
            found = self._names[name] = (self._clean(name), telling(name))
        return found


def _said(value: Json) -> str | None:
    """The text that a text or tagged bytes say."""
    if type(value) is str:
        return value
    if isinstance(value, dict) and value.get(TAG) == "bytes" and isinstance(value.get("base64"), str):
        return _text(value["base64"])
    return None


def _text(encoded: str) -> str | None:
    """Bytes as a text in which every byte is a character."""
    try:
        return base64.b64decode(encoded).decode("latin-1")
    except (ValueError, binascii.Error):
        return None


def _apart(names: Sequence[str]) -> list[str]:
    """Names of fields that are distinguished: several of one object may have been secrets."""
    seen: dict[str, int] = {}
    out = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        out.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return out
