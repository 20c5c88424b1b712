"""Mail of answers that a visitor hasn't read: what it has, and how much there is of it."""

from collections.abc import Callable
from copy import replace
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations import service as conversations
from helpdesk.conversations import thread
from helpdesk.conversations.jobs import UnreadJob
from helpdesk.conversations.message_record import Author
from helpdesk.conversations.state import Speaker
from helpdesk.conversations.thread import OutgoingMessage
from helpdesk.outreach import unread
from helpdesk.outreach.addressing import To
from helpdesk.platform import clients
from helpdesk.platform.settings import settings
from helpdesk.storage.transactions import Transaction
from helpdesk.webhooks.delivery.fanout import fan_out
from tests.integration.outreach.test_sending import EMAIL, SESSION, outreach, visit
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.mail import Sent, carry, jobs, run_mailer, stream_records, waiting
from tests.support.support_email import set_support_email
from tests.support.unread import MINUTE, Time, look, on_site, reply, unread_jobs

type Make = Callable[..., NewOrganization]


def test_a_mail_links_to_the_conversation_on_the_help_site_and_to_no_other_page(
    api: Client, member: Client, mails: list[Sent], time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = {"session": SESSION, "body": "Hello", "user": {"email": EMAIL}}
    page = {"page": {"url": "https://elsewhere.example/contact"}}
    by_api = api.post("/v1/messages", {**elsewhere, **page}).body["conversationId"]
    browser, path = on_site(api)
    monkeypatch.setenv("BASE_URL", browser.root.partition("/site/")[0])
    settings.cache_clear()
    for conversation in (by_api, path.rpartition("/")[2]):
        reply(member, conversation, "It arrives tomorrow.")
    time.pass_by(5)

    of_api, of_site = mails
    assert "elsewhere.example" not in of_api.html
    assert of_site.text.endswith(f"\n\n{browser.root}{path}\n")


def test_a_job_that_runs_twice_mails_once(api: Client, member: Client, mails: list[Sent], time: Time) -> None:
    conversation, _ = visit(api, email=EMAIL)
    reply(member, conversation, "It arrives tomorrow.")
    time.now += 5 * MINUTE
    (job,) = unread_jobs()
    look(job)
    look(job)

    assert len(jobs()) == 1
    carry()
    look(job)
    carry()
    assert len(mails) == 1


def test_what_ses_did_not_take_is_mailed_whole_later(
    api: Client, member: Client, mails: list[Sent], time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation, _ = visit(api, email=EMAIL)
    for body in ("It arrives tomorrow.", "In the morning."):
        reply(member, conversation, body)
    time.now += 5 * MINUTE
    for job in unread_jobs():
        look(job)
    assert fan_out(stream_records()) == []
    with monkeypatch.context() as patched:

        def unreachable(**_: Any) -> None:
            raise EndpointConnectionError(endpoint_url="https://email.example")

        patched.setattr(clients.ses(1), "send_email", unreachable)
        (record,) = waiting()
        assert run_mailer([record]) == [record["messageId"]]
    assert run_mailer([record]) == []

    (sent,) = mails
    assert "tomorrow" in sent.text
    assert "morning" in sent.text


def test_what_was_mailed_at_once_is_not_mailed_again(
    api: Client, member: Client, mails: list[Sent], time: Time
) -> None:
    conversation, customer = visit(api, email=EMAIL)
    reply(member, conversation, "It arrives tomorrow.")
    outreach(member, customer, "A refund is on its way.")
    carry()
    time.pass_by(5)

    assert [sent.text.partition("\n")[0] for sent in mails] == [
        "A refund is on its way.",
        "It arrives tomorrow.",
    ]


def test_the_agents_markdown_is_html_without_images_and_says_that_a_machine_wrote_it(
    api: Client, organization: NewOrganization, mails: list[Sent], time: Time
) -> None:
    conversation, _ = visit(api, email=EMAIL)
    seen = conversations.get(organization.organization_id, conversation)
    answer = OutgoingMessage(
        Author("ai", "Robin"),
        "**Tomorrow**, see [orders](https://shop.example/o) ![x](https://a.b/c.png)\n\n    a = 1",
    )
    transaction = Transaction()
    thread.append_by_team(transaction, seen, replace(seen.state, last_speaker=Speaker.AGENT), answer)
    transaction.commit()
    time.pass_by(5)

    (sent,) = mails
    assert "<strong>Tomorrow</strong>" in sent.html
    assert 'href="https://shop.example/o"' in sent.html
    assert "<img" not in sent.html
    assert '<pre style="white-space: pre-wrap"' in sent.html
    assert sent.headers["Auto-Submitted"] == "auto-replied"


def test_the_mails_of_a_conversation_refer_to_one_id_so_that_they_stay_together(
    api: Client, member: Client, mails: list[Sent], time: Time
) -> None:
    conversation, _ = visit(api, email=EMAIL)
    for body in ("It arrives tomorrow.", "In the morning."):
        reply(member, conversation, body)
        time.pass_by(5)

    root = f"<{conversation}@helpdesk.example>"
    for name in ("In-Reply-To", "References"):
        assert [sent.headers[name] for sent in mails] == [root] * 2
    assert mails[0].subject == mails[1].subject


def test_an_address_gets_three_mails_at_once_and_the_next_when_ten_minutes_have_passed(
    api: Client, member: Client, mails: list[Sent], time: Time
) -> None:
    for number in range(4):
        conversation, _ = visit(api, session=f"{SESSION}-{number}", email=EMAIL)
        reply(member, conversation, f"Answer {number}.")
    time.pass_by(5)
    assert len(mails) == 3
    time.now += 10 * MINUTE
    look(unread_jobs()[-1])
    carry()

    assert len(mails) == 4


def test_an_answer_whose_mail_waits_for_a_day_is_given_up(
    api: Client, member: Client, mails: list[Sent], time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation, _ = visit(api, email=EMAIL)
    reply(member, conversation, "It arrives tomorrow.")
    to = To(EMAIL, None, is_proven=False, has_written=False)
    for _ in range(unread.MAILS_TO_ADDRESS_BURST):
        unread.charge(str(whole_table.of_kind("ORG")[0]["id"]), to)
    (job,) = unread_jobs()
    time.now += 5 * MINUTE

    assert unread.look(UnreadJob.from_body(job)) is unread.Outcome.PUT_OFF
    time.now += unread.GIVES_UP_AFTER_MS
    for _ in range(unread.MAILS_TO_ADDRESS_BURST):
        unread.charge(str(whole_table.of_kind("ORG")[0]["id"]), to)
    assert unread.look(UnreadJob.from_body(job)) is unread.Outcome.NOT_MAILED


def test_replies_go_to_the_support_address(
    api: Client, admin: Client, member: Client, mails: list[Sent], time: Time
) -> None:
    set_support_email(admin, "help@shop.example")
    conversation, _ = visit(api, email=EMAIL)
    reply(member, conversation, "It arrives tomorrow.")
    time.pass_by(5)

    assert mails[-1].reply_to == ["help@shop.example"]
    assert "To answer, reply to this mail." in mails[-1].text
