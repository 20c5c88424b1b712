"""The search box in a browser: titles while someone types, by keyboard and mouse."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Route, expect

from tests.support.api import Client
from tests.support.chromium import chromium as chromium  # noqa: PLC0414 - a fixture
from tests.support.chromium import host as host  # noqa: PLC0414 - a fixture
from tests.support.chromium import installed
from tests.support.chromium import working as working  # noqa: PLC0414 - a fixture
from tests.support.knowledge import add, work
from tests.support.site import opened

pytestmark = installed

LONG = "Refunds of orders that were paid with a voucher, a card and the balance of an account together"


@pytest.fixture
def root(host: str, api: Client) -> str:
    """A site with three articles about refunds, and one that is not."""
    for title in ("Refunds", LONG, "Refund <b>fees</b>", "Parcels"):
        add(api, title, "Text.", published=True)
    work()
    return f"{host}/site/{opened(api, title='Fern Shop Help', language='en').slug}"


@pytest.fixture
def page(chromium: Browser, root: str) -> Page:
    """The home page, without its policy lifted, and with what it refused."""
    page = chromium.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.set_default_timeout(20_000)
    page.goto(f"{root}/")
    return page


def type_in(page: Page, text: str) -> None:
    page.locator(".search input").fill(text)
    expect(page.locator(".titles")).to_be_visible()


def test_an_article_is_chosen_by_keyboard(page: Page) -> None:
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    box = page.locator(".search input")
    type_in(page, "refu")
    assert sorted(page.locator("[role=option]").all_inner_texts()) == [
        "Refund <b>fees</b>",
        "Refunds",
        LONG,
    ]
    first = page.locator("[role=option]").first.inner_text()

    box.press("ArrowUp")
    expect(page.locator("[aria-selected=true]")).to_have_id("search-title-2")
    box.press("ArrowDown")
    expect(box).not_to_have_attribute("aria-activedescendant", "search-title-2")
    box.press("ArrowDown")
    expect(box).to_have_attribute("aria-activedescendant", "search-title-0")
    expect(box).to_have_value("refu")
    box.press("Enter")
    page.wait_for_url("**/articles/**")
    assert page.locator("h1").inner_text() == first
    assert refused == []
    page.context.close()


def test_escape_closes_the_list_and_enter_searches_for_what_was_typed(page: Page) -> None:
    box = page.locator(".search input")
    type_in(page, "parc")

    box.press("Escape")
    expect(page.locator(".titles")).to_be_hidden()
    expect(box).to_have_attribute("aria-expanded", "false")
    expect(box).to_have_value("parc")
    box.press("ArrowDown")
    expect(page.locator(".titles")).to_be_visible()
    box.press("ArrowUp")
    box.press("Enter")
    page.wait_for_url("**/search?q=parc")
    assert page.locator(".results a").all_inner_texts() == ["Parcels"]
    page.context.close()


def test_an_article_is_chosen_by_mouse_and_the_list_closes_with_the_focus(page: Page) -> None:
    type_in(page, "parcels")
    page.locator("h1").click()
    expect(page.locator(".titles")).to_be_hidden()

    type_in(page, "parcel")
    page.locator("[role=option]").click()
    page.wait_for_url("**/articles/parcels")
    page.context.close()


def test_a_refusal_is_respected_and_the_form_still_works(page: Page) -> None:
    asked: list[str] = []

    def refuse(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(status=429)

    page.route("**/search/titles?**", refuse)
    box = page.locator(".search input")
    with page.expect_response("**/search/titles?**"):
        box.fill("refu")
    box.fill("refunds")
    page.wait_for_timeout(400)
    assert len(asked) == 1
    expect(page.locator(".titles")).to_be_hidden()
    box.press("Enter")
    page.wait_for_url("**/search?q=refunds")
    page.context.close()


def test_a_checker_of_accessibility_finds_nothing_in_the_open_list_and_it_fits_on_a_phone(
    chromium: Browser, root: str
) -> None:
    context = chromium.new_context(viewport={"width": 360, "height": 800}, bypass_csp=True)
    page = context.new_page()
    for path in ("/", "/articles/parcels", "/search?q=refunds"):
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            page.goto(root + path)
            type_in(page, "refunds o" if "q=" in path else "refu")
            page.locator(".search input").press("ArrowDown")
            found = Axe().run(page, options={"resultTypes": ["violations"]})
            assert found.violations_count == 0, f"{path} {scheme}: {found.generate_report()}"
            assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, path
    context.close()
