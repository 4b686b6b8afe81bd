"""What nodes get and return, as JSON: the state as a person knows it, commands, sends, and a node that waits.

    {"$type": "command", "update": {...}, "goto": ["next", {"$type": "send", "node": "work", "arg": ...}]}
    {"$type": "waiting", "interrupts": ["Is this right?"]}                      a node that asked a person and stopped

The state of n messages is looked at once for each message, not once for each node: lists that only grew since the last
time give what they gave, and what is new.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from langchain_core.messages import BaseMessage
from langgraph.errors import GraphBubbleUp, GraphInterrupt, ParentCommand
from langgraph.types import Command, Interrupt, Send

from outtake_probe.bodies import Growing, Part
from outtake_probe.codec import TAG, Family, Opaque, decode, encode
from outtake_probe.records import Json
from outtake_probe.targets.langchain import messages
from outtake_probe.targets.langchain.conversations import Transcript, conversation

# -- commands, sends, interrupts -------------------------------------------------------------------------------------


def _command(value: Any, depth: int) -> dict[str, Json]:
    out: dict[str, Json] = {}
    for name in ("graph", "update", "resume", "goto"):
        item = getattr(value, name, None)
        if item is not None and item != ():
            out[name] = encode(list(item) if name == "goto" and isinstance(item, tuple) else item, depth + 1)
    return out


def _command_from(value: Json) -> Command[Any]:
    return Command(**{name: decode(item) for name, item in value.items() if name != TAG})


def _send(value: Any, depth: int) -> dict[str, Json]:
    timeout = getattr(value, "timeout", None)
    more = {"timeout": encode(timeout, depth + 1)} if timeout is not None else {}
    return {"node": value.node, "arg": encode(value.arg, depth + 1), **more}


def _send_from(value: Json) -> Send:
    more = {"timeout": decode(value["timeout"])} if "timeout" in value else {}
    return Send(value["node"], decode(value.get("arg")), **more)


def _interrupt(value: Any, depth: int) -> dict[str, Json]:
    return {"value": encode(value.value, depth + 1), "id": getattr(value, "id", "")}


def _interrupt_from(value: Json) -> Interrupt:
    return Interrupt(value=decode(value["value"]), id=value.get("id", ""))


@dataclasses.dataclass(frozen=True)
class Waiting:
    """A node did not come to an end: it asked a person, or hands a command to the graph around its own."""

    error: GraphBubbleUp

    def shown(self) -> dict[str, Json]:
        """What it waits for, or what it hands on."""
        first = self.error.args[0] if self.error.args else None
        if isinstance(self.error, GraphInterrupt):
            return {"interrupts": [encode(getattr(one, "value", one)) for one in first or ()]}
        if isinstance(self.error, ParentCommand):
            return {"command": encode(dataclasses.replace(self.error.args[0], graph=Command.PARENT))}
        return {"reason": str(self.error)}


def _not_from_record(value: Json) -> object:
    raise Opaque("a node that waits cannot be brought back from the record: it is executed up to that point again")


FAMILIES = (
    Family("command", Command, _command, _command_from),
    Family("send", Send, _send, _send_from),
    Family("interrupt", Interrupt, _interrupt, _interrupt_from),
    Family("waiting", Waiting, lambda value, _: value.shown(), _not_from_record),
)


# -- state -----------------------------------------------------------------------------------------------------------


class States:
    """The states of one graph's run, as they were last looked at."""

    def __init__(self) -> None:
        self._last: dict[str, Transcript] = {}

    def shown(self, value: Any) -> Json:
        """What a node gets."""
        if type(value) is not dict or any(type(key) is not str for key in value) or TAG in value:
            return messages.body(value)
        return {key: self._item(key, item) for key, item in value.items()}

    def _item(self, key: str, value: Any) -> Json:
        if type(value) is not list or len(value) <= _FEW:
            return messages.body(value)
        last = self._last.get(key)
        plain = _PLAIN.issuperset(map(type, value))
        said = _values(value, last) if plain else conversation(value, last)
        if said is None:
            return messages.body(value)
        self._last[key] = said
        return said.parts

    @property
    def said(self) -> list[Transcript]:
        """The lists in them."""
        return list(self._last.values())

    def ids(self, value: Any, named: set[str]) -> dict[str, int]:
        """Where in a state the messages with these ids are."""
        found: dict[str, int] = {}
        at = 0
        for key, item in value.items() if type(value) is dict else [("", value)]:
            said = self._last.get(key)
            if said is not None and None not in said.ids and named.isdisjoint(said.ids) and _equal(item, said.objects):
                at += len(item)
                continue
            ids = messages.ids_in((item,))
            found = {**{name: at + ids.index(name) for name in named.intersection(ids)}, **found}
            at += len(ids)
        return found


