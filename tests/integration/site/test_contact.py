"""Writing to the team on a help site: who sees the conversation, what is refused, and what arrives once."""

import json
import re
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations.messages import visitors
from helpdesk.customers import identities
from helpdesk.customers.identities import Proven
from helpdesk.platform import clock
from helpdesk.platform.settings import settings
from helpdesk.site.record import SiteSettings
from helpdesk.site.visitors import browsers
from helpdesk.site.visitors.browsers import Visitor
from helpdesk.site.visitors.record import of_slug
from helpdesk.storage import table
from helpdesk.storage.transactions import Transaction
from tests.integration.openapi.test_hostile_text import HOSTILE
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.site import opened
from tests.support.site_browser import SiteBrowser


@pytest.fixture
def browser(api: Client) -> SiteBrowser:
    """A browser on the site of the API's organization."""
    return browser_on(api)


def browser_on(api: Client, **settings: Any) -> SiteBrowser:
    opened(api, **settings)
    return SiteBrowser(api.get("/v1/site").body["url"].rstrip("/"))


def written(browser: SiteBrowser, body: str = "My parcel is lost", **typed: str) -> str:
    """Write to the team; return the path of the conversation."""
    browser.open("/contact")
    where, fields = browser.form("/contact")
    answer = browser.send(where, {**fields, "body": body, **typed})
    assert answer.status == 303, answer.text
    location = answer.headers["location"].removeprefix(browser.root)
    return location.partition("?")[0]


def signed_in(api: Client, browser: SiteBrowser, email: str = "ada@example.com") -> SiteBrowser:
    """Sign a customer in on another browser; the customer of an address is one."""
    body = api.get("/v1/organization").body
    place = of_slug(body["id"], body["slug"], browser.root.partition("/site/")[0])
    proven = Proven((identities.hash_of("email", email),), {"name": "Ada", "email": email})
    customer = identities.find_or_create(place.organization, proven, visitors.introduce)
    transaction = Transaction()
    visitor = Visitor(customer.id, str(customer.session_hash), customer.name, customer.email)
    session = browsers.sign_in(transaction, place, visitor, 0)
    transaction.commit()
    name, _, value = browsers.cookie(session, place)["set-cookie"].partition(";")[0].partition("=")
    return SiteBrowser(browser.root, cookies={name: value})


def test_a_message_starts_a_conversation_that_the_team_answers(api: Client, browser: SiteBrowser) -> None:
    path = written(browser, "My parcel is lost.\nWhere is it?", name="Ada", email="ada@example.com")
    conversation_id = path.rpartition("/")[2]

    page = browser.open(path)

    assert page.words("h1") == "My parcel is lost."
    assert page.words(".thread li.own").startswith("You")
    assert page.one(".thread li.own .plain").text() == "My parcel is lost.\nWhere is it?"
    assert page.headers["cache-control"] == "no-store"
    inbox = api.get(f"/v1/conversations/{conversation_id}").body["conversation"]
    assert (inbox["customer"]["name"], inbox["customer"]["email"]) == ("Ada", "ada@example.com")
    assert inbox["page"]["url"] == f"{browser.root}/contact"
    api.post(f"/v1/conversations/{conversation_id}/reply", {"body": "It arrives tomorrow. <b>Really</b>"})
    page = browser.open(path)
    assert page.html.css(".thread li")[1].css("b") == []
    assert "It arrives tomorrow. <b>Really</b>" in page.html.css(".thread li")[1].text()


def test_the_page_of_a_visitor_lists_their_conversations(api: Client, browser: SiteBrowser) -> None:
    path = written(browser)

    links = browser.open("/contact").links("main ul")

    assert links == {"My parcel is lost": f"/local/site/{browser.root.rpartition('/')[2]}{path}"}


def test_a_conversation_is_its_visitors_alone(api: Client, stranger: Client, browser: SiteBrowser) -> None:
    path = written(browser)
    other = SiteBrowser(browser.root)
    other.open("/contact")
    elsewhere = browser_on(stranger)
    elsewhere.cookies = dict(browser.cookies)

    for each in (other, elsewhere, SiteBrowser(browser.root)):
        assert each.open(path).status == 404
        assert each.open(f"{path}/state").status == 404
        assert each.send(path, {"body": "Hello"}).status == 404
        assert each.send(f"{path}/rating", {"stars": "5"}).status == 404
    assert browser.open(path).status == 200
    assert browser.open("/contact/conv_" + "7" * 26).status == 404
    assert browser.open("/contact/ORG%23x").status == 404


def test_a_reply_goes_on_in_the_open_conversation_and_starts_another_after_it(
    api: Client, browser: SiteBrowser
) -> None:
    path = written(browser)
    browser.open(path)
    page = browser.press(path, body="One more thing")
    assert len(page.html.css(".thread li.own")) == 2

    api.post(f"/v1/conversations/{path.rpartition('/')[2]}/resolve", {})
    page = browser.open(path)
    assert "resolved" in page.words("#standing")
    page = browser.press(path, body="Something else")

    assert page.words("h1") == "Something else"
    assert len(api.get("/v1/conversations").body["conversations"]) == 2


