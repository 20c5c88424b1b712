"""Who is signed in, on every page of the site: a link to sign in, or the visitor's name with the way out."""

from collections.abc import Callable, Mapping
from urllib.parse import quote

import pytest

from helpdesk.platform.settings import settings
from helpdesk.site import articles, contents
from tests.integration.site.conftest import Dice
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.site_browser import SiteBrowser


@pytest.fixture(autouse=True)
def _mail(monkeypatch: pytest.MonkeyPatch, _deployment: None) -> None:
    monkeypatch.setenv("MAIL_FROM", "help@example.com")
    monkeypatch.setattr(articles, "_dice", Dice(1))
    contents.forget()
    settings.cache_clear()


@pytest.fixture
def article(api: Client) -> str:
    """The path of a published article, remembered by the environment."""
    document = {"title": "First steps", "body": "Begin here.", "published": True}
    assert api.post("/v1/knowledge/documents", document).status == 200
    return "/articles/first-steps"


def links(browser: SiteBrowser) -> Mapping[str, str]:
    return browser.page.links(".site-header")


def signed_in(browser: SiteBrowser, mails: list[tuple[str, str, str]]) -> None:
    browser.press(email="ada@example.com")
    browser.press("/code", code=mails[-1][1])


def test_an_anonymous_page_leads_to_sign_in_and_back_and_is_kept_by_proxies(
    browser: SiteBrowser, article: str, mails: list[tuple[str, str, str]]
) -> None:
    browser.open(article)
    with recorded_calls() as calls:
        page = browser.open(article)

    assert calls == ["dynamodb:BatchGetItem"]
    assert page.headers["cache-control"] == "public, max-age=60, stale-while-revalidate=300"
    assert {"cookie", "accept"} <= set(page.headers["vary"].split(", "))
    assert "set-cookie" not in page.headers
    assert page.html.css("form.account") == []
    browser.open(links(browser)["Sign in"])
    signed_in(browser, mails)
    assert browser.page.words("h1") == "First steps"


def test_what_a_search_finds_is_shown_to_a_visitor_who_is_signed_in(
    browser: SiteBrowser, article: str, mails: list[tuple[str, str, str]]
) -> None:
    browser.open(f"/sign-in?to={article}")
    signed_in(browser, mails)

    assert browser.open("/search?q=steps").words("form.account") == "ada@example.com Sign out"


def test_a_signed_in_visitor_sees_who_they_are_in_as_many_calls_and_nobody_else_does(
    browser: SiteBrowser, article: str, mails: list[tuple[str, str, str]]
) -> None:
    browser.open(f"/sign-in?to={article}")
    signed_in(browser, mails)
    with recorded_calls() as calls:
        page = browser.open(article)

    assert calls == ["dynamodb:BatchGetItem"]
    assert page.words("form.account") == "ada@example.com Sign out"
    assert "Sign in" not in links(browser)
    assert page.headers["cache-control"] == "private, no-cache"
    assert "cookie" in page.headers["vary"].split(", ")
    assert "content-encoding" not in browser.open(article, accept_encoding="gzip").headers
    assert browser.ask("GET", article, None, {"if-none-match": page.headers["etag"]}).status == 304
    assert "ada" not in SiteBrowser(browser.root).open(article).text


def test_signing_out_in_the_header_leads_back_to_the_same_page(
    browser: SiteBrowser, article: str, mails: list[tuple[str, str, str]]
) -> None:
    browser.open(f"/sign-in?to={article}")
    signed_in(browser, mails)
    fields = {
        str(each.attributes["name"]): str(each.attributes["value"])
        for each in browser.page.html.css("form.account input")
    }
    led = browser.send(str(browser.page.one("form.account").attributes["action"]), fields)

    assert led.headers["location"] == f"{browser.root}{article}"
    browser.open(article)
    assert "Sign in" in links(browser)


def test_a_name_is_shown_as_text(
    browser: SiteBrowser, api: Client, mails: list[tuple[str, str, str]]
) -> None:
    browser.open("/sign-in")
    signed_in(browser, mails)
    [customer] = api.get("/v1/customers").body["customers"]
    changed = api.patch(f"/v1/customers/{customer['id']}", {"name": "<b>Ada</b>"})
    assert changed.status == 200, changed.body

    assert browser.open("/").words("form.account .who") == "<b>Ada</b>"


def test_a_page_that_answers_a_form_leads_back_to_the_home_page(browser: SiteBrowser) -> None:
    browser.send("/contact", {"body": "Hello", "csrf": "old", "once": "0" * 43})

    assert browser.page.status == 403
    assert links(browser)["Sign in"].endswith("/sign-in")


@pytest.mark.parametrize(
    ("changed", "sender", "shown"),
    [
        ({}, "help@example.com", True),
        ({}, "", False),
        ({"showContact": False}, "help@example.com", False),
        ({"showContact": False, "showBoard": True}, "help@example.com", True),
    ],
    ids=["by code", "without mail", "nothing to find", "votes"],
)
def test_sign_in_is_offered_where_it_works_and_leads_to_something(
    browser: SiteBrowser,
    api: Client,
    monkeypatch: pytest.MonkeyPatch,
    changed: dict[str, bool],
    sender: str,
    shown: bool,
) -> None:
    assert api.patch("/v1/site", {**changed, "intro": "Welcome"}).status == 200
    monkeypatch.setenv("MAIL_FROM", sender)
    settings.cache_clear()

    browser.open("/")

    assert ("Sign in" in links(browser)) is shown


@pytest.mark.parametrize("sender", ["help@example.com", ""])
def test_the_page_to_write_offers_sign_in_where_it_works(
    browser: SiteBrowser, monkeypatch: pytest.MonkeyPatch, sender: str
) -> None:
    monkeypatch.setenv("MAIL_FROM", sender)
    settings.cache_clear()

    browser.open("/contact")

    offered = [path for path in browser.page.links("main").values() if "/sign-in" in path]
    assert bool(offered) is bool(sender)


def test_another_method_needs_no_mail(
    browser: SiteBrowser, api: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign_in = {"method": "app", "appUrl": "https://app.example.com/help"}
    assert api.patch("/v1/site/sign-in", sign_in).status == 200
    monkeypatch.setenv("MAIL_FROM", "")
    settings.cache_clear()

    browser.open("/")

    assert links(browser)["Sign in"].endswith("/sign-in")


@pytest.mark.parametrize("letters", ["กข" * 40, "请" * 80, "𠮷" * 80], ids=["Thai", "Chinese", "four bytes"])
def test_sign_in_and_out_lead_back_to_the_longest_address_of_every_script(
    browser: SiteBrowser, api: Client, mails: list[tuple[str, str, str]], letters: str
) -> None:
    document = {"title": letters, "slug": letters, "body": "Begin here.", "published": True}
    assert api.post("/v1/knowledge/documents", document).status == 200

    browser.open(f"/articles/{quote(letters)}")
    browser.open(links(browser)["Sign in"])
    signed_in(browser, mails)
    assert browser.page.words("h1") == letters
    fields = {
        str(each.attributes["name"]): str(each.attributes["value"])
        for each in browser.page.html.css("form.account input")
    }
    led = browser.send("/sign-in/out", fields)

    assert browser.open(led.headers["location"]).words("h1") == letters


def test_a_provider_leads_back_to_the_longest_address(
    browser: SiteBrowser, at_provider: Callable[..., str]
) -> None:
    path = f"articles/{quote('𠮷' * 80)}"

    browser.open(at_provider(browser, path))

    assert browser.page.status == 404  # no such article: the way back is what counts
    assert browser.page.one("[name=to]").attributes["value"] == path
