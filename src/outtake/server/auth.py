"""The door: nothing passes without this start's token, from another web page, or under another host's name.

The server starts programs, so it is treated as a shell.  A page elsewhere that a browser shows can send requests here
(hence the check of `Origin`), and can give a name of its own to this address (hence the check of `Host`).
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets
import socket
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import parse_qs, quote

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from outtake.server import page
from outtake.server.problems import problem
from outtake.server.ui import Ui

POLICY = (
    "default-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data: blob:; font-src 'self' data:; "
    "worker-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "object-src 'none'"
)
"""What a page may load: what comes from here, styles under the answer's own nonce, and pictures that it made itself."""
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
PLAIN, PLAIN_STYLE = "/plain", "/plain.css"
PROTOCOL, TOKEN = "outtake", "token."
"""The protocol of a WebSocket, and how the token is offered beside it: a page can set no other header of one."""
TRACES = re.compile(r"(?:/otlp/(?P<token>[^/]+))?/v1/traces")
"""Where spans are sent: exporters take a header, or only an address, which then has the token."""
LOCAL = ("localhost", "127.0.0.1", "[::1]")


@dataclass(slots=True)
class Keys:
    """The token of this start, and codes that open the door once: a browser's command line can be read by others."""

    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    _once: set[str] = field(default_factory=set)

    def once(self) -> str:
        """A code that is as good as the token, for one visit."""
        code = secrets.token_urlsafe(32)
        self._once.add(code)
        return code

    def fits(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.token.encode())

    def opens(self, given: str) -> bool:
        """Whether a visitor may come in with this; a code does so once."""
        if given in self._once:
            self._once.discard(given)
            return True
        return self.fits(given)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the server listens: `host` as it was told, and the port."""

    host: str
    port: int

    @property
    def wildcard(self) -> bool:
        """Whether it listens at every address of the machine."""
        return self.host in ("0.0.0.0", "::", "")

    @property
    def loopback(self) -> bool:
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def url(self) -> str:
        return f"http://{'127.0.0.1' if self.wildcard else _bracketed(self.host)}:{self.port}"

    def named(self, host: str) -> bool:
        """Whether a request for `host` (with its port) is meant for this server."""
        name, colon, port = host.rpartition(":")
        if not colon or port.endswith("]"):
            name, port = host, "80"
        if port != str(self.port):
            return False
        return name.lower() in self._names() or (self.wildcard and _is_address(name))

    def _names(self) -> Iterable[str]:
        names = {*LOCAL, _bracketed(self.host).lower()}
        if self.wildcard:  # nobody can give another name to an address or to this machine's own name
            names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
        return names


class Guard:
    """The middleware around everything else.

    There is no cookie: a browser sends one to every port of a host, and so to other programs.  The page gets the token
    behind the `#` of its address, which is never sent, keeps it where only pages of this very port can read it, and
    gives it with each request.  So a request has it only if a page of this server, or who was told it, made it.
    """

    def __init__(self, app: ASGIApp, keys: Keys, place: Endpoint, ui: Ui) -> None:
        self.app = app
        self.keys = keys
        self.place = place
        self.ui = ui

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        nonce = secrets.token_urlsafe(16)
        scope.setdefault("state", {})["nonce"] = nonce
        answer = self._judge(scope)
        guarded = _with_headers(send, POLICY.format(nonce=nonce))
        if answer is None:
            await self.app(scope, receive, guarded)
        else:
            await answer(scope, receive, guarded)

    def _judge(self, scope: Scope) -> Response | None:
        """What is answered instead, if it may not pass."""
        headers = Headers(scope=scope)
        if refusal := self._stranger(headers):
            return problem("forbidden", refusal)
        in_path = TRACES.fullmatch(scope["path"]) if scope["type"] == "http" else None
        if in_path is not None and in_path["token"] is not None and self.keys.fits(in_path["token"]):
            return None
        if scope["type"] == "http" and not scope["path"].startswith("/api") and in_path is None:
            return self._visit(scope, headers)
        if self._known(headers):
            return None
        told = "give the token of the address that `outtake serve` printed, as `Authorization: Bearer TOKEN`"
        return problem("unauthorized", f"the token is missing or wrong: {told}")

    def _stranger(self, headers: Headers) -> str:
        """Why a request is not from a page of this server, or not meant for it."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self.place.named(host):
            return f"the request is for host {host!r}, this server is {self.place.url}: use that address"
        if origin is not None and not self._own(origin):
            return f"the request comes from a page of {origin}, and only this server's own pages may ask"
        elsewhere = headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
        if elsewhere and headers.get("sec-fetch-mode", "navigate") != "navigate":
            return "the request comes from another site's page, and only this server's own pages may ask"
        return ""

    def _own(self, origin: str) -> bool:
        scheme, _, host = origin.partition("://")
        return scheme == "http" and self.place.named(host)

    def _known(self, headers: Headers) -> bool:
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return self.keys.fits(given.strip())
        offered = (part.strip() for part in headers.get("sec-websocket-protocol", "").split(","))
        return any(part.startswith(TOKEN) and self.keys.fits(part.removeprefix(TOKEN)) for part in offered)

    def _visit(self, scope: Scope, headers: Headers) -> Response | None:
        """A page or a file of one.  The user interface is for everybody: it holds nothing until it has the token.

        A page that shows runs by itself, without scripts, keeps the token in its address.
        """
        empty = scope["path"] == PLAIN_STYLE or (self.ui.is_built and scope["path"] != PLAIN)
        query = scope["query_string"].decode("latin-1").split("&")
        rest = [part for part in query if not part.startswith("token=")]
        if rest != query and scope["method"] == "GET":
            given = parse_qs("&".join(query)).get("token", [""])[0]
            opened = self.keys.opens(given)
            if empty:
                return _redirect(scope, rest, f"#token={self.keys.token}" if opened else "")
            if opened and not self.keys.fits(given):
                return _redirect(scope, [*rest, f"token={self.keys.token}"])
            if opened:
                return None
        if empty or self._known(headers):
            return None
        return HTMLResponse(page.closed(scope["state"]["nonce"]), 401)


def _redirect(scope: Scope, query: Iterable[str], fragment: str = "") -> Response:
    """To the same path, with another query."""
    path = "/" + _as_asked(scope).lstrip("/\\")  # never another host's //
    return Response(status_code=303, headers={"Location": "?".join(filter(None, (path, "&".join(query)))) + fragment})


def _as_asked(scope: Scope) -> str:
    """The path as it stands in the address: a part of it may hold an escaped slash or question mark."""
    raw: bytes | None = scope.get("raw_path")
    return raw.decode("latin-1") if raw is not None else quote(scope["path"])


def _with_headers(send: Send, policy: str) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            headers = MutableHeaders(scope=message)
            headers["Content-Security-Policy"] = policy
            for name, value in HEADERS.items():
                headers[name] = value
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return sending


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