def test_a_signed_in_visitor_finds_the_conversation_on_any_device(api: Client, browser: SiteBrowser) -> None:
    phone, laptop = signed_in(api, browser), signed_in(api, browser)
    path = written(phone)

    assert laptop.open(path).words("h1") == "My parcel is lost"
    assert laptop.open("/contact").html.css("#email") == []
    assert "set-cookie" not in laptop.page.headers
    assert signed_in(api, browser, "eve@example.com").open(path).status == 404
    customer = api.get(f"/v1/conversations/{path.rpartition('/')[2]}").body["conversation"]["customer"]
    assert customer["email"] == "ada@example.com"


@pytest.mark.parametrize(
    ("body", "said"),
    [("", "Write a message first"), (" \u200b", "Write a message first"), ("x" * 4_001, "4000")],
)
def test_a_message_that_is_refused_says_why_and_keeps_what_was_typed(
    api: Client, browser: SiteBrowser, body: str, said: str
) -> None:
    browser.open("/contact")
    where, fields = browser.form("/contact")

    page = browser.send(where, {**fields, "body": body, "name": "Ada"})

    assert page.status == 400
    assert said in page.words(".problem")
    assert page.one("#name").attributes["value"] == "Ada"
    assert page.one("textarea").text().strip() == body.strip()
    assert api.get("/v1/conversations").body["conversations"] == []
    path = written(browser)
    browser.open(path)
    where, fields = browser.form(path)
    assert said in browser.send(where, {**fields, "body": body}).words(".problem")


def test_a_form_without_the_browsers_token_sends_nothing(api: Client, browser: SiteBrowser) -> None:
    browser.open("/contact")
    where, fields = browser.form("/contact")
    other = SiteBrowser(browser.root)

    page = other.send(where, {**fields, "body": "Planted"})

    assert page.status == 403
    assert page.one("textarea").text().strip() == "Planted"
    assert browser.send(where, {**fields, "once": "", "body": "x"}).status == 400
    assert browser.send(where, {**fields, "body": "x"}, **{"sec-fetch-site": "cross-site"}).status == 403
    assert api.get("/v1/conversations").body["conversations"] == []


def test_a_network_that_sends_too_many_forms_waits(api: Client, browser: SiteBrowser) -> None:
    browser.open("/contact")
    where, fields = browser.form("/contact")
    at = clock.now_us()
    with clock.frozen(lambda: at):
        assert [browser.send(where, {**fields, "csrf": "x"}).status for _ in range(60)] == [403] * 60
        page = browser.send(where, {**fields, "body": "Patience"})

    assert (page.status, page.one("textarea").text().strip()) == (429, "Patience")


def test_a_resolved_conversation_is_rated(api: Client, browser: SiteBrowser) -> None:
    path = written(browser)
    conversation_id = path.rpartition("/")[2]
    browser.open(path)
    csrf = browser.form(path)[1]["csrf"]
    assert browser.open(path).html.css("input[name=stars]") == []
    early = browser.send(f"{path}/rating", {"csrf": csrf, "stars": "5"})
    assert (early.status, "cannot be rated" in early.text) == (400, True)
    api.post(f"/v1/conversations/{conversation_id}/resolve", {})
    browser.open(path)

    assert "1 to 5" in browser.send(f"{path}/rating", {"csrf": csrf, "stars": "6"}).words(".problem")
    long = browser.send(f"{path}/rating", {"csrf": csrf, "stars": "4", "note": "x" * 2_001})
    assert (long.status, len(long.html.css("input[checked]"))) == (400, 1)
    assert browser.send(f"{path}/rating", {"csrf": "wrong", "stars": "4"}).status == 403
    browser.open(path)
    page = browser.press("/rating", stars="4", note="Quick")

    assert "4 of 5" in page.words("#standing")
    assert api.get(f"/v1/conversations/{conversation_id}").body["conversation"]["rating"] == 4


def test_the_state_changes_with_a_message_and_costs_two_reads(api: Client, browser: SiteBrowser) -> None:
    path = written(browser)
    with recorded_calls() as calls:
        first = browser.open(f"{path}/state")
    api.post(f"/v1/conversations/{path.rpartition('/')[2]}/note", {"body": "Only we see this"})
    noted = browser.open(f"{path}/state")
    api.post(f"/v1/conversations/{path.rpartition('/')[2]}/reply", {"body": "Hello"})
    replied = browser.open(f"{path}/state")

    assert calls == ["dynamodb:BatchGetItem", "dynamodb:GetItem"]
    assert first.headers["content-type"] == "application/json"
    assert first.headers["cache-control"] == "no-store"
    assert json.loads(first.text) == json.loads(noted.text) != json.loads(replied.text)
    assert (
        json.loads(replied.text)["state"] == browser.open(path).one("#conversation").attributes["data-state"]
    )
    assert "Only we see this" not in browser.page.text


