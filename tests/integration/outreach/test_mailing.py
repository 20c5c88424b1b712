"""The mail of a message to a customer: its frame, its repetition, and what is given up."""

from typing import Any

import pytest
from botocore.exceptions import ConnectionClosedError, EndpointConnectionError, ReadTimeoutError

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations.record import Conversation
from helpdesk.customers.record import Customer
from helpdesk.outreach import repository as mail_repository
from helpdesk.platform import clients
from helpdesk.storage import table
from helpdesk.storage.table import Throttled
from helpdesk.webhooks.delivery.fanout import fan_out
from tests.integration.outreach.test_sending import EMAIL, SESSION, outreach, visit
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.aws import first_response_lost
from tests.support.mail import Sent, carry, jobs, refusal, run_mailer, stream_records, waiting
from tests.support.support_email import set_support_email


def test_without_mail_the_message_is_in_the_session(api: Client) -> None:
    _, customer = visit(api, email=EMAIL)

    assert outreach(api, customer).status == 200
    assert jobs() == []


def test_a_customer_without_an_address_gets_no_mail(api: Client, mails: list[Sent]) -> None:
    _, customer = visit(api)

    assert outreach(api, customer).status == 200
    assert jobs() == []


def test_it_is_mailed_with_the_organizations_name(
    api: Client, member: Client, organization: NewOrganization, mails: list[Sent]
) -> None:
    _, customer = visit(api, email="Vera@Example.com")
    outreach(member, customer, "Dear Vera,\n\n<b>your refund</b> is on its way.")
    carry()

    (sent,) = mails
    (item,) = whole_table.of_kind("ORG")
    assert (sent.to, sent.reply_to) == ([EMAIL], [])
    assert sent.subject == f"A message from {item['name']}"
    assert sent.text == (
        "Dear Vera,\n\n<b>your refund</b> is on its way.\n\n"
        f"Max Member of {item['name']} wrote this to you. Replies to this mail are not read: "
        "answer where you wrote to us before.\n"
    )
    assert "<p>Dear Vera,<br><br>&lt;b&gt;your refund&lt;/b&gt; is on its way.</p>" in sent.html


def test_a_mail_is_framed_in_the_language_that_the_customer_wrote(api: Client, mails: list[Sent]) -> None:
    (organization,) = whole_table.of_kind("ORG")
    conversation, customer = visit(api, "Wo ist meine Bestellung?", email=EMAIL)
    key = Conversation.key_for(organization["id"], conversation)
    table.update(key, "SET #language = :de", names={"#language": "language"}, values={":de": "de"})
    outreach(api, customer, "A parcel for you.")
    carry()

    (sent,) = mails
    assert sent.subject == f"Eine Nachricht von {organization['name']}"
    assert sent.text == (
        f"A parcel for you.\n\n{organization['name']} hat Ihnen diese Nachricht geschrieben. "
        "Antworten auf diese E-Mail werden nicht gelesen: "
        "Bitte antworten Sie dort, wo Sie uns zuvor geschrieben haben.\n"
    )
    assert '<html lang="de">' in sent.html


@pytest.mark.parametrize(
    ("body", "context", "subject"),
    [
        ("Votre remboursement est en route, il arrive dans cinq jours.", {}, "{name} vous a écrit"),
        ("AB-1234", {"context": {"locale": "nl-NL"}}, "Een bericht van {name}"),
        ("AB-1234", {}, "Un mensaje de {name}"),
    ],
)
def test_without_a_known_language_the_message_the_browser_and_then_the_organization_decide(
    api: Client, mails: list[Sent], body: str, context: dict[str, Any], subject: str
) -> None:
    api.patch("/v1/agent", {"language": "es"})
    sent_by_visitor = {"session": SESSION, "body": "ok", "user": {"email": EMAIL}, **context}
    conversation = api.post("/v1/messages", sent_by_visitor).body["conversationId"]
    customer = api.get(f"/v1/conversations/{conversation}").body["conversation"]["customer"]["id"]
    outreach(api, customer, body)
    carry()

    (sent,) = mails
    (organization,) = whole_table.of_kind("ORG")
    assert sent.subject == subject.format(name=organization["name"])


