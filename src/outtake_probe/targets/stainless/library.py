"""In what the client libraries differ: their classes, and the model calls that they can make."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from outtake_probe.calls import Usage
from outtake_probe.records import Json
from outtake_probe.targets.base import Capability

CAPABILITIES: tuple[Capability, ...] = ("hold:model", "edit", "mock", "drop")
Absent = tuple[type, ...]
"""The classes whose instances stand for an argument that was not given; the first can be made without arguments."""


def is_list_of_objects(turns: Json) -> bool:
    """Whether this can be a conversation."""
    return isinstance(turns, list) and all(isinstance(item, dict) for item in turns)


@dataclass(frozen=True, slots=True)
class Turns:
    """The part of a request that holds the conversation, or what is asked in its place."""

    name: str
    takes: Callable[[Json], bool] = is_list_of_objects
    """Whether it may be this."""
    example: Json = field(default_factory=lambda: [{"role": "user", "content": "Hello"}])


@dataclass(frozen=True, slots=True)
class Api:
    """One kind of model call: its path, what its request says, and what answers of it look like."""

    path: str
    type: str
    turns: Turns
    whole: Callable[[Json, str], Json]
    """Of the request and a text, the response in which the model says this text."""
    pieces: Callable[[Json, str], list[Json]]
    """The same as the pieces of a stream."""
    wrong: Callable[[Json], str | None]
    """What is wrong with a response, in words, or None."""
    wrong_piece: Callable[[Json], str | None]
    usage: Callable[[Json], Usage | None]
    """What a response, or a piece of a stream, says of the tokens used so far."""
    says_text: bool = True
    """Whether a text can stand for an answer."""


@dataclass(frozen=True, slots=True)
class Library:
    """One client library, as far as it differs from its sisters."""

    name: str
    clients: tuple[type[Any], type[Any]]
    """The client that blocks and the client that awaits."""
    streams: tuple[type[Any], type[Any]]
    absent: Absent
    error: type[Exception]
    http: ModuleType
    apis: Sequence[Api]
    wire_helper: str = ""
    """Header of requests of a helper that reads its stream from the wire by itself, where there is such a one."""

    def api(self, options: Any) -> Api | None:
        """The model call that these options describe, if they do."""
        path = str(options.url).partition("?")[0]
        found = (api for api in self.apis if path == api.path and options.method.lower() == "post")
        return next(found, None) if isinstance(options.json_data, Mapping) else None


def http_module(timeout: type[Any]) -> ModuleType:
    """The HTTP library below a client library, found by the time-out class that it exports under a name of its own."""
    return sys.modules[timeout.__init__.__module__.partition(".")[0]]
