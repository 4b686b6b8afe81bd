"""A model provider on the loopback that answers with a hash of what it was asked, and counts.

Any error in what a program asks after a replay changes the answer.  The name of the model asks for special treatment:
``limited`` is refused, ``flaky`` fails at the first request, ``torn`` breaks off its stream with an error, ``slow``
answers when it is told to.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Event = dict[str, Any]


def answer_to(body: Any) -> str:
    """What the model says to this request."""
    asked = {key: value for key, value in body.items() if not key.startswith("stream")}
    return "says " + hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()[:12]


@dataclass
class Provider:
    """The server, and what it was sent."""

    whole: Callable[[str, Any], Any]
    """Of a path and a request, the response."""
    events: Callable[[str, Any], list[Event]]
    """Of a path and a request, the pieces of the stream."""
    error: Any
    requests: list[Any] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    url: str = ""
    arrived: threading.Event = field(default_factory=threading.Event)
    release: threading.Event = field(default_factory=threading.Event)

    @property
    def count(self) -> int:
        return len(self.requests)

    @contextmanager
    def serving(self) -> Iterator[Provider]:
        server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        self.url = f"http://127.0.0.1:{server.server_port}"
        try:
            yield self
        finally:
            self.release.set()
            server.shutdown()
            server.server_close()
            thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                provider.requests.append(body)
                provider.headers.append(dict(self.headers))
                model = body.get("model")
                if model == "slow":
                    provider.arrived.set()
                    provider.release.wait(60)
                if model == "limited" or (model == "flaky" and provider.count == 1):
                    return self._json(429 if model == "limited" else 500, provider.error)
                if body.get("stream"):
                    return self._events(provider.events(self.path, body), model == "torn")
                return self._json(200, provider.whole(self.path, body))

            def _json(self, status: int, value: Any) -> None:
                data = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.send_header("Retry-After-Ms", "1")
                self.end_headers()
                try:
                    self.wfile.write(data)
                except OSError:
                    return  # the program did not wait

            def _events(self, events: list[Event], torn: bool) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                try:
                    for event in events[:2] if torn else events:
                        self._event(event.get("type"), event)
                    if torn:
                        self._event("error", provider.error)
                    self.wfile.write(b"data: [DONE]\n\n")
                except OSError:
                    return  # the program closed the stream early

            def _event(self, name: str | None, data: Any) -> None:
                head = f"event: {name}\n" if name else ""
                self.wfile.write(f"{head}data: {json.dumps(data)}\n\n".encode())
                self.wfile.flush()

            def log_message(self, *_: Any) -> None:
                return

        return Handler
