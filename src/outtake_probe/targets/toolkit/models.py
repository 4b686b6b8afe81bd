"""Model calls: what a model is asked and what it answers, written as JSON by a codec of its framework."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar

from outtake_probe.calls import Call, Usage
from outtake_probe.codec import decode
from outtake_probe.records import Json
from outtake_probe.session import Session
from outtake_probe.targets.toolkit.boundary import Arguments, Bound, Boundary, Method
from outtake_probe.targets.toolkit.paths import child_path, is_inside
from outtake_probe.targets.toolkit.prompts import merge_prompt


class ModelRequest(ABC):
    """One call of a model.  It is made when the call begins, and may keep how far a stream has come.

    Where its class sets nothing else, a piece of a stream is written like a whole answer, and a mock of a stream is one
    piece, or the list of all.
    """

    name: ClassVar[str] = "model"
    """Name of the component below the one that asks."""
    implemented_by: ClassVar[Sequence[str]] = ()
    """The methods by which a model's class implements it: they count as its code where they are the program's."""

    def __init__(self, model: Any) -> None:
        self.model = model

    # -- what is asked ---------------------------------------------------------------------------------------------

    @abstractmethod
    def prompt(self, path: str) -> dict[str, Json]:
        """What the model is asked; the conversations of those that share a model are distinguished by `path`."""

    def merge(self, prompt: dict[str, Json], value: Json) -> Json:
        """The whole prompt of an edit, which may say only part of it.  Raises `BadValue`."""
        return merge_prompt(prompt, value)

    def decode_prompt(self, value: Json) -> Any:
        """What `rebind` needs of an edited prompt."""
        return decode(value)

    def rebind(self, new: Any) -> Arguments:
        """The arguments of the method for an edited prompt, which is decoded already."""
        raise NotImplementedError(f"{type(self).__name__} is no call of a method")

    # -- what is answered ------------------------------------------------------------------------------------------

    @abstractmethod
    def encode(self, answer: Any) -> Json:
        """A whole answer."""

    @abstractmethod
    def decode(self, value: Json) -> Any:
        """The whole answer that `encode` or `complete` wrote."""

    @abstractmethod
    def complete(self, value: Json) -> Json:
        """The whole answer of a mock, which may say only the essential.  Raises `BadValue`."""

    def encode_piece(self, piece: Any) -> Json:
        """A piece of a stream; the pieces come in order."""
        return self.encode(piece)

    def decode_piece(self, value: Json) -> Any:
        """The piece that `encode_piece` or `complete_pieces` wrote; the pieces come in order."""
        return self.decode(value)

    def complete_pieces(self, value: Json) -> Json:
        """The pieces of a mock of a stream.  Raises `BadValue`."""
        return [self.complete(piece) for piece in (value if isinstance(value, list) else [value])]

    def usage(self, answer: Any) -> Usage | None:
        """The tokens that a whole answer, or the last piece of a stream, says it took."""
        return None

    # -- the call --------------------------------------------------------------------------------------------------

    def finish(self, answer: Any) -> Any:
        """What the program gets for an answer, or for a piece of one, wherever that comes from."""
        return answer

    def replaced(self) -> None:
        """The record or an edit answered instead of the model."""
        return

    def call(self, *, streams: bool = False) -> Call:
        """The invocation."""
        path = child_path(self.name)
        prompt, cls = self.prompt(path), type(self.model)
        return Call(
            "model",
            path,
            prompt,
            type=cls.__name__,
            functions=[method for name in self.implemented_by if (method := getattr(cls, name, None)) is not None],
            decode_input=self.decode_prompt,
            encode=self.encode_piece if streams else self.encode,
            decode=self.decode_piece if streams else self.decode,
            usage=self.usage,
            normalize=lambda _, value: self.merge(prompt, value),
            normalize_output=self.complete_pieces if streams else self.complete,
        )


MakeRequest = Callable[..., ModelRequest]
"""Is given the method and the arguments of its call."""


class ModelBoundary:
    """Wraps methods that ask a model.

    Implementations call each other (a caching client calls another client, a chat is a completion below): a call inside
    that of a model is part of it.
    """

    def __init__(
        self,
        session: Callable[[], Session],
        request: MakeRequest,
        around: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        """`session` and `around` are as in `Boundary`."""
        whole = Boundary(session, functools.partial(_describe, request, False), around)
        pieces = Boundary(session, functools.partial(_describe, request, True), around)
        self.call, self.acall = whole.call, whole.acall
        self.stream, self.astream = pieces.stream, pieces.astream
        self.open_stream, self.aopen_stream = pieces.open_stream, pieces.aopen_stream


def _describe(request: MakeRequest, streams: bool, method: Method, *args: Any, **kwargs: Any) -> Bound | None:
    if is_inside("model"):
        return None
    this = request(method, *args, **kwargs)
    return Bound(this.call(streams=streams), this.rebind, this.replaced, finish=this.finish)
