"""The chat widget in a browser, on pages of other sites: 127.0.0.1 and localhost are two sites, as browsers see it."""

import json
import threading
from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from helpdesk.site.texts import texts_in
from helpdesk_webhooks.site import SiteUser, widget_token
from tests.support.agent_runs import with_a_model
from tests.support.api import Client
from tests.support.chromium import chromium as chromium  # noqa: PLC0414 - a fixture
from tests.support.chromium import host as host  # noqa: PLC0414 - a fixture
from tests.support.chromium import installed
from tests.support.chromium import working as working  # noqa: PLC0414 - a fixture
from tests.support.converse import says, scripted
from tests.support.shop import Shop, frame_of
from tests.support.shop import shop as shop  # noqa: PLC0414 - a fixture
from tests.support.workers import Workers

pytestmark = installed
T = texts_in("en")

# What a page can do to the elements of others: nothing of it reaches a shadow tree.
HOSTILE_STYLE = """
:not(html) { all: unset !important; display: none !important; position: static !important; color: red !important; }
helpdesk-widget { transform: scale(0) !important; opacity: 0 !important; z-index: -1 !important; }
"""


@pytest.fixture
def root(host: str, api: Client, shop: Shop) -> str:
    """The address of a help site that is off, and whose widget the shop may show."""
    answer = api.patch("/v1/site", {"widgetOrigins": [shop.origin], "language": "en", "title": "Fern Shop"})
    assert answer.status == 200, answer.body
    return str(answer.body["url"]).rstrip("/")


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A browser of its own; `said` has what its console says."""
    with chromium.new_context() as context:
        opened = context.new_page()
        opened.set_default_timeout(20_000)
        yield opened


def script(root: str) -> str:
    return f'<script src="{root}/widget.js" async></script>'


def test_a_visitor_writes_is_answered_and_sees_what_they_have_not_read(
    page: Page, root: str, shop: Shop, api: Client, working: threading.RLock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_a_model(monkeypatch)
    page.goto(shop.page("/ferns", f"<h1>Ferns</h1>{script(root)}"))
    before = page.evaluate("history.length")
    launch = page.get_by_role("button", name=T["widget.open"])
    launch.click()
    frame = frame_of(page)
    field = frame.get_by_role("textbox", name=T["widget.message"])
    expect(field).to_be_focused()
    field.fill("Where is my <b>parcel</b>?")
    frame.get_by_role("button", name=T["contact.send"]).click()
    entries = frame.locator(".thread > li")
    expect(entries).to_have_count(1)

    with working, scripted(says("It arrives **tomorrow**.")):
        Workers("search", "suggestion").run()
    expect(entries.nth(1).locator(".prose strong")).to_have_text("tomorrow")
    reply = frame.get_by_role("textbox", name=T["contact.reply"])
    reply.fill("Thank you")
    reply.press("Enter")
    expect(frame.locator(".thread > li.own:not(.pending)")).to_have_count(2)
    expect(reply).to_have_value("")
    reply.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(launch).to_be_focused()
    assert page.evaluate("history.length") == before

    with working:
        [conversation] = api.get("/v1/conversations").body["conversations"]
        assert conversation["page"]["url"] == f"{shop.origin}/ferns"
        api.post(f"/v1/conversations/{conversation['id']}/reply", {"body": "Tina here."})
    page.goto(shop.page("/other", f"<h1>Other</h1>{script(root)}"))
    preview = page.get_by_role("status").get_by_role("button").first
    expect(preview).to_contain_text("Tina here.")
    expect(page.get_by_role("button", name=f"{T['widget.open']} (1)")).to_be_visible()
    preview.click()
    expect(frame_of(page).get_by_text("Tina here.")).to_be_visible()
    expect(page.get_by_role("status")).to_be_empty()
    page.reload()
    expect(page.get_by_role("button", name=T["widget.open"], exact=True)).to_be_visible()


def test_a_page_that_is_not_listed_gets_neither_the_button_nor_the_frame(
    page: Page, root: str, api: Client, shop: Shop
) -> None:
    said: list[str] = []
    page.on("console", lambda each: said.append(each.text))
    assert api.patch("/v1/site", {"widgetOrigins": ["https://shop.example.com"]}).status == 200
    page.goto(shop.page("/", f'{script(root)}<iframe src="{root}/widget" title="x"></iframe>'))
    page.wait_for_load_state("networkidle")

    assert page.evaluate("window.Helpdesk") is None
    expect(page.locator("helpdesk-widget")).to_have_count(0)
    assert any(f"add {shop.origin} to widgetOrigins" in each for each in said)
    assert any("frame-ancestors" in each for each in said)
    assert page.frames[1].url.startswith("chrome-error:")


def test_a_page_around_a_listed_one_does_not_get_the_frame(
    page: Page, root: str, shop: Shop, host: str
) -> None:
    """Clickjacking: a page that may not show the frame shows a page that may."""
    inner = shop.page("/", script(root))
    evil = shop.page("/evil", f'<iframe src="{inner}" title="x"></iframe>').replace("localhost", "127.0.0.1")
    page.goto(evil)
    page.wait_for_load_state("networkidle")
    page.frames[1].evaluate("Helpdesk.open()")
    page.wait_for_load_state("networkidle")

    assert [each.url for each in page.frames if each.url.startswith(root)] == []


def test_styles_and_policies_of_a_page_leave_the_widget_as_it_is(page: Page, root: str, shop: Shop) -> None:
    origin = root.partition("/site/")[0]
    policy = (
        f"default-src 'none'; script-src {origin}; frame-src {origin}; style-src 'nonce-x'; "
        "require-trusted-types-for 'script'; trusted-types 'none'"
    )
    style = f'<style nonce="x">{HOSTILE_STYLE}</style><form id="Helpdesk"></form>'
    page.goto(shop.page("/", style + script(root), content_security_policy=policy))
    launch = page.get_by_role("button", name=T["widget.open"])

    expect(launch).to_have_css("position", "relative")
    box = launch.bounding_box()
    assert box is not None
    assert (round(box["width"]), round(box["height"])) == (56, 56)
    launch.click()

    expect(frame_of(page).get_by_role("textbox", name=T["widget.message"])).to_be_visible()
    dialog = page.get_by_role("dialog", name="Fern Shop").bounding_box()
    assert dialog is not None
    assert round(dialog["width"]) == 392


def test_messages_of_other_windows_are_ignored_on_both_sides(page: Page, root: str, shop: Shop) -> None:
    noise = (
        "<script>addEventListener('message', ({ source, data }) => source.postMessage(data, '*'))</script>"
    )
    other = shop.page("/noise", noise).replace("localhost", "127.0.0.1")
    page.goto(shop.page("/", f'<iframe id="noise" src="{other}" title="x"></iframe>{script(root)}'))
    page.wait_for_function("typeof window.Helpdesk?.open === 'function'")
    page.evaluate("Helpdesk.on('unread', (count) => { window.unread = count; })")
    page.evaluate("Helpdesk.open()")
    frame = frame_of(page)
    expect(frame.get_by_role("textbox")).to_be_focused()

    for data in ({"helpdesk": "close"}, {"helpdesk": "unread", "count": 9}, None, "close"):
        sent = json.dumps(data)
        page.evaluate(f"document.getElementById('noise').contentWindow.postMessage({sent}, '*')")
        page.evaluate(f"postMessage({sent}, '*')")
        frame.evaluate(f"postMessage({{...{sent}, helpdesk: 'state', open: false}}, '*')")
    page.evaluate("new Promise((done) => setTimeout(done, 200))")

    assert page.evaluate("window.unread") == 0
    expect(page.get_by_role("dialog")).to_be_visible()
    assert frame.evaluate("'closed' in document.documentElement.dataset") is False


def test_calls_from_before_the_script_is_there_count(page: Page, root: str, shop: Shop) -> None:
    early = (
        "<script>(window.Helpdesk ||= []).push(['open']);"
        "Helpdesk.push(['on', 'unread', (count) => { window.unread = count; }]);</script>"
    )
    page.goto(shop.page("/", f"{early}{script(root)}{script(root)}"))

    expect(page.get_by_role("dialog")).to_be_visible()
    assert page.evaluate("window.unread") == 0
    expect(page.locator("helpdesk-widget")).to_have_count(1)
    page.evaluate("Helpdesk.push(['close'])")
    expect(page.get_by_role("dialog")).to_be_hidden()


def test_a_page_says_who_its_user_is_and_that_they_left(
    page: Page, root: str, shop: Shop, api: Client, working: threading.RLock
) -> None:
    def token(name: str) -> str:
        return widget_token(str(api.credential), SiteUser(name, name=name))

    early = f"<script>(window.Helpdesk ||= []).push(['identify', '{token('Ada')}']);</script>"
    page.goto(shop.page("/", early + script(root)))
    frame = frame_of(page)
    frame.wait_for_selector("html[data-user]", state="attached")
    page.evaluate("Helpdesk.open()")
    frame.get_by_role("textbox").fill("Where is my parcel?")
    frame.get_by_role("button", name=T["contact.send"]).click()
    expect(frame.locator(".thread > li")).to_have_count(1)
    with working:
        [conversation] = api.get("/v1/conversations").body["conversations"]
    assert conversation["customer"]["name"] == "Ada"

    page.evaluate("Helpdesk.identify(null)")
    expect(frame.get_by_text(T["contact.message"])).to_be_visible()
    page.evaluate(f"Helpdesk.identify('{token('Ada')}')")
    expect(frame.locator(".thread > li")).to_have_count(1)


def test_a_visitor_sends_a_file_and_takes_another_back(page: Page, root: str, shop: Shop) -> None:
    page.goto(shop.page("/", script(root)))
    page.get_by_role("button", name=T["widget.open"]).click()
    frame = frame_of(page)
    expect(frame.get_by_role("textbox")).to_be_focused()
    files = [
        {"name": name, "mimeType": "text/plain", "buffer": name.encode()}
        for name in ("order.txt", "other.txt")
    ]
    frame.get_by_label("Files").set_input_files(files)  # type: ignore[arg-type]
    chips = frame.locator("#attached li[aria-busy=false]")
    expect(chips).to_have_count(2)

    chips.nth(1).get_by_role("button", name=T["widget.remove"]).click()
    frame.get_by_role("button", name=T["contact.send"]).click()

    expect(frame.locator(".thread .file")).to_have_text(["order.txt"])
    frame.get_by_label("Files").set_input_files(files[1:])  # type: ignore[arg-type]
    expect(chips).to_have_count(1)
    frame.get_by_role("button", name=T["contact.send"]).click()
    expect(frame.locator(".thread .file")).to_have_text(["order.txt", "other.txt"])
    expect(chips).to_have_count(0)


def test_on_a_phone_the_panel_is_the_screen_and_a_checker_finds_nothing(
    chromium: Browser, root: str, shop: Shop
) -> None:
    with chromium.new_context(viewport={"width": 360, "height": 740}, bypass_csp=True) as context:
        page = context.new_page()
        page.goto(shop.page("/", f"<main><h1>Shop</h1></main>{script(root)}"))
        page.get_by_role("button", name=T["widget.open"]).click()
        frame = frame_of(page)
        frame.get_by_role("textbox").fill("x" * 200 + " https://example.com/" + "y" * 200)
        frame.get_by_role("button", name=T["contact.send"]).click()
        expect(frame.locator(".thread > li")).to_have_count(1)

        box = page.get_by_role("dialog").bounding_box()
        assert box == {"x": 0, "y": 0, "width": 360, "height": 740}
        assert frame.evaluate("document.documentElement.scrollWidth") == 360
        assert Axe().run(page).response["violations"] == []
        frame.get_by_role("button", name=T["widget.close"]).click()
        expect(page.get_by_role("dialog")).to_be_hidden()
