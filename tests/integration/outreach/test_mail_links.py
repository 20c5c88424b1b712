"""The links of mails to customers: rating a resolved conversation, and unsubscribing from notices."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations import service as conversations
from helpdesk.conversations.jobs import RATING_WAITS_MS
from helpdesk.customers import merging
from helpdesk.customers import service as customers
from helpdesk.outreach import service as outreach
from helpdesk.outreach.schemas import MailOutcome
from helpdesk.platform.settings import settings
from tests.integration.outreach.test_sending import EMAIL, visit
from tests.support import table as whole_table
from tests.support import written_mail
from tests.support.api import Client
from tests.support.mail import Sent, carry
from tests.support.site import opened
from tests.support.site_browser import SiteBrowser
from tests.support.unread import Time, look, reply, unread_jobs

DOMAIN = "mail.helpdesk.example"
type Notify = Callable[[str, str], MailOutcome]


@pytest.fixture
def home(organization: NewOrganization) -> str:
    return organization.organization_id


@pytest.fixture(autouse=True)
def _receives(mails: list[Sent], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INBOUND_MAIL_DOMAIN", DOMAIN)
    settings.cache_clear()


@pytest.fixture
def browser(api: Client) -> SiteBrowser:
    return SiteBrowser(api.get("/v1/site").body["url"].rstrip("/"))


@pytest.fixture
def notify(home: str) -> Notify:
    def send(conversation: str, customer: str) -> MailOutcome:
        sender = organizations.get(home)
        return outreach.notify(
            home, customer, [conversation], lambda _: "It is done.", lambda _: None, sender
        )

    return send


def resolved_jobs() -> list[dict[str, Any]]:
    made = [job for item in whole_table.of_kind("EVENT") for job in item.get("jobs", [])]
    return [job["body"] for job in made if job["body"].get("kind") == "resolved"]


def ask_for_ratings(time: Time) -> None:
    """Let the time pass after which customers are asked, and carry the mail."""
    time.now += RATING_WAITS_MS
    for job in resolved_jobs():
        look(job)
    carry()


def path_in(sent: Sent, page: str) -> str:
    (line,) = [line for line in sent.text.splitlines() if f"/{page}/" in line]
    return f"/{page}/{line.rpartition('/')[2]}"


def test_a_notice_can_be_unsubscribed_with_one_click_and_an_answer_cannot(
    member: Client,
    api: Client,
    mails: list[Sent],
    time: Time,
    notify: Notify,
    browser: SiteBrowser,
    home: str,
) -> None:
    conversation, customer = visit(api, email=EMAIL)
    assert notify(conversation, customer) is MailOutcome.QUEUED
    carry()
    (sent,) = mails
    link = sent.headers["List-Unsubscribe"].strip("<>")
    assert sent.headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert link in sent.text

    path = path_in(sent, "unsubscribe")
    browser.ask("GET", path, None)
    assert notify(conversation, customer) is MailOutcome.QUEUED  # opening the page changes nothing
    one_click = browser.ask(
        "POST", path, "List-Unsubscribe=One-Click", {"content-type": "application/x-www-form-urlencoded"}
    )
    assert one_click.status == 200
    assert notify(conversation, customer) is MailOutcome.UNSUBSCRIBED
    reply(member, conversation, "It arrives tomorrow.")
    time.pass_by(5)

    assert "It arrives tomorrow." in mails[-1].text
    assert "List-Unsubscribe" not in mails[-1].headers
    assert [sent.text.count("It is done.") for sent in mails] == [1, 0]  # the second waited in the queue


def test_a_customer_undoes_it_on_the_same_page(
    api: Client, mails: list[Sent], notify: Notify, browser: SiteBrowser
) -> None:
    conversation, customer = visit(api, email=EMAIL)
    notify(conversation, customer)
    carry()
    browser.open(path_in(mails[0], "unsubscribe"))
    browser.press()
    assert api.get(f"/v1/customers/{customer}").body["customer"]["mailNotices"] is False
    browser.press("/undo")

    assert api.get(f"/v1/customers/{customer}").body["customer"]["mailNotices"] is True


def test_who_unsubscribed_and_signs_in_later_stays_unsubscribed(api: Client, home: str) -> None:
    _, before = visit(api, email=EMAIL)
    _, after = visit(api, session="another-session")
    customers.set_notices(home, before, off=True)

    assert merging.finish(home, customers.get(home, before), after)
    assert customers.get(home, after).mail_notices is False


@pytest.mark.parametrize("page", ["rate", "unsubscribe"])
def test_no_guess_and_no_other_organizations_token_opens_a_page(
    api: Client, mails: list[Sent], browser: SiteBrowser, page: str
) -> None:
    opened(api)
    elsewhere = "a" * 26

    assert browser.ask("GET", f"/{page}/{elsewhere}", None).status == 404
    assert browser.ask("POST", f"/{page}/{elsewhere}", "stars=1").status == 404


@pytest.mark.parametrize("shows_site", [True, False])
def test_a_resolved_conversation_is_rated_by_the_link_in_one_mail(
    api: Client,
    member: Client,
    mails: list[Sent],
    time: Time,
    browser: SiteBrowser,
    home: str,
    shows_site: bool,
) -> None:
    if shows_site:
        opened(api)
    conversation = written_mail.begin(home, message_id="first@mail.example.com")
    member.post(f"/v1/conversations/{conversation}/resolve")
    ask_for_ratings(time)
    ask_for_ratings(time)

    (sent,) = mails
    name = api.get("/v1/organization").body["name"]
    assert sent.text.startswith(
        f"{name} marked your request as resolved. If anything is still open, reply to this mail.\n\n"
    )
    assert (sent.subject, sent.headers["In-Reply-To"]) == (
        "Re: Where is my order?",
        "<first@mail.example.com>",
    )
    assert sent.headers["Auto-Submitted"] == "auto-replied"
    assert sent.reply_to[0].endswith(f"@{DOMAIN}")
    assert "List-Unsubscribe" not in sent.headers
    assert browser.open(path_in(sent, "rate")).status == 200
    assert conversations.get(home, conversation).rating is None
    browser.press("", stars="2", note="Too slow")
    assert conversations.get(home, conversation).rating == 2
    browser.press("", stars="4", note="Better")
    assert conversations.get(home, conversation).rating == 4
    assert "Thank you" in browser.page.text


def test_without_stars_nothing_is_rated(
    member: Client, mails: list[Sent], time: Time, browser: SiteBrowser, home: str
) -> None:
    conversation = written_mail.begin(home)
    member.post(f"/v1/conversations/{conversation}/resolve")
    ask_for_ratings(time)
    browser.open(path_in(mails[0], "rate"))

    assert browser.press("", stars="9").status == 400
    assert conversations.get(home, conversation).rating is None


@pytest.mark.parametrize("meanwhile", ["reopen", "archive"])
def test_a_conversation_that_is_open_again_or_archived_is_not_asked_about(
    member: Client, mails: list[Sent], time: Time, home: str, meanwhile: str
) -> None:
    conversation = written_mail.begin(home)
    member.post(f"/v1/conversations/{conversation}/resolve")
    member.post(f"/v1/conversations/{conversation}/{meanwhile}")
    ask_for_ratings(time)

    assert mails == []


def test_a_conversation_that_goes_by_no_mail_is_not_asked_about(
    api: Client, member: Client, mails: list[Sent]
) -> None:
    conversation, _ = visit(api, email=EMAIL)
    member.post(f"/v1/conversations/{conversation}/resolve")

    assert resolved_jobs() == []


def test_a_message_that_the_team_writes_first_continues_the_thread_of_the_customers_mails(
    member: Client, mails: list[Sent], time: Time, home: str
) -> None:
    conversation = written_mail.begin(home, message_id="first@mail.example.com")
    customer = conversations.get(home, conversation).customer_id
    answer = member.post(f"/v1/customers/{customer}/messages", {"body": "Your refund is on its way."})
    carry()
    assert (answer.body["conversationId"], answer.body["mail"]) == (conversation, "queued")
    assert mails == []
    for job in unread_jobs():
        look(job)
    carry()

    (sent,) = mails
    assert (sent.subject, sent.headers["In-Reply-To"]) == (
        "Re: Where is my order?",
        "<first@mail.example.com>",
    )
