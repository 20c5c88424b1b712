"""Mail in a conversation that began with one: what is mailed and when, to whom, and what keeps it in one thread."""

import re
from email.utils import getaddresses, parseaddr

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.limits import Plan
from helpdesk.conversations import reply_addresses
from helpdesk.conversations import service as conversations
from helpdesk.conversations.jobs import UnreadJob
from helpdesk.outreach import unread
from helpdesk.platform.settings import settings
from tests.integration.outreach.test_sending import EMAIL, visit
from tests.support import written_mail
from tests.support.api import Client
from tests.support.mail import Sent, carry
from tests.support.support_email import set_support_email
from tests.support.unread import Time, look, reply, set_plan, unread_jobs
from tests.support.written_mail import ADDRESS

DOMAIN = "mail.helpdesk.example"


@pytest.fixture
def home(organization: NewOrganization) -> str:
    return organization.organization_id


@pytest.fixture
def receives(mails: list[Sent], monkeypatch: pytest.MonkeyPatch) -> None:
    """A deployment that receives mail."""
    monkeypatch.setenv("INBOUND_MAIL_DOMAIN", DOMAIN)
    settings.cache_clear()


def test_an_answer_is_mailed_at_once_whatever_the_plan_and_the_settings(
    organization: NewOrganization, admin: Client, member: Client, mails: list[Sent], time: Time, home: str
) -> None:
    conversation = written_mail.begin(home)
    admin.patch("/v1/organization", {"unreadMailMinutes": 0})
    set_plan(organization, Plan.EXPLORE)
    reply(member, conversation, "It arrives tomorrow.")
    time.pass_by(0)

    (sent,) = mails
    assert sent.to == ["Vera <vera@example.com>"]
    name, address = parseaddr(sent.sender)
    assert re.fullmatch(r"Max Member of Organization \d+", name)
    assert address == "support@helpdesk.example"
    assert sent.text.startswith("It arrives tomorrow.\n\n")


def test_the_customers_next_mail_keeps_no_answer_from_being_mailed(
    member: Client, mails: list[Sent], time: Time, home: str
) -> None:
    conversation = written_mail.begin(home)
    reply(member, conversation, "It arrives tomorrow.")
    written_mail.go_on(home, conversation)
    time.pass_by(0)

    (sent,) = mails
    assert sent.text.startswith("It arrives tomorrow.\n\n")


def test_an_answer_is_looked_at_once_though_the_organization_mails_what_is_unread(
    member: Client, mails: list[Sent], time: Time, home: str
) -> None:
    reply(member, written_mail.begin(home), "It arrives tomorrow.")

    assert [job["dueAt"] for job in unread_jobs()] == [time.now]


def test_an_archived_conversations_last_answer_is_still_mailed(
    member: Client, mails: list[Sent], time: Time, home: str
) -> None:
    conversation = written_mail.begin(home)
    reply(member, conversation, "It arrives tomorrow.")
    member.post(f"/v1/conversations/{conversation}/archive")
    time.pass_by(0)

    assert len(mails) == 1


@pytest.mark.parametrize(("is_verified", "burst"), [(True, 10), (False, 3)])
def test_what_an_empty_bucket_holds_back_gathers_in_one_mail(
    member: Client, mails: list[Sent], time: Time, home: str, is_verified: bool, burst: int
) -> None:
    conversation = written_mail.begin(home, is_verified=is_verified)
    for number in range(burst):
        reply(member, conversation, f"Answer {number}.")
        look(unread_jobs()[-1])
        carry()
    assert len(mails) == burst
    for body in ("It arrives tomorrow.", "In the morning."):
        reply(member, conversation, body)
    for job in unread_jobs()[-2:]:
        look(job)
    carry()
    assert len(mails) == burst
    time.now += 10 * 60_000
    for job in unread_jobs()[-2:]:
        look(job)
    carry()

    assert len(mails) == burst + 1
    assert "It arrives tomorrow." in mails[-1].text
    assert "In the morning." in mails[-1].text


def test_the_next_mail_goes_to_where_the_newest_came_from(
    member: Client, mails: list[Sent], time: Time, home: str
) -> None:
    conversation = written_mail.begin(home)
    written_mail.go_on(home, conversation, address="vera@home.example", name=None)
    reply(member, conversation, "It arrives tomorrow.")
    time.pass_by(0)

    assert mails[-1].to == ["vera@home.example"]


@pytest.mark.parametrize(
    "name", ['Vera" <evil@example.com>, "', "Véra, Ada", "evil@example.com", "Vera\r\nBcc: x"]
)
def test_whatever_a_sender_calls_themselves_the_mail_has_one_recipient(
    member: Client, mails: list[Sent], time: Time, home: str, name: str
) -> None:
    reply(member, written_mail.begin(home, name=name), "It arrives tomorrow.")
    time.pass_by(0)

    ((_, address),) = getaddresses(mails[-1].to)
    assert address == ADDRESS
    assert mails[-1].to[0].isprintable()


def test_mail_programs_keep_the_answers_in_the_thread_of_the_customers_mails(
    member: Client, mails: list[Sent], time: Time, home: str
) -> None:
    conversation = written_mail.begin(home, message_id="first@mail.example.com")
    reply(member, conversation, "It arrives tomorrow.")
    time.pass_by(0)
    written_mail.go_on(
        home, conversation, message_id="second@mail.example.com", subject="AW: Re: Where is my order?"
    )
    reply(member, conversation, "In the morning.")
    time.pass_by(0)

    root = f"<{conversation}@helpdesk.example>"
    assert [sent.subject for sent in mails] == ["Re: Where is my order?"] * 2
    assert mails[0].headers == {
        "In-Reply-To": "<first@mail.example.com>",
        "References": f"{root} <first@mail.example.com>",
        "X-Loop": "support@helpdesk.example",
    }
    assert mails[1].headers == {
        "In-Reply-To": "<second@mail.example.com>",
        "References": f"{root} <first@mail.example.com> <second@mail.example.com>",
        "X-Loop": "support@helpdesk.example",
    }


