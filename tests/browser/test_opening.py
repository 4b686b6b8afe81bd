"""The way in: a page opens with the token, keeps its address, and stays on this machine."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Visit
from tests.browser.ground import Camera, Served, Troubles


def test_the_first_page_opens(page: Page, served: Served, camera: Camera) -> None:
    expect(page).to_have_title(re.compile("Outtake"))
    expect(page.locator("#root > *").first).to_be_attached()
    assert page.url.startswith(served.place)
    assert served.token not in page.url
    assert page.evaluate("document.cookie") == ""  # no script can read it
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
        for path in ("/", "/?token=wrong", "/runs/r1?token=", "/plain"):
            answer = page.goto(served.place + path)
            assert answer is not None
            assert answer.status == 401
            expect(page.get_by_role("heading")).to_have_text("No entry without the token")
    finally:
        context.close()


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
    answer = page.goto(served.place)
    assert answer is not None
    assert answer.status == 401
    page.goto(served.address())
    expect(page.locator("#root > *").first).to_be_attached()


def test_a_run_that_was_started_elsewhere_is_on_the_plain_page(visit: Visit, served: Served) -> None:
    run = served.run(served.write("program.py", "def main(name):\n    return f'hello {name}'\n") + ":main", input="you")
    assert [info["status"] for info in served.outtake("wait", run)] == ["completed"]
    expect(visit("/plain").get_by_role("cell", name="hello you")).to_be_visible()


def test_the_plain_page_needs_no_script(visit: Visit) -> None:
    page = visit("/plain", java_script_enabled=False)
    expect(page.get_by_role("heading")).to_have_text("Runs")
    page.get_by_role("link", name="Reload").click()
    expect(page.get_by_text("There are no runs yet.")).to_be_visible()