_FEW = 3
"""Items up to which a list is not worth remembering."""
_PLAIN = frozenset((str, int, float, bool, type(None), dict, list))


def _values(value: list[Any], last: Transcript | None) -> Transcript | None:
    """A list of JSON; None where it holds something else."""
    at = len(last.objects) if last is not None else 0
    if last is None or not 0 < at <= len(value) or not _equal(value[:at], last.parts):
        last, at = None, 0
    elif at == len(value):
        return last
    made = list(map(encode, value[at:]))
    if not _equal(value[at:], made):
        return None
    if last is None:
        return Transcript(list(value), Growing(made), [], set(), set(), [])
    return Transcript(list(value), Growing([*last.parts, *made], last.parts), [], set(), set(), [])


def _equal(value: Any, shown: list[Any]) -> bool:
    """Whether values are those, or are what they are shown as."""
    try:
        return bool(value == shown)
    except (TypeError, ValueError):  # arrays and the like do not say whether they are equal
        return False


def spelled(value: Json) -> Json:
    """JSON with every part made."""
    if isinstance(value, Part):
        return spelled(value.make())
    if isinstance(value, dict):
        return {key: spelled(item) for key, item in value.items()}
    return [spelled(item) for item in value] if isinstance(value, list) else value


def is_same(one: Json, other: Json) -> bool:
    """Whether two pieces of JSON say the same, without making their parts."""
    if one is other:
        return True
    if isinstance(one, Part) or isinstance(other, Part):
        return isinstance(one, Part) and isinstance(other, Part) and one.key == other.key
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_same(item, other[key]) for key, item in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_same, one, other))
    return bool(one == other)


def revised(original: Any, shown: Json, new: Json) -> Any:
    """The value that an edited input stands for; whatever the edit did not touch is the original itself."""
    if new == spelled(shown):
        return original
    if isinstance(original, Mapping) and isinstance(new, dict) and isinstance(shown, dict) and TAG not in new:
        return {
            key: revised(original[key], shown[key], item) if key in original and key in shown else _plain(item)
            for key, item in new.items()
        }
    if isinstance(original, list) and isinstance(new, list) and isinstance(shown, list):
        return [
            revised(original[i], shown[i], item) if i < len(original) else _like(original, item)
            for i, item in enumerate(new)
        ]
    if isinstance(original, BaseMessage):
        return _same_id(original, messages.coerced(new, original.type)[0])
    return _plain(new)


def _like(items: list[Any], new: Json) -> Any:
    """A new item of a list: a message, where the list has messages."""
    if items and isinstance(items[0], BaseMessage):
        return messages.coerced(new)[0]
    return _plain(new)


def _plain(value: Json) -> Any:
    if messages.looks_like_message(value):
        return messages.given(value, "human")
    return [_plain(item) for item in value] if isinstance(value, list) else decode(value)


def _same_id(old: BaseMessage, new: BaseMessage) -> BaseMessage:
    if new.id is None:
        new.id = old.id
    return new
