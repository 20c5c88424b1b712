"""Mail that comes back: what the team learns, and that it learns it once."""

import copy
import json
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations.message_record import MailState, Message
from helpdesk.outreach import repository
from helpdesk.outreach.record import MailedMessage
from helpdesk.platform import clients
from helpdesk.platform.settings import settings
from helpdesk.storage import table
from tests.integration.outreach.test_sending import EMAIL, outreach, visit
from tests.support import table as whole_table
from tests.support.api import Client, Context, function
from tests.support.mail import CONFIGURATION_SET, Sent, carry
from tests.support.queues import sqs_event
from tests.support.workers import Workers, received
from tests.unit.inbound_mail.test_notices import BOUNCE, COMPLAINT

COMPLAINED = (
    "The customer marked a mail of this conversation as spam, so no more mail is sent to this address. "
    "Ask for another address."
)


def notify(notice: dict[str, Any]) -> list[str]:
    """Hand a notice to the function as the queue does; return the messages that failed."""
    event = sqs_event(notice, queue="mail_events", group="none")
    answer: Any = function("mail_receiver").handler(event, Context())
    return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]


def about(notice: dict[str, Any], tags: dict[str, str], **changed: Any) -> dict[str, Any]:
    """Return a notice about the mail that was sent with tags."""
    whole = copy.deepcopy(notice)
    whole["mail"]["tags"] = {name: [value] for name, value in tags.items()}
    whole.get("bounce", {}).update(changed)
    return whole


def mailed(api: Client, mails: list[Sent]) -> dict[str, str]:
    """Write to a customer; return the tags of the mail."""
    _, customer = visit(api, email=EMAIL)
    assert outreach(api, customer).status == 200
    carry()
    return mails[-1].tags


def state(tags: dict[str, str]) -> MailState | None:
    item = table.get(MailedMessage.key_for(tags["organization"], tags["conversation"], tags["message"]))
    return None if item is None else MailedMessage.from_item(item).mail


def lines(api: Client, tags: dict[str, str]) -> list[str]:
    entries = api.get(f"/v1/conversations/{tags['conversation']}").body["messages"]
    return [entry["body"] for entry in entries if entry["kind"] == "system"]


def test_a_mail_to_a_customer_is_tagged_with_ids_alone(
    api: Client, organization: NewOrganization, mails: list[Sent]
) -> None:
    conversation, customer = visit(api, email=EMAIL)
    message = outreach(api, customer).body["messageId"]
    carry()

    (sent,) = mails
    assert sent.configuration_set == CONFIGURATION_SET
    assert sent.tags == {
        "organization": organization.organization_id,
        "conversation": conversation,
        "message": message,
    }


def test_a_bounce_marks_the_message_and_asks_the_team_for_another_address(
    api: Client, mails: list[Sent]
) -> None:
    tags = mailed(api, mails)

    assert notify(about(BOUNCE, tags, bounceSubType="NoEmail")) == []
    assert state(tags) is MailState.BOUNCED
    assert lines(api, tags) == [
        (
            "The mail to this customer bounced: the address doesn't exist (550 5.1.1 user unknown). "
            "Ask for another address."
        )
    ]


@pytest.mark.parametrize(
    ("kind", "subtype", "line"),
    [
        ("Permanent", "General", "the customer's mail server rejects it. Ask for another address."),
        ("Transient", "MailboxFull", "the mailbox is full."),
        (
            "Transient",
            "General",
            "the customer's mail server didn't accept it for hours, or replied automatically.",
        ),
        ("Undetermined", "Undetermined", "the reason is unknown."),
    ],
)
def test_the_line_says_why_a_mail_bounced(
    api: Client, mails: list[Sent], kind: str, subtype: str, line: str
) -> None:
    tags = mailed(api, mails)
    notify(about(BOUNCE, tags, bounceType=kind, bounceSubType=subtype, bouncedRecipients=[]))

    assert lines(api, tags) == [f"The mail to this customer bounced: {line}"]


def test_a_complaint_marks_the_message_and_is_a_line(api: Client, mails: list[Sent]) -> None:
    tags = mailed(api, mails)

    assert notify(about(COMPLAINT, tags)) == []
    assert state(tags) is MailState.COMPLAINED
    assert lines(api, tags) == [COMPLAINED]


@pytest.mark.parametrize("notice", [BOUNCE, COMPLAINT], ids=["bounce", "complaint"])
def test_a_repeated_notice_writes_nothing(api: Client, mails: list[Sent], notice: dict[str, Any]) -> None:
    tags = mailed(api, mails)
    notify(about(notice, tags))
    before = whole_table.everything()
    assert notify(about(notice, tags)) == []

    assert whole_table.everything() == before


def test_the_line_reaches_those_who_follow_the_thread(api: Client, mails: list[Sent]) -> None:
    tags = mailed(api, mails)
    before = len(whole_table.of_entities("line"))
    notify(about(BOUNCE, tags))

    assert len(whole_table.of_entities("line")) == before + 1