def test_a_mail_is_framed_with_the_organizations_own_sentences(
    api: Client, member: Client, mails: list[Sent]
) -> None:
    own = {
        "mailSubject": {"en": "News from {organization}\nBcc: x@example.com"},
        "mailAuthor": {"en": "{author} <b>at {organization}</b>"},
        "mailNoReply": {"en": "Yours, {author}."},
    }
    api.patch("/v1/agent", {"texts": own})
    outreach(member, visit(api, email=EMAIL)[1])
    carry()

    (sent,) = mails
    (organization,) = whole_table.of_kind("ORG")
    assert sent.subject == f"News from {organization['name']} Bcc: x@example.com"
    assert sent.text.endswith(f"\n\nYours, Max Member <b>at {organization['name']}</b>.\n")
    assert "&lt;b&gt;at" in sent.html


def test_replies_go_to_the_support_address_if_there_is_one(
    api: Client, admin: Client, organization: NewOrganization, mails: list[Sent]
) -> None:
    assert set_support_email(admin, "help@shop.example").status == 200
    assert admin.patch("/v1/organization", {"supportEmail": "not-yet@shop.example"}).status == 200
    outreach(api, visit(api, email=EMAIL)[1])
    carry()

    (sent,) = (mail for mail in mails if mail.to == [EMAIL])
    assert sent.reply_to == ["help@shop.example"]
    (item,) = whole_table.of_kind("ORG")
    assert sent.text.endswith(f"\n\n{item['name']} wrote this to you. To answer, reply to this mail.\n")


def test_the_job_holds_only_ids(api: Client, mails: list[Sent]) -> None:
    conversation, customer = visit(api, email=EMAIL)
    message = outreach(api, customer, "Between us").body["messageId"]

    (item,) = jobs()
    assert item["jobs"][0]["body"] == {
        "kind": "message",
        "organization": item["PK"].split("#")[1],
        "customerId": customer,
        "conversationId": conversation,
        "messageId": message,
    }


def test_a_mail_names_the_files_with_their_addresses(
    api: Client, organization: NewOrganization, mails: list[Sent]
) -> None:
    file = api.post("/v1/uploads?name=refund.txt", "text", **{"content-type": "text/plain"}).body
    _, customer = visit(api, email=EMAIL)
    assert (
        outreach(api, customer, "", attachments=[{"id": file["id"], "name": "Your refund.txt"}]).status == 200
    )
    carry()

    (sent,) = mails
    assert sent.text.startswith(f"Your refund.txt\n\n{file['url']}\n\n")
    assert f'<a href="{file["url"]}">' in sent.html


def queued() -> list[dict[str, Any]]:
    """Fan out the mail jobs and return the messages of the queue."""
    assert fan_out(stream_records()) == []
    return waiting()


def test_a_repeated_job_is_mailed_once(
    api: Client, mails: list[Sent], caplog: pytest.LogCaptureFixture
) -> None:
    outreach(api, visit(api, email=EMAIL)[1])
    for _ in range(3):
        carry()
    records = queued()
    for _ in range(3):
        assert run_mailer(records) == []

    assert len(mails) == 1
    assert given_up(caplog) == []


