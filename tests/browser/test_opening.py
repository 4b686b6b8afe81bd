"""The way in: a page opens with the token, keeps its address, and stays on this machine."""

from __future__ import annotations

import http.server
import re
import threading

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Visit
from tests.browser.ground import Camera, Served, Troubles


class Listener:
    """Another program that serves pages at a port of this machine, and keeps what it hears."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        heard = self.heard

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                heard.append(f"{self.path}\n{self.headers}")
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<title>another program</title>")

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    @property
    def place(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Listener:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def test_the_first_page_opens(page: Page, served: Served, camera: Camera) -> None:
    expect(page).to_have_title(re.compile("Outtake"))
    expect(page.locator("#root > *").first).to_be_attached()
    assert page.url.startswith(served.place)
    assert served.token not in page.url
    assert page.context.cookies() == []  # it would go to every port of this host
    camera.shoot(page, "opening")


def test_the_way_in_keeps_the_address(visit: Visit, served: Served, troubles: Troubles) -> None:
    troubles.allow("404")  # there is no such run
    page = visit("/runs/r1?seq=3")
    assert page.url.startswith(f"{served.place}/runs/r1")
    assert served.token not in page.url
    other = page.context.new_page()
    other.goto(f"{served.place}/runs/r1")
    expect(other.locator("#root > *").first).to_be_attached()


def test_who_has_not_the_token_stays_out(browser: Browser, served: Served, troubles: Troubles) -> None:
    troubles.allow("status of 401")
    context = browser.new_context()
    troubles.watch(context)
    try:
        page = context.new_page()
        for path in ("/", "/?token=wrong", "/runs/r1?token=", "/runs/r1#token=wrong", "/plain"):
            page.goto(served.place + path)
            expect(page.get_by_role("heading")).to_have_text("No entry without the token")
    finally:
        context.close()


def test_an_address_without_the_token_opens_in_another_tab(visit: Visit, served: Served) -> None:
    run = served.run(served.write("program.py", "def main():\n    return 'done'\n") + ":main")
    page = visit()
    expect(page.get_by_text(run, exact=True).first).to_be_visible()
    other = page.context.new_page()
    other.goto(f"{served.place}/runs/{run}")
    expect(other.get_by_text("completed").first).to_be_visible()
    other.reload()
    expect(other.get_by_text("completed").first).to_be_visible()
    assert served.token not in other.url


def test_a_page_at_another_port_gets_nothing(visit: Visit, served: Served, troubles: Troubles) -> None:
    """Another local program: what the browser sends it, and what its page can do here."""
    troubles.allow(".*")
    page = visit()
    expect(page.get_by_role("heading", name="There are no runs yet")).to_be_visible()
    with Listener() as elsewhere:
        other = page.context.new_page()
        other.goto(elsewhere.place)
        kept = other.evaluate("[document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage)]")
        asked = other.evaluate(
            """async (place) => {
                const tried = ["/api/runs", "/", "/api/openapi.json"].map((path) => fetch(place + path,
                    { credentials: "include" }).then((a) => a.text(), () => "refused"));
                const command = fetch(place + "/api/runs", { method: "POST", credentials: "include", mode: "no-cors",
                    body: '{"spec": "program.py:main"}' }).then((a) => a.type, () => "refused");
                const socket = new Promise((said) => {
                    const opened = new WebSocket(place.replace("http", "ws") + "/api/events", ["outtake"]);
                    opened.onopen = () => said("open");
                    opened.onerror = () => said("refused");
                });
                return Promise.all([...tried, command, socket]);
            }""",
            served.place,
        )
    assert kept == ["", "{}", "{}"]
    assert set(asked) <= {"refused", "opaque"}
    assert served.token not in "".join(elsewhere.heard)
    assert "ookie" not in "".join(elsewhere.heard)
    assert served.ask("GET", "/api/runs") == []


def test_the_policy_keeps_out_what_is_not_the_servers(page: Page, troubles: Troubles) -> None:
    troubles.allow("Content Security Policy")
    colour = page.evaluate("""() => {
        const style = document.createElement("style");
        style.textContent = "html { outline-color: rgb(1, 2, 3) }";
        document.head.append(style);
        window.ran = false;
        const script = document.createElement("script");
        script.textContent = "window.ran = true";
        document.head.append(script);
        return [getComputedStyle(document.documentElement).outlineColor, window.ran];
    }""")
    assert colour[0] != "rgb(1, 2, 3)"
    assert colour[1] is False
    with page.expect_console_message(lambda message: "connect-src" in message.text):
        refused = page.evaluate("fetch('https://elsewhere.example/').then(() => 'answered', (error) => String(error))")
    assert "Failed to fetch" in refused
    told = [said for said in troubles.found if "Content Security Policy" in said]
    assert all(any(kind in said for said in told) for kind in ("style-src", "inline script", "connect-src"))
    assert not [said for said in troubles.found if said.startswith("request")]


def test_styles_under_the_nonce_count(page: Page) -> None:
    colour = page.evaluate("""() => {
        const style = document.createElement("style");
        style.nonce = document.querySelector('meta[name="csp-nonce"]').content;
        style.textContent = "html { outline-color: rgb(1, 2, 3) }";
        document.head.append(style);
        return getComputedStyle(document.documentElement).outlineColor;
    }""")
    assert colour == "rgb(1, 2, 3)"


def test_a_server_that_is_started_again_wants_its_own_token(visit: Visit, served: Served, troubles: Troubles) -> None:
    troubles.allow("ERR_CONNECTION_REFUSED|status of 401|WebSocket")
    page = visit()
    expect(page.get_by_role("heading", name="There are no runs yet")).to_be_visible()  # all that it needs has come
    served.stop()
    served.start()
    page.goto(served.place)
    expect(page.get_by_role("heading")).to_have_text("No entry without the token")
    other = page.context.new_page()
    other.goto(served.address())
    expect(other.get_by_role("heading", name="There are no runs yet")).to_be_visible()
    expect(page.get_by_role("heading", name="There are no runs yet")).to_be_visible()  # without being touched


def test_an_open_page_goes_on_once_the_new_address_was_opened(visit: Visit, served: Served, troubles: Troubles) -> None:
    troubles.allow("ERR_CONNECTION_REFUSED|status of 401|WebSocket")
    page = visit()
    expect(page.get_by_role("heading", name="There are no runs yet")).to_be_visible()
    served.stop()
    served.start()
    page.context.new_page().goto(served.address())
    run = served.run(served.write("program.py", "def main():\n    return 'done'\n") + ":main")
    expect(page.get_by_text(run, exact=True).first).to_be_visible()


def test_a_run_is_exported_by_a_click(visit: Visit, served: Served) -> None:
    run = served.run(served.write("program.py", "def main():\n    return 'done'\n") + ":main")
    served.ended(run)
    page = visit(f"/runs/{run}")
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save the run as a file").click()
    assert saving.value.suggested_filename == f"{run}.outtake"
    assert saving.value.path().stat().st_size > 100


def test_a_run_that_was_started_elsewhere_is_on_the_plain_page(visit: Visit, served: Served) -> None:
    run = served.run(served.write("program.py", "def main(name):\n    return f'hello {name}'\n") + ":main", input="you")
    assert [info["status"] for info in served.outtake("wait", run)] == ["completed"]
    expect(visit("/plain").get_by_role("cell", name="hello you")).to_be_visible()


def test_the_plain_page_needs_no_script(visit: Visit) -> None:
    page = visit("/plain", java_script_enabled=False)
    expect(page.get_by_role("heading")).to_have_text("Runs")
    page.get_by_role("link", name="Reload").click()
    expect(page.get_by_text("There are no runs yet.")).to_be_visible()
