"""The seam in a client library: put in place, and taken out again.

A call made inside an invocation of a model (by the client of a framework whose model calls are recorded already) is
part of that one and passes through.
"""

from __future__ import annotations

import functools
import os
from typing import Any

from outtake_probe.calls import nested
from outtake_probe.keeping import stateless
from outtake_probe.session import Session
from outtake_probe.targets.stainless.exchange import Exchange
from outtake_probe.targets.stainless.library import Library
from outtake_probe.targets.toolkit.paths import is_inside

SEAMS = ("request", "_process_response", "_process_response_data")


class Hooks:
    """The hooks in one library."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._session: Session | None = None
        self._pid = 0
        self._patched: list[tuple[type[Any], Any, Any]] = []

    def install(self, session: Session) -> list[str]:
        """Send the library's model calls through the gate of `session`; returns what cannot be hooked, in words."""
        self._session, self._pid = session, os.getpid()
        stateless.update(self._library.clients)
        missing = [self._missing(index) for index in range(2)]
        if not self._patched:
            for index, lacks in enumerate(missing):
                if lacks is None:
                    self._patch(self._library.clients[index], awaits=index == 1)
        if self._library.wire_helper:
            missing.append(f"{self._library.name}'s own helper for streams reads from the wire: its calls are not seen")
        return [words for words in missing if words is not None]

    def remove(self) -> None:
        """Leave the library as it was."""
        for owner, original, ours in self._patched:
            if vars(owner).get("request") is ours:
                owner.request = original
        self._patched.clear()
        self._session = None

    def _missing(self, index: int) -> str | None:
        """Which seam this version lacks, and what is lost by it."""
        client, stream = self._library.clients[index], self._library.streams[index]
        lacking = [f"{client.__name__}.{name}" for name in SEAMS if not hasattr(client, name)]
        if not hasattr(stream, "__stream__"):
            lacking.append(f"{stream.__name__}.__stream__")
        if not lacking:
            return None
        return f"{', '.join(lacking)}: model calls of {self._library.name}'s {client.__name__} are not seen"

    def _patch(self, client: type[Any], *, awaits: bool) -> None:
        owner = next(cls for cls in client.__mro__ if "request" in vars(cls))
        original = vars(owner)["request"]
        ours = self._async_request(original) if awaits else self._request(original)
        owner.request = ours  # type: ignore[attr-defined]
        self._patched.append((owner, original, ours))

    def _request(self, original: Any) -> Any:
        @functools.wraps(original)
        def request(client: Any, cast_to: Any, options: Any, *args: Any, **kwargs: Any) -> Any:
            exchange = self._exchange(client, cast_to, options, kwargs)
            if exchange is None:
                return original(client, cast_to, options, *args, **kwargs)
            real = functools.partial(original, client, cast_to)
            if exchange.is_unread:
                return exchange.unread(real)
            return exchange.streamed(real) if exchange.streams else exchange.whole(real)

        return request

    def _async_request(self, original: Any) -> Any:
        @functools.wraps(original)
        async def request(client: Any, cast_to: Any, options: Any, *args: Any, **kwargs: Any) -> Any:
            exchange = self._exchange(client, cast_to, options, kwargs)
            if exchange is None:
                return await original(client, cast_to, options, *args, **kwargs)
            real = functools.partial(original, client, cast_to)
            if exchange.is_unread:
                return await exchange.aunread(real)
            return await (exchange.astreamed(real) if exchange.streams else exchange.awhole(real))

        return request

    def _exchange(self, client: Any, cast_to: Any, options: Any, kwargs: dict[str, Any]) -> Exchange | None:
        """The invocation that this request is, or None where it is none, or part of one that is seen already."""
        session, api = self._session, self._library.api(options)
        if session is None or self._pid != os.getpid() or api is None:
            return None
        if is_inside("model"):
            return None
        exchange = Exchange(
            session.here, self._library, api, client=client, cast_to=cast_to, options=options, kwargs=kwargs
        )
        if exchange.from_the_wire:
            session.note("not_recorded", nested("model"), {"reason": "read from the wire", "api": api.type})
            return None
        return exchange