def answer_with(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> list[str]:
    """Let SES fail in a way; what it was asked to send comes into the list."""
    asked: list[str] = []

    def send_email(**request: Any) -> None:
        asked.extend(request["Destination"]["ToAddresses"])
        raise error

    monkeypatch.setattr(clients.ses(1), "send_email", send_email)
    return asked


@pytest.mark.parametrize(
    "error",
    [
        refusal("TooManyRequestsException"),
        refusal("MessageRejected", words="Email address is not verified: ada@example.com"),
        EndpointConnectionError(endpoint_url="https://ses"),
    ],
)
def test_a_mail_that_was_certainly_not_sent_is_tried_again(
    api: Client, mails: list[Sent], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    outreach(api, visit(api, email=EMAIL)[1])
    records = queued()
    with monkeypatch.context() as patched:
        answer_with(patched, error)
        assert run_mailer(records) == [records[0]["messageId"]]
    assert run_mailer(records) == []

    assert len(mails) == 1


@pytest.mark.parametrize(
    "error",
    [
        ReadTimeoutError(endpoint_url="https://ses"),
        ConnectionClosedError(endpoint_url="https://ses"),
        refusal("InternalFailure", status=500),
        refusal("503", status=503),
        refusal("MessageRejected"),
    ],
)
def test_a_mail_with_an_unknown_result_or_a_refusal_is_not_tried_again(
    api: Client, mails: list[Sent], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    outreach(api, visit(api, email=EMAIL)[1])
    records = queued()
    with monkeypatch.context() as patched:
        asked = answer_with(patched, error)
        assert run_mailer(records) == []
    assert run_mailer(records) == []

    assert asked == [EMAIL]
    assert mails == []


def given_up(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    """Return level and outcome of the mails that were logged as given up; no log entry may have an address."""
    records = [vars(record) for record in caplog.records]
    assert EMAIL not in repr(records)
    return [(one["levelname"], one["outcome"]) for one in records if one["msg"] == "mail_given_up"]


def test_a_mail_whose_function_died_is_not_sent_again_and_logged_as_given_up(
    api: Client, mails: list[Sent], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    outreach(api, visit(api, email=EMAIL)[1])
    records = queued()
    with monkeypatch.context() as patched:
        answer_with(patched, KeyboardInterrupt())  # which nothing catches
        with pytest.raises(KeyboardInterrupt):
            run_mailer(records)
    assert given_up(caplog) == []
    assert run_mailer(records) == []

    assert mails == []
    assert given_up(caplog) == [("ERROR", "begun_before")]


@pytest.mark.moto
def test_a_mail_is_sent_once_though_the_response_to_its_mark_is_lost(
    api: Client, mails: list[Sent], caplog: pytest.LogCaptureFixture
) -> None:
    outreach(api, visit(api, email=EMAIL)[1])
    records = queued()
    with first_response_lost("UpdateItem") as lost:
        assert run_mailer(records) == []
    assert run_mailer(records) == []

    assert lost == ["UpdateItem"]
    assert len(mails) == 1
    assert given_up(caplog) == []


def test_a_mail_whose_mark_could_not_be_removed_is_logged_as_given_up(
    api: Client, mails: list[Sent], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def throttled(*_: Any) -> None:
        raise Throttled

    outreach(api, visit(api, email=EMAIL)[1])
    records = queued()
    with monkeypatch.context() as patched:
        answer_with(patched, refusal("TooManyRequestsException"))
        patched.setattr(mail_repository, "forget", throttled)
        assert run_mailer(records) == [records[0]["messageId"]]
    assert run_mailer(records) == []

    assert mails == []
    assert given_up(caplog) == [("ERROR", "begun_before")]


@pytest.mark.parametrize("gone", ["MSG#", "CUS", "email"])
def test_an_erased_message_or_customer_is_not_mailed(
    api: Client, organization: NewOrganization, mails: list[Sent], gone: str
) -> None:
    _, customer = visit(api, email=EMAIL)
    outreach(api, customer)
    records = queued()
    if gone == "email":
        table.update(Customer.key_for(organization.organization_id, customer), "REMOVE email")
    else:
        whole_table.remove(gone)

    assert run_mailer(records) == []
    assert mails == []
    assert not [item for item in whole_table.of_kind("MSG#") if item.keys() <= {"PK", "SK", "mail"}]
