"""An edit of a model call's input: what a person wrote, merged into the prompt that the program made."""

from __future__ import annotations

from collections.abc import Mapping

from outtake_probe.bodies import Part
from outtake_probe.commands import BadValue
from outtake_probe.records import Json


def merge_prompt(
    prompt: Mapping[str, Json],
    value: Json,
    *,
    schema: Json = None,
    template: Mapping[str, Json] | None = None,
    allow_unknown: bool = False,
) -> dict[str, Json]:
    """The whole input of an edited model call; `prompt` is the input so far, with its list of messages in "messages".

    A text becomes the content of the last message, a list all messages, and an object replaces the fields that it
    names.  `template` is the message that a text is put into where the prompt has none.  The messages themselves are
    not checked.

    Raises `BadValue`, with the `schema` of the messages where they are at fault, and for a field that the prompt does
    not have unless `allow_unknown` is set.
    """
    messages = [each.make() if isinstance(each, Part) else each for each in prompt["messages"]]
    if isinstance(value, str):
        last = messages[-1] if messages else template
        if last is None:
            raise BadValue("the prompt has no message whose text could be changed")
        value = [*messages[:-1], {**last, "content": value}]
    if isinstance(value, list):
        value = {"messages": value}
    if not isinstance(value, dict):
        raise BadValue('the input of a model call is an object with "messages", or the text of its last message')
    unknown = [name for name in value if name not in prompt]
    if unknown and not allow_unknown:
        raise BadValue(f"the input of a model call has no field {unknown[0]!r}; it has {', '.join(prompt)}")
    full = {**prompt, "messages": messages, **value}
    if not isinstance(full["messages"], list):
        raise BadValue('"messages" is a list of messages', schema)
    return full
