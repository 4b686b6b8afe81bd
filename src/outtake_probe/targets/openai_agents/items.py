"""Items of the Responses API, in which the SDK keeps all that is said: as JSON to read and edit, and back.

Ids of items and calls are made up by the provider, or by a program's model.  Where items are an input, those of items
are left out, and those of calls are numbered in what digests cover.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from openai._models import construct_type
from openai.types.responses import ResponseOutputItem
from pydantic import BaseModel, TypeAdapter, ValidationError

from outtake_probe.codec import encode
from outtake_probe.commands import BadValue
from outtake_probe.records import Json
from outtake_probe.targets.toolkit.conversations import ComparedConversations
from outtake_probe.targets.toolkit.responses_api import output_items

_UNSAID = frozenset({"id", "status"})
_EMPTY: tuple[Json, ...] = (None, [], {})
_ITEMS: TypeAdapter[Any] = TypeAdapter(list[ResponseOutputItem])
Item = Mapping[str, Any]


# -- what is told ----------------------------------------------------------------------------------------------------


def conversations() -> ComparedConversations:
    """The prompts of one program, as its models and turns follow them."""
    return ComparedConversations(show, _comparable)


def as_items(given: str | Sequence[Any]) -> list[Item]:
    """An input of the SDK's as items; a text is what a user says."""
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    return list(given)


def show(item: Item) -> Json:
    """An item of an input: what it says."""
    return {name: _shown(value) for name, value in item.items() if name not in _UNSAID and value not in _EMPTY}


def _shown(value: Any) -> Json:
    """A part of a content, without the lists that are empty as a rule."""
    if isinstance(value, list):
        return [_shown(each) for each in value]
    if isinstance(value, dict):
        return {name: _shown(each) for name, each in value.items() if each not in _EMPTY}
    return encode(value)


def _comparable(shown: dict[str, Json], number: Callable[[str], int]) -> Json:
    named = {name: value for name, value in shown.items() if name != "encrypted_content"}
    return {**named, "call_id": number(named["call_id"])} if "call_id" in named else named


def unshow(messages: Sequence[Json], given: str | Sequence[Any]) -> list[Any]:
    """The items of an edited input: what stays is as it was `given`."""
    before = as_items(given)
    at = {json.dumps(show(item), sort_keys=True): item for item in before}
    return [at.get(json.dumps(message, sort_keys=True), message) for message in messages]


# -- what is answered ------------------------------------------------------------------------------------------------


def dump(item: Any) -> Json:
    """A model's item, or a part of a response, as it is."""
    return item.model_dump(mode="json", exclude_unset=True, warnings=False) if isinstance(item, BaseModel) else item


def build(kind: Any, value: Json) -> Any:
    """What `dump` wrote: an object of the client's types, as forgiving as the client is to what a provider sends."""
    return construct_type(type_=kind, value=value)


def output(value: Json) -> list[Json]:
    """The items of a mocked answer, see `output_items`.  Raises `BadValue`."""
    items = output_items(value)
    try:
        _ITEMS.validate_python(items)
    except ValidationError as error:
        first = error.errors()[0]
        raise BadValue(f"an item of the answer is wrong at {first['loc']}: {first['msg']}") from None
    return items
