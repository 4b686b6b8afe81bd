"""The seam in a client library: put in place, and taken out again.

A call made inside an invocation of a model (by the client of a framework whose model calls are recorded already) is
part of that one and passes through.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from typing import Any

from outtake_probe.calls import nested
from outtake_probe.keeping import stateless
from outtake_probe.session import Session
from outtake_probe.targets.stainless.exchange import Exchange
from outtake_probe.targets.stainless.library import CAPABILITIES, Library
from outtake_probe.targets.toolkit.adapter import Adapter
from outtake_probe.targets.toolkit.patches import Patches
from outtake_probe.targets.toolkit.paths import is_inside
from outtake_probe.targets.toolkit.seams import Seam

NEEDED = ("request", "_process_response", "_process_response_data")


class Client(Adapter[Session]):
    """One library: its clients that block and that await."""

    capabilities = CAPABILITIES

    def __init__(self, library: Library) -> None:
        super().__init__()
        self.name = library.name
        self.seams = (Seam(library.name, library.clients[0].__name__, self._hook),)
        self._library = library
        self._session: Session | None = None
        self._pid = 0

    def begin(self, session: Session, missing: list[str]) -> Session:
        self._session, self._pid = session, os.getpid()
        stateless.update(self._library.clients)
        return session

    def end(self, state: Session) -> None:
        self._session = None

    def _hook(self, _session: Session, patches: Patches) -> Sequence[str]:
        """Send the library's model calls through the gate; returns what cannot be hooked, in words."""
        missing = [self._missing(index) for index in range(2)]
        for index, (client, lacks) in enumerate(zip(self._library.clients, missing, strict=True)):
            if lacks is None:
                owner = next(cls for cls in client.__mro__ if "request" in vars(cls))
                patches.wrap(owner, "request", self._async_request if index == 1 else self._request)
        if self._library.wire_helper:
            missing.append(f"{self._library.name}'s own helper for streams reads from the wire: its calls are not seen")
        return [words for words in missing if words is not None]

    def _missing(self, index: int) -> str | None:
        """Which seam this version lacks, and what is lost by it."""
        client, stream = self._library.clients[index], self._library.streams[index]
        lacking = [f"{client.__name__}.{name}" for name in NEEDED if not hasattr(client, name)]
        if not hasattr(stream, "__stream__"):
            lacking.append(f"{stream.__name__}.__stream__")
        if not lacking:
            return None
        return f"{', '.join(lacking)}: model calls of {self._library.name}'s {client.__name__} are not seen"

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
