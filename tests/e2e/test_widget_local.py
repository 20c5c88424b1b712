"""The chat widget in a browser, on a page of another site than the deployed local stack: with its live updates."""

import threading
import uuid
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import Frame, Page, expect, sync_playwright

from helpdesk_webhooks.site import SiteUser, widget_token
from tests.support.chromium import PATH, installed
from tests.support.web import Web, eventually

pytestmark = installed


@pytest.fixture
def shop() -> Iterator[str]:
    """The address of a page with the widget's line; what it shows is set below."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(f"<!doctype html><title>Shop</title><body>{PAGE[0]}".encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield f"http://localhost:{server.server_port}"
        server.shutdown()


PAGE = [""]


@pytest.fixture
def api(stack: Mapping[str, str], shop: str) -> Iterator[Web]:
    """The demo organization, whose widget the shop may show."""
    web = Web(stack["base_url"], stack["secret_key"])
    answer = web.patch("/v1/site", {"widgetOrigins": [shop], "language": "en"})
    assert answer.status == 200, answer
    PAGE[0] = f'<script src="{answer.body["url"]}widget.js" async></script>'
    yield web
    web.patch("/v1/site", {"widgetOrigins": None, "language": None})


@pytest.fixture
def page() -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PATH, args=["--no-sandbox"])
        opened = browser.new_page()
        opened.set_default_timeout(30_000)
        yield opened
        browser.close()


def frame_of(page: Page) -> Frame:
    frame = page.locator("helpdesk-widget iframe").element_handle().content_frame()
    assert frame is not None
    return frame


def test_a_visitor_of_another_site_is_answered_by_live_updates_and_identified(
    page: Page, shop: str, api: Web, stack: Mapping[str, str]
) -> None:
    frames: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda sent: frames.append(str(sent))))
    page.goto(shop)
    page.get_by_role("button", name="Chat with us").click()
    frame = frame_of(page)
    mark = uuid.uuid4().hex[:8]
    frame.get_by_role("textbox").fill(f"How are webhooks signed? {mark}")
    frame.get_by_role("button", name="Send").click()
    expect(frame.locator(".thread > li.other .prose").first).to_be_visible(timeout=90_000)

    [conversation] = [
        each for each in api.get("/v1/conversations").body["conversations"] if mark in str(each["subject"])
    ]
    reply = {"body": "Tina here.", "takeOver": True}
    assert api.post(f"/v1/conversations/{conversation['id']}/reply", reply).status == 200
    expect(frame.get_by_text("Tina here.")).to_be_visible(timeout=90_000)
    eventually(lambda: any('"message"' in each for each in frames))

    user = SiteUser(id=mark, name="Ada", email=f"{mark}@example.com", email_verified=True)
    page.evaluate("token => Helpdesk.identify(token)", widget_token(stack["secret_key"], user))
    frame.wait_for_selector("html[data-user]", state="attached")
    found = eventually(lambda: api.get(f"/v1/customers?q={mark}@example.com").body["customers"])
    assert [each["name"] for each in found] == ["Ada"]
