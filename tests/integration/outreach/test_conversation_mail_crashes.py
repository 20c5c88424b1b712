"""Mail of a conversation that goes by mail, when functions die and SES's responses are lost."""

import itertools
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations import service as conversations
from helpdesk.conversations.jobs import UnreadJob
from helpdesk.outreach import mailing, unread
from helpdesk.outreach.jobs import UnreadMail
from helpdesk.platform import clients
from helpdesk.platform.settings import settings
from helpdesk.webhooks.delivery.fanout import fan_out
from tests.support import table as whole_table
from tests.support import written_mail
from tests.support.api import Client
from tests.support.dying import Died, dying
from tests.support.mail import Sent, carry, jobs, run_mailer, stream_records, waiting
from tests.support.unread import Time, look, reply, unread_jobs

ADDRESSES = (f"vera{number}@example.com" for number in itertools.count())
"""Each gets only some mails in an hour."""


@pytest.fixture
def home(organization: NewOrganization, mails: list[Sent], monkeypatch: pytest.MonkeyPatch) -> str:
    """An organization of a deployment that receives mail."""
    monkeypatch.setenv("INBOUND_MAIL_DOMAIN", "mail.helpdesk.example")
    settings.cache_clear()
    return organization.organization_id


def mailed_answer(member: Client, home: str) -> tuple[str, UnreadMail]:
    """Answer a customer's mail; return the conversation and the job of the mail."""
    conversation = written_mail.begin(home, address=next(ADDRESSES))
    reply(member, conversation, "It arrives tomorrow.")
    look(unread_jobs()[-1])
    body = jobs()[-1]["jobs"][0]["body"]
    return conversation, UnreadMail.from_body(body)


def test_wherever_the_look_dies_the_answer_is_mailed_once(
    member: Client, mails: list[Sent], time: Time, home: str
) -> None:
    def answer() -> UnreadJob:
        whole_table.remove("EVENT")
        whole_table.remove("JOB")
        mails.clear()
        reply(member, written_mail.begin(home, address=next(ADDRESSES)), "It arrives tomorrow.")
        return UnreadJob.from_body(unread_jobs()[-1])

    job = answer()
    with dying(None) as moments:
        unread.look(job)
    for at in range(moments.passed):
        job = answer()
        with pytest.raises(Died), dying(at):
            unread.look(job)
        unread.look(job)
        carry()
        assert len(mails) == 1, f"died at {at}"


def test_wherever_the_mailer_dies_the_mail_is_sent_once_or_after_ses_had_it_twice(
    member: Client, mails: list[Sent], time: Time, home: str
) -> None:
    _, job = mailed_answer(member, home)
    with dying(None) as moments:
        mailing.send(job)
    copies = []
    for at in range(moments.passed):
        whole_table.remove("EVENT")
        whole_table.remove("JOB")
        mails.clear()
        _, job = mailed_answer(member, home)
        with pytest.raises(Died), dying(at):
            mailing.send(job)
        mailing.send(job)
        mailing.send(job)
        copies.append(len(mails))

    # The second copy is of the mailer that died after SES took the mail, before it wrote so.
    assert copies == [1] * (moments.passed - 2) + [2, 1]


def test_a_mail_whose_response_is_lost_is_sent_at_most_twice(
    member: Client, mails: list[Sent], time: Time, home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation, _ = mailed_answer(member, home)
    assert fan_out(stream_records()) == []
    asked = []

    def lost(**request: Any) -> None:
        asked.append(request)
        raise ReadTimeoutError(endpoint_url="https://email.example")

    monkeypatch.setattr(clients.ses(1), "send_email", lost)
    (record,) = waiting()
    tries = [run_mailer([record]) for _ in range(3)]

    assert tries == [[record["messageId"]], [], []]
    assert len(asked) == 2
    assert asked[0]["Content"]["Simple"]["Subject"] == asked[1]["Content"]["Simple"]["Subject"]
    (shown,) = [
        each for each in member.get(f"/v1/conversations/{conversation}").body["messages"] if each["agent"]
    ]
    assert shown["mailed"] is None


def test_two_mails_at_once_give_a_conversation_one_reply_address(
    member: Client, mails: list[Sent], time: Time, home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation, job = mailed_answer(member, home)
    get = conversations.get
    raced: list[str] = []

    def get_before_another(*given: Any) -> Any:
        found = get(*given)
        if not raced:
            raced.append("now")
            mailing.send(job)
        return found

    monkeypatch.setattr(conversations, "get", get_before_another)
    mailing.send(job)

    token = get(home, conversation).reply_token
    assert [sent.reply_to for sent in mails] == [[f"r+{token}@mail.helpdesk.example"]]
    assert len(whole_table.of_kind("REPLYTO")) == 1