@pytest.mark.parametrize(("minutes", "mail_from"), [(5, "a@example.com"), (0, "a@example.com"), (5, "")])
def test_the_form_says_that_the_answer_is_mailed_where_it_is(
    api: Client,
    admin: Client,
    browser: SiteBrowser,
    monkeypatch: pytest.MonkeyPatch,
    minutes: int,
    mail_from: str,
) -> None:
    monkeypatch.setenv("MAIL_FROM", mail_from)
    settings.cache_clear()
    assert admin.patch("/v1/organization", {"unreadMailMinutes": minutes}).status == 200
    is_mailed = bool(minutes and mail_from)

    assert ("we also mail you the answer" in browser.open("/contact").words()) is is_mailed
    signed = signed_in(api, browser)
    assert ("we also mail it to you" in signed.open("/contact").words()) is is_mailed


def test_what_the_pages_cost(api: Client, browser: SiteBrowser) -> None:
    browser.open("/contact")
    with recorded_calls() as empty:
        SiteBrowser(browser.root).open("/contact")
    path = written(browser)
    with recorded_calls() as listed:
        browser.open("/contact")
    with recorded_calls() as thread:
        browser.open(path)

    assert empty == ["dynamodb:BatchGetItem"]
    assert listed == ["dynamodb:BatchGetItem", "dynamodb:Query", "dynamodb:BatchGetItem"]
    assert thread == ["dynamodb:BatchGetItem", "dynamodb:GetItem", "dynamodb:Query"]


def test_without_scripts_the_page_loads_itself_again_ever_less_until_the_answer(
    api: Client, browser: SiteBrowser
) -> None:
    path = written(browser)

    def pause(follow: str) -> str | None:
        page = browser.open(f"{path}?follow={follow}")
        found = page.html.css("meta[http-equiv=refresh]")
        hidden = "hidden" in page.one("#write").attributes
        assert hidden is bool(found)
        return str(found[0].attributes["content"]).partition(";")[0] if found else None

    assert [pause(each) for each in ("1", "3", "10")] == ["5", "10", "60"]
    assert [pause(each) for each in ("0", "11", "-1", "x", "999")] == [None] * 5
    api.post(f"/v1/conversations/{path.rpartition('/')[2]}/reply", {"body": "Hello"})
    assert pause("1") is None


def test_the_page_allows_its_own_script_and_no_foreign_image(api: Client) -> None:
    browser = browser_on(api, logoUrl="https://cdn.example.com/a;b/logo.png")
    page = browser.open(written(browser))

    policy = page.headers["content-security-policy"]
    assert "; img-src 'self' https://cdn.example.com data:; " in policy
    assert policy.endswith("; script-src 'self'")
    script = str(page.one("head script").attributes["src"]).removeprefix("/local")
    answer = browser.open(script)
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert not re.search(r"innerHTML|eval|insertAdjacent|document\.write", answer.text)


@pytest.mark.parametrize(
    "host", ["a.example,script-src", "a.example;script-src", "a.example 'unsafe-inline'"]
)
def test_a_logo_that_was_stored_before_its_host_was_checked_is_not_in_the_policy(
    api: Client, organization: NewOrganization, host: str
) -> None:
    browser = browser_on(api)
    path = written(browser)
    table.update(
        SiteSettings.key_for(organization.organization_id),
        "SET logoUrl = :logo",
        values={":logo": f"https://{host}/logo.png"},
    )

    policy = browser.open(path).headers["content-security-policy"]

    assert "a.example" not in policy
    assert "; img-src 'self' data:; " in policy


def test_a_site_without_contact_has_none_of_its_pages(api: Client) -> None:
    browser = browser_on(api)
    path = written(browser)
    api.patch("/v1/site", {"showContact": False})

    for each in ("/contact", path, f"{path}/state"):
        assert browser.open(each).status == 404
    for each in ("/contact", path, f"{path}/rating"):
        assert browser.send(each, {"body": "x"}).status == 404


def test_addresses_in_messages_and_replies_are_links(api: Client, browser: SiteBrowser) -> None:
    path = written(browser, "Is it https://a.example/b?")
    api.post(f"/v1/conversations/{path.rpartition('/')[2]}/reply", {"body": "No, https://c.example/d."})

    links = browser.open(path).html.css(".thread .plain a")

    assert [each.attributes["href"] for each in links] == ["https://a.example/b", "https://c.example/d"]
    assert {each.attributes["rel"] for each in links} == {"nofollow ugc noopener"}


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_is_text_in_the_thread(api: Client, browser: SiteBrowser, text: str) -> None:
    path = written(browser, f"x{text[:3_900]}", name=text[:300], email=text[:300])
    api.post(f"/v1/conversations/{path.rpartition('/')[2]}/reply", {"body": f"x{text[:3_900]}"})

    for page in (browser.open(path), browser.open("/contact")):
        assert page.status == 200
        assert page.html.css("main script") == []
    assert browser.open(f"{path}?follow=" + "%00" + text[:1]).status in {200, 400}
