"""Nobody gets in without the token, from another page, or under another host's name."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from starlette.routing import Route, WebSocketRoute
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from outtake.server import Endpoint
from outtake.server.app import describe_app
from outtake.server.ui import Ui
from outtake.service.rpc_client import open_service
from tests.server.conftest import Client, Server, serving

FOREIGN = {
    "another host's name": {"Host": "evil.example:{port}"},
    "another port": {"Host": "127.0.0.1:1"},
    "no port": {"Host": "127.0.0.1"},
    "a page elsewhere": {"Origin": "http://evil.example"},
    "a page of another server on this machine": {"Origin": "http://localhost:1"},
    "a page without an origin": {"Origin": "null"},
    "a page of another scheme": {"Origin": "https://127.0.0.1:{port}"},
    "another site's script": {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
    "another port's script": {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"},
}
SHELL = "<!doctype html><title>the user interface, which holds nothing of a run</title>"
foreign = pytest.mark.parametrize("headers", FOREIGN.values(), ids=FOREIGN.keys())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all of these: none of them gets as far as changing anything."""
    service = open_service(tmp_path_factory.mktemp("guarded"))
    built = tmp_path_factory.mktemp("static")
    (built / "index.html").write_text(SHELL)
    with serving(service, Ui(built)) as found:
        yield found
    service.close()


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One without the user interface."""
    service = open_service(tmp_path_factory.mktemp("guarded"))
    with serving(service, Ui(tmp_path_factory.mktemp("nothing"))) as found:
        yield found
    service.close()


def test_no_route_answers_without_the_token(server: Server) -> None:
    routes = describe_app().openapi()["paths"]
    asked = [(method.upper(), path) for path, methods in routes.items() for method in methods]
    assert len(asked) > 30
    for method, path in [*asked, ("GET", "/plain"), ("GET", "/plain?token=wrong"), ("GET", "/api/openapi.json")]:
        body: dict[str, str] | None = {} if method in ("POST", "PATCH") else None
        assert server.stranger.ask(method, path, body).status == 401, (method, path)


def test_without_the_token_there_is_the_empty_page_only(server: Server, plain: Server) -> None:
    for path in ("/", "/runs/r1", "/nothing"):
        assert (server.stranger.ask("GET", path).text, plain.stranger.ask("GET", path).status) == (SHELL, 401)
    assert "outtake serve" in plain.stranger.ask("GET", "/").text


def test_every_route_is_in_the_document_or_a_page() -> None:
    app = describe_app()
    pages = {"/plain", "/plain.css", "/assets/{name:path}", "/{path:page}"}
    known = {*app.openapi()["paths"], *pages, "/api/openapi.json"}
    assert {route.path for route in app.routes if isinstance(route, Route | WebSocketRoute)} <= known


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Bearer "},
        {"Authorization": "Basic {token}"},
        {"Cookie": "outtake_{port}={token}"},
        {"Cookie": "token={token}"},
        {"Authorization": "Bearer wrong", "Sec-WebSocket-Protocol": "outtake, token.{token}"},
        {"Sec-WebSocket-Protocol": "outtake, token.wrong"},
        {"Sec-WebSocket-Protocol": "{token}"},
        {"Authorization": "Bearer \xe9"},
    ],
)
def test_a_wrong_token_is_refused(server: Server, headers: dict[str, str]) -> None:
    given = {name: _filled(server, value) for name, value in headers.items()}
    reply = server.stranger.ask("GET", "/api/runs", headers=given)
    assert (reply.status, reply.error["code"]) == (401, "unauthorized")
    with pytest.raises(InvalidStatus) as refused, Client(server.place.url, given).listen("/api/events"):
        pass
    assert refused.value.response.status_code == 401


def test_the_token_in_the_address_of_the_api_is_no_entry(server: Server) -> None:
    assert server.stranger.ask("GET", f"/api/runs?token={server.keys.token}").status == 401
    assert server.stranger.ask("POST", f"/?token={server.keys.token}", {}).status == 405


def test_the_printed_address_leads_to_one_that_is_never_sent_and_sets_no_cookie(server: Server) -> None:
    reply = server.stranger.ask("GET", f"/?token={server.keys.token}&run=r1")
    assert (reply.status, reply.headers["Location"]) == (303, f"/?run=r1#token={server.keys.token}")
    for path in ("/", f"/?token={server.keys.token}", "/api/runs"):
        for asking in (server.client, server.stranger):
            assert "Set-Cookie" not in asking.ask("GET", path).headers


@pytest.mark.parametrize(
    "address",
    ["/runs/r1", "/runs/r1?seq=90&with=r2", "/runs/r1/of/team%2Fcoder%3F?q=a+b%20c&open=&x=%7B%22y%22%3A1%7D"],
)
def test_the_way_in_leads_to_the_page_that_was_asked_for(server: Server, address: str) -> None:
    sign = "&" if "?" in address else "?"
    reply = server.stranger.ask("GET", f"{address}{sign}token={server.keys.token}")
    assert (reply.status, reply.headers["Location"]) == (303, f"{address}#token={server.keys.token}")
    reply = server.stranger.ask("GET", f"{address}{sign}token=wrong")  # the page says that it has not the token
    assert (reply.status, reply.headers["Location"]) == (303, address)


def test_a_page_without_scripts_keeps_the_token_in_its_address(server: Server, plain: Server) -> None:
    for here, path in ((server, "/plain"), (plain, "/"), (plain, "/runs/r1")):
        assert here.stranger.ask("GET", f"{path}?token={here.keys.token}").status == 200
        assert here.stranger.ask("GET", f"{path}?token=wrong").status == 401
        reply = here.stranger.ask("GET", f"{path}?token={here.keys.once()}")
        assert (reply.status, reply.headers["Location"]) == (303, f"{path}?token={here.keys.token}")


def test_the_way_in_leads_to_no_other_host(server: Server) -> None:
    reply = server.stranger.ask("GET", f"//evil.example?token={server.keys.token}")
    assert reply.headers["Location"].startswith("/evil.example#")


def test_a_code_opens_the_door_once(server: Server) -> None:
    code = server.keys.once()
    assert server.stranger.ask("GET", f"/?token={code}").headers["Location"] == f"/#token={server.keys.token}"
    assert server.stranger.ask("GET", f"/?token={code}").headers["Location"] == "/"


@foreign
def test_a_foreign_page_can_neither_read_nor_command(server: Server, headers: dict[str, str]) -> None:
    given = {name: _filled(server, value) for name, value in headers.items()}
    for method, path in (("GET", "/api/runs"), ("POST", "/api/runs"), ("GET", f"/?token={server.keys.token}")):
        reply = server.client.ask(method, path, {"spec": "writer.py:main"} if method == "POST" else None, given)
        assert (reply.status, reply.error["code"]) == (403, "forbidden")
    assert server.service.runs() == []


@foreign
def test_a_foreign_page_cannot_listen(server: Server, headers: dict[str, str]) -> None:
    given = {name: _filled(server, value) for name, value in headers.items()}
    with pytest.raises(InvalidStatus) as refused, server.client.listen("/api/events", **given):
        pass
    assert refused.value.response.status_code == 403


def test_its_own_page_may_read_command_and_listen(server: Server) -> None:
    for host in ("127.0.0.1", "localhost", "[::1]"):
        own = {"Host": f"{host}:{server.place.port}", "Origin": f"http://{host}:{server.place.port}"}
        assert server.client.ask("GET", "/api/runs", headers=own).status == 200
    with server.client.listen("/api/events", Origin=server.place.url):
        pass


def test_a_page_gives_the_token_of_a_socket_as_a_protocol(server: Server) -> None:
    offered = [Subprotocol(name) for name in ("outtake", f"token.{server.keys.token}")]
    address = f"ws://127.0.0.1:{server.place.port}/api/events"
    with connect(address, subprotocols=offered, origin=Origin(server.place.url)) as opened:
        assert opened.subprotocol == "outtake"
    with pytest.raises(InvalidStatus), connect(address, subprotocols=[Subprotocol("outtake"), Subprotocol("token.x")]):
        pass


def test_a_link_from_elsewhere_may_be_followed(server: Server) -> None:
    given = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert server.stranger.ask("GET", "/", headers=given).status == 200


@pytest.mark.parametrize("path", ["/", "/api/runs", "/api/nothing", "/assets/nothing.js"])
def test_every_answer_says_how_a_browser_treats_it(server: Server, path: str) -> None:
    for asking in (server.client, server.stranger):
        headers = asking.ask("GET", path).headers
        assert "default-src 'self'" in headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cache-Control"] == "no-store"
        assert "Access-Control-Allow-Origin" not in headers
        assert "Server" not in headers


def test_no_page_loads_a_script_from_elsewhere(server: Server) -> None:
    for path in ("/docs", "/redoc", "/openapi.json"):
        text = server.client.ask("GET", path).text
        assert [place for place in re.findall(r'(?:src|href)="(.*?)"', text) if not re.match("/[^/]", place)] == []


def test_each_page_has_a_nonce_of_its_own_for_its_styles_and_none_for_scripts(server: Server) -> None:
    first, second = (server.client.ask("GET", "/plain").headers["Content-Security-Policy"] for _ in range(2))
    nonces = {re.findall(r"style-src 'self' 'nonce-([\w-]{20,})';", policy)[0] for policy in (first, second)}
    assert len(nonces) == 2
    assert all("script-src" not in policy and "unsafe" not in policy for policy in (first, second))


@pytest.mark.parametrize(
    ("place", "host", "named"),
    [
        (Endpoint("127.0.0.1", 80), "localhost", True),
        (Endpoint("127.0.0.1", 81), "localhost", False),
        (Endpoint("192.168.1.7", 81), "192.168.1.7:81", True),
        (Endpoint("192.168.1.7", 81), "192.168.1.8:81", False),
        (Endpoint("::1", 81), "[::1]:81", True),
        (Endpoint("box.lan", 81), "BOX.lan:81", True),
        (Endpoint("0.0.0.0", 81), "10.1.2.3:81", True),
        (Endpoint("::", 81), "[fe80::1]:81", True),
        (Endpoint("0.0.0.0", 81), "evil.example:81", False),
        (Endpoint("0.0.0.0", 81), "", False),
        (Endpoint("0.0.0.0", 81), "127.0.0.1:81@evil.example:81", False),
    ],
)
def test_which_hosts_are_meant(place: Endpoint, host: str, named: bool) -> None:
    assert place.named(host) is named


def _filled(server: Server, text: str) -> str:
    return text.replace("{token}", server.keys.token).replace("{port}", str(server.place.port))