def notified(mails: list[Sent]) -> set[str]:
    """Carry what was asked for; return the teammates who were mailed of a bounce."""
    carry()
    carry()
    return {sent.to[0] for sent in mails if sent.subject == "A mail to A customer bounced" and not sent.tags}


def address(client: Client) -> str:
    return str(client.get("/v1/me").body["user"]["email"])


def test_those_who_are_notified_of_what_waits_get_a_mail_of_a_bounce(
    api: Client, admin: Client, member: Client, mails: list[Sent]
) -> None:
    assert admin.patch("/v1/me/notifications", {"mail": ["waiting"]}).status == 200
    assert member.patch("/v1/me/notifications", {"mail": ["reply"]}).status == 200
    notify(about(BOUNCE, mailed(api, mails)))

    found = notified(mails)
    assert address(admin) in found
    assert address(member) not in found


def test_the_assignee_alone_gets_a_mail_of_a_bounce(
    api: Client, admin: Client, member: Client, mails: list[Sent]
) -> None:
    tags = mailed(api, mails)
    me = member.get("/v1/me").body["user"]["id"]
    assert admin.post(f"/v1/conversations/{tags['conversation']}/assign", {"userId": me}).status == 200
    notify(about(BOUNCE, tags))

    assert notified(mails) == {address(member)}


@pytest.mark.parametrize(
    "notice", [about(BOUNCE, {}, bounceType="Transient"), COMPLAINT], ids=["transient", "complaint"]
)
def test_nobody_is_mailed_of_what_the_line_alone_says(
    api: Client, admin: Client, mails: list[Sent], notice: dict[str, Any]
) -> None:
    assert admin.patch("/v1/me/notifications", {"mail": ["waiting"]}).status == 200
    bounced = about(notice, mailed(api, mails), **notice.get("bounce", {}))
    notify(bounced)

    assert notified(mails) == set()


def test_a_bounce_of_a_message_that_was_erased_is_over(api: Client, mails: list[Sent]) -> None:
    tags = mailed(api, mails)
    table.delete(Message.key_for(tags["organization"], tags["conversation"], tags["message"]))

    assert notify(about(BOUNCE, tags)) == []
    assert lines(api, tags) == []


def test_ids_of_another_organization_reach_nothing(
    api: Client, other_organization: NewOrganization, mails: list[Sent]
) -> None:
    tags = mailed(api, mails)
    before = whole_table.everything()

    assert notify(about(BOUNCE, tags | {"organization": other_organization.organization_id})) == []
    assert notify(about(BOUNCE, tags | {"conversation": "conv_none"})) == []
    assert whole_table.everything() == before


@pytest.mark.parametrize(
    ("notice", "metric"),
    [(BOUNCE, "MailBounced"), (COMPLAINT, "MailComplained")],
    ids=["bounce", "complaint"],
)
def test_mail_of_no_conversation_is_only_counted(
    organization: NewOrganization, capsys: pytest.CaptureFixture[str], notice: dict[str, Any], metric: str
) -> None:
    before = whole_table.everything()
    assert notify(about(notice, {})) == []

    assert whole_table.everything() == before
    counted = [json.loads(line) for line in capsys.readouterr().out.splitlines() if metric in line]
    assert [line[metric] for line in counted] == [[1.0]]


def test_no_log_line_has_an_address(api: Client, mails: list[Sent], caplog: pytest.LogCaptureFixture) -> None:
    tags = mailed(api, mails)
    caplog.set_level("DEBUG")
    recipients = [{"emailAddress": EMAIL, "diagnosticCode": f"smtp; 550 <{EMAIL}> unknown"}]
    notify(about(BOUNCE, tags, bouncedRecipients=recipients))

    assert "mail_bounced" in [record.msg for record in caplog.records]
    assert EMAIL not in str([vars(record) for record in caplog.records])


def test_a_bounce_that_arrives_before_the_sender_wrote_its_result_stays(
    api: Client, mails: list[Sent], monkeypatch: pytest.MonkeyPatch
) -> None:
    end = repository.end

    def bounce_first(*given: Any) -> None:
        notify(about(BOUNCE, mails[-1].tags))
        end(*given)

    monkeypatch.setattr(repository, "end", bounce_first)
    tags = mailed(api, mails)

    assert state(tags) is MailState.BOUNCED


def test_the_worker_takes_what_the_topic_sent(api: Client, mails: list[Sent]) -> None:
    tags = mailed(api, mails)
    clients.sqs().send_message(
        QueueUrl=settings().mail_events_queue_url, MessageBody=json.dumps(about(BOUNCE, tags))
    )
    assert Workers().work("mail_events") == 1
    assert received(settings().mail_events_queue_url) == []
    assert state(tags) is MailState.BOUNCED
