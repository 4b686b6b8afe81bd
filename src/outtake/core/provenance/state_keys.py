"""The parts of a shared state that a step is given and gives back, where its input is such a state.

An event or a message is whole in itself: it comes from who sent it.  A state is put together from what several steps
gave back, so the causes that a record names (what made the step run now) are not all that led to its input.
"""

from __future__ import annotations

from outtake.core.provenance.contents import Contents
from outtake.core.provenance.run_index import Story
from outtake_probe.bodies import reference
from outtake_probe.records import Json

EVERY = frozenset({"*"})
"""Any part: which ones cannot be determined."""
_TAG = "$type"


class Parts:
    """Names of the parts that invocations take and give."""

    def __init__(self, story: Story, contents: Contents) -> None:
        self.story = story
        self.contents = contents

    def taken(self, invocation: int) -> frozenset[str]:
        """The parts of the state that an invocation was given; none where its input is no state."""
        start = self.story.starts[invocation]
        value = self._value(start.get("body"))
        if start.get("type") and isinstance(value, dict) and _TAG in value:
            return frozenset()
        return self._named(value)

    def given(self, invocation: int) -> frozenset[str]:
        """The parts that an invocation gave back."""
        end = self.story.ends.get(invocation)
        if end is None or end.get("failed"):
            return EVERY
        value = self._value(end.get("body"))
        return frozenset() if value is None else self._named(value)

    def _named(self, value: Json) -> frozenset[str]:
        if not isinstance(value, dict):
            return EVERY
        if _TAG not in value:
            return frozenset(value)
        fields = value.get("fields")
        fields = self._value(reference(fields)) if reference(fields) is not None else fields
        if not isinstance(fields, dict) or value[_TAG] not in ("dataclass", "model") or self._is_command(value):
            return EVERY
        return frozenset(fields)

    @staticmethod
    def _is_command(value: Json) -> bool:
        """Whether it says what to do with the state, instead of being a part of it."""
        return str(value.get("class", "")).endswith((":Command", ":Send"))

    def _value(self, body: str | None) -> Json:
        return self.contents.node(body) if body is not None else None
