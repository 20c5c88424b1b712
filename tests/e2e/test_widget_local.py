"""The chat widget in a browser, on a page of another site than the deployed local stack: with its live updates."""

import uuid
from collections.abc import Iterator, Mapping

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from helpdesk_webhooks.site import SiteUser, widget_token
from tests.support.chromium import PATH, installed
from tests.support.shop import Shop, frame_of
from tests.support.shop import shop as shop  # noqa: PLC0414 - a fixture
from tests.support.web import Web, eventually

pytestmark = installed


@pytest.fixture
def api(stack: Mapping[str, str], shop: Shop) -> Iterator[Web]:
    """The demo organization, whose widget the shop may show."""
    web = Web(stack["base_url"], stack["secret_key"])
    answer = web.patch("/v1/site", {"widgetOrigins": [shop.origin], "language": "en"})
    assert answer.status == 200, answer
    shop.page("/", f'<script src="{answer.body["url"]}widget.js" async></script>')
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


def test_a_visitor_of_another_site_is_answered_by_live_updates_and_identified(
    page: Page, shop: Shop, api: Web, stack: Mapping[str, str]
) -> None:
    frames: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda sent: frames.append(str(sent))))
    page.goto(f"{shop.origin}/")
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