def test_the_subject_of_an_unproven_address_leads_nowhere(
    member: Client, mails: list[Sent], time: Time, home: str
) -> None:
    subject = "Your bill: pay at https://evil.example/now or call +1 555 123 4567"
    conversation = written_mail.begin(home, is_verified=False, subject=subject)
    reply(member, conversation, "It arrives tomorrow.")
    time.pass_by(0)

    assert mails[0].subject == "Re: Your bill: pay at or call"


def test_an_answer_can_be_answered_where_the_deployment_receives_mail(
    receives: None, member: Client, mails: list[Sent], time: Time, home: str
) -> None:
    conversation = written_mail.begin(home)
    for body in ("It arrives tomorrow.", "In the morning."):
        reply(member, conversation, body)
        time.pass_by(0)

    first, second = mails
    token = conversations.get(home, conversation).reply_token
    assert first.reply_to == second.reply_to == [f"r+{token}@{DOMAIN}"]
    assert "To answer, reply to this mail." in first.text
    found = reply_addresses.find(str(token))
    assert found is not None
    assert found.conversation_id == conversation


def test_the_reply_address_comes_before_the_support_address(
    receives: None, admin: Client, member: Client, mails: list[Sent], time: Time, home: str
) -> None:
    set_support_email(admin, "help@shop.example")
    reply(member, written_mail.begin(home), "It arrives tomorrow.")
    time.pass_by(0)

    assert mails[-1].reply_to[0].endswith(f"@{DOMAIN}")


def test_a_mail_quotes_the_last_three_messages_before_it(
    member: Client, mails: list[Sent], time: Time, home: str
) -> None:
    conversation = written_mail.begin(home, "One")
    time.now += 1_000
    written_mail.go_on(home, conversation, "Two <b>\nwith a line")
    member.post(f"/v1/conversations/{conversation}/notes", {"body": "He is angry"})
    for body in ("Three", "Four"):
        reply(member, conversation, body)
        time.pass_by(1)

    name = member.get("/v1/organization").body["name"]
    lines = mails[-1].text.partition(f"Max Member of {name}")[2].split("\n")
    assert [line for line in lines if line.startswith(">")] == [
        "> One",
        "> Two <b>",
        "> with a line",
        "> Three",
    ]
    assert [line.partition(",")[0] for line in lines if line.endswith("UTC:")] == [
        "Vera",
        "Vera",
        "Max Member",
    ]
    assert '<blockquote type="cite"' in mails[-1].html
    assert "Two &lt;b&gt;<br>with a line" in mails[-1].html
    assert "angry" not in mails[-1].text + mails[-1].html


def test_a_quoted_message_is_cut(member: Client, mails: list[Sent], time: Time, home: str) -> None:
    reply(member, written_mail.begin(home, "x" * 2_000), "It arrives tomorrow.")
    time.pass_by(0)

    assert mails[-1].text.endswith("\n> " + "x" * 1_000 + "\n")


def test_nothing_is_quoted_to_an_address_that_the_sender_may_not_own(
    member: Client, mails: list[Sent], time: Time, home: str
) -> None:
    reply(member, written_mail.begin(home, "Buy my pills", is_verified=False), "It arrives tomorrow.")
    time.pass_by(0)

    assert "pills" not in mails[-1].text + mails[-1].html


def test_who_joins_with_the_reply_address_is_quoted_nothing_from_before(
    member: Client, mails: list[Sent], time: Time, home: str
) -> None:
    conversation = written_mail.begin(home, "My account is 4711.")
    written_mail.go_on(home, conversation, "I am a colleague.", address="carl@example.com")
    reply(member, conversation, "Hello, Carl.")
    time.pass_by(0)

    assert mails[-1].to == ["Vera <carl@example.com>"]
    assert "> I am a colleague." in mails[-1].text
    assert "4711" not in mails[-1].text + mails[-1].html


def test_without_a_sender_nothing_is_mailed(
    member: Client, mails: list[Sent], time: Time, home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply(member, written_mail.begin(home), "It arrives tomorrow.")
    monkeypatch.setenv("MAIL_FROM", "")
    settings.cache_clear()
    time.pass_by(0)

    assert mails == []
    assert unread.look(UnreadJob.from_body(unread_jobs()[-1])) is unread.Outcome.NOT_MAILED


def test_the_team_sees_where_a_conversation_began_whose_mail_came_in_and_what_became_of_its_own(
    api: Client, member: Client, mails: list[Sent], time: Time, home: str
) -> None:
    visit(api, email=EMAIL)
    conversation = written_mail.begin(home, is_verified=False)
    reply(member, conversation, "It arrives tomorrow.")
    time.pass_by(0)

    (listed,) = member.get("/v1/conversations?channel=email").body["conversations"]
    assert (listed["id"], listed["channel"]) == (conversation, "email")
    others = member.get("/v1/conversations?channel=api").body["conversations"]
    assert [each["channel"] for each in others] == ["api"]
    came_in, answer = member.get(f"/v1/conversations/{conversation}").body["messages"]
    assert (came_in["mail"]["address"], came_in["mail"]["isVerified"], came_in["mailed"]) == (
        ADDRESS,
        False,
        None,
    )
    assert (answer["mail"], answer["mailed"]) == (None, "sent")
