"""From an invitation to the mail: outbox, stream, queue, mailer, SES."""

from collections.abc import Callable
from typing import Any

import pytest
from moto.ses.models import ses_backends

from helpdesk.accounts.invites import mailing, repository
from helpdesk.accounts.invites.jobs import InviteMail
from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.limits import Plan
from helpdesk.mail import sender
from helpdesk.mail.rendering import Mail
from helpdesk.mail.service import Outcome
from helpdesk.platform import clients, clock
from helpdesk.platform.settings import settings
from helpdesk.storage.table import Throttled
from helpdesk.webhooks.delivery.fanout import fan_out
from tests.integration.conftest import REGION
from tests.support import table as whole_table
from tests.support.api import Client, function
from tests.support.aws import recorded_calls
from tests.support.mail import Sent, carry, refusal, run_mailer, stream_records, waiting
from tests.support.people import make_person, token_of

EMAIL = "grace@example.com"
MOTOS_ACCOUNT = "123456789012"


def invite(client: Client, email: str = EMAIL) -> dict[str, Any]:
    answer = client.post("/v1/invites", {"email": email, "role": "admin"})
    assert answer.status == 200, answer
    body: dict[str, Any] = answer.body
    return body


def queued() -> list[dict[str, Any]]:
    """Move the requested mails into the queue, and receive them."""
    assert fan_out(stream_records()) == []
    return waiting()


def refuse(monkeypatch: pytest.MonkeyPatch, code: str, words: str = "Illegal address") -> list[str]:
    """Let SES reject every mail; the list collects the addresses."""
    asked: list[str] = []

    def send_email(**request: Any) -> None:
        asked.extend(request["Destination"]["ToAddresses"])
        raise refusal(code, words=words)

    monkeypatch.setattr(clients.ses(), "send_email", send_email)
    return asked


def test_an_invitation_sends_one_mail_with_its_link(admin: Client, mails: list[Sent]) -> None:
    made = invite(admin)
    carry()
    (sent,) = mails
    (organization,) = whole_table.of_kind("ORG")
    assert sent.to == [EMAIL]
    assert sent.subject == f"Ada Admin invites you to {organization['name']}"
    assert f"Ada Admin invites you to join {organization['name']} as admin." in sent.text
    (link,) = [line for line in sent.text.splitlines() if line.startswith("https://")]
    assert link.endswith(f"{made['path']}")
    assert f'<a href="{link}">' in sent.html


def test_on_the_free_plan_an_invitations_mail_has_no_word_of_the_organization(
    admin: Client, organization: NewOrganization, mails: list[Sent]
) -> None:
    organizations.set_plan(organization.organization_id, Plan.EXPLORE, api_limits=False, unlimited_api=False)
    invite(admin)
    carry()

    (sent,) = mails
    [stored] = whole_table.of_kind("ORG")
    assert sent.subject == "Someone invites you to an organization"
    for part in (sent.subject, sent.text, sent.html):
        assert "Ada" not in part
        assert stored["name"] not in part


def test_the_post_office_itself_counts_one_mail(admin: Client, mails: list[Sent]) -> None:
    invite(admin)
    carry()
    backend = ses_backends[MOTOS_ACCOUNT][REGION]
    assert [message.subject for message in backend.sent_messages] == [mails[0].subject]


def test_the_link_has_the_address_of_the_api(
    admin: Client, mails: list[Sent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BASE_URL", "https://support.example.com/")
    settings.cache_clear()
    made = invite(admin)
    carry()
    assert f"\nhttps://support.example.com{made['path']}\n" in mails[0].text


def test_a_repeated_stream_record_sends_no_second_mail(admin: Client, mails: list[Sent]) -> None:
    invite(admin)
    for _ in range(3):
        carry()
    assert len(mails) == 1


def test_a_repeated_queue_message_sends_no_second_mail(admin: Client, mails: list[Sent]) -> None:
    invite(admin)
    records = queued()
    for _ in range(3):
        assert run_mailer(records) == []
    assert len(mails) == 1


def test_a_mail_sent_again_is_the_same_mail(admin: Client, mails: list[Sent]) -> None:
    made = invite(admin)
    carry()
    assert admin.post(f"/v1/invites/{made['id']}/resend").status == 200
    carry()
    first, second = mails
    assert first == second


def test_a_mail_that_is_older_than_the_last_one_sent_is_skipped(admin: Client, mails: list[Sent]) -> None:
    made = invite(admin)
    admin.post(f"/v1/invites/{made['id']}/resend")
    first, second = queued()
    assert run_mailer([second]) == []
    assert run_mailer([first]) == []
    assert len(mails) == 1


def test_a_withdrawn_invitation_is_not_mailed(admin: Client, mails: list[Sent]) -> None:
    made = invite(admin)
    records = queued()
    admin.delete(f"/v1/invites/{made['id']}")
    assert run_mailer(records) == []
    assert mails == []
    assert whole_table.of_kind("INVITE#") == []


def test_an_accepted_invitation_is_not_mailed(admin: Client, mails: list[Sent]) -> None:
    made = invite(admin)
    records = queued()
    grace = Client(token_of(make_person(None, role="member", name="Grace", email=EMAIL), None))
    answer = grace.post("/v1/invites/accept", {"token": made["path"].removeprefix("/v1/invite/")})
    assert answer.status == 200
    assert run_mailer(records) == []
    assert mails == []
    assert whole_table.of_kind("INVITE#") == []


def test_an_expired_invitation_is_not_mailed(admin: Client, mails: list[Sent]) -> None:
    invite(admin)
    records = queued()
    now = clock.now_us()
    with clock.frozen(lambda: now + 7 * 86_400_000_000 + 1_000_000):
        assert run_mailer(records) == []
    assert mails == []


@pytest.mark.parametrize("code", ["MessageRejected", "BadRequestException"])
@pytest.mark.usefixtures("mails")
def test_a_permanently_rejected_mail_is_dropped_and_logged_without_its_address(
    admin: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, code: str
) -> None:
    made = invite(admin)
    records = queued()
    asked = refuse(monkeypatch, code)
    assert run_mailer(records) == []
    assert asked == [EMAIL]
    logged = repr([vars(record) for record in caplog.records])
    assert "mail_given_up" in logged
    assert made["id"] in logged
    assert EMAIL not in logged
    assert made["path"].removeprefix("/v1/invite/") not in logged


@pytest.mark.usefixtures("mails")
def test_a_temporarily_rejected_mail_is_retried_and_logged_without_its_address(
    admin: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    invite(admin)
    records = queued()
    refuse(monkeypatch, "TooManyRequestsException")
    with recorded_calls() as calls:
        assert run_mailer(records) == [records[0]["messageId"]]
    assert calls == ["dynamodb:BatchGetItem", "sqs:ChangeMessageVisibilityBatch"]
    logged = repr([vars(record) for record in caplog.records])
    assert "mail_failed" in logged
    assert "TooManyRequestsException" in logged
    assert EMAIL not in logged


def test_a_failed_mail_is_sent_by_the_retry(
    admin: Client, mails: list[Sent], monkeypatch: pytest.MonkeyPatch
) -> None:
    invite(admin)
    records = queued()
    with monkeypatch.context() as patched:
        refuse(patched, "TooManyRequestsException")
        assert run_mailer(records) != []
    assert run_mailer(records) == []
    assert len(mails) == 1


def test_an_invitation_waits_until_ses_lets_the_deployment_send(
    admin: Client, mails: list[Sent], monkeypatch: pytest.MonkeyPatch
) -> None:
    invite(admin)
    records = queued()
    with monkeypatch.context() as patched:
        refuse(patched, "MessageRejected", f"Email address is not verified: {EMAIL}")
        assert run_mailer(records) == [records[0]["messageId"]]
    assert mails == []
    assert run_mailer(records) == []
    assert [mail.to for mail in mails] == [[EMAIL]]


def test_a_stack_without_a_sender_drops_the_mail(admin: Client, caplog: pytest.LogCaptureFixture) -> None:
    invite(admin)
    assert run_mailer(queued()) == []
    logged = repr([vars(record) for record in caplog.records])
    assert "not_set_up" in logged


def test_a_failed_mail_delays_no_other_invitation_and_nothing_is_sent_twice(
    admin: Client, mails: list[Sent], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        invite(admin, f"person{number}@example.com")
    records = queued()
    really: Callable[[Mail, str], None] = sender.send

    def send(mail: Mail, address: str) -> None:
        if address == "person1@example.com":
            raise Throttled
        really(mail, address)

    with monkeypatch.context() as patched:
        patched.setattr(sender, "send", send)
        failed = run_mailer(records)
    assert len(failed) == 1
    assert sorted(mail.to[0] for mail in mails) == ["person0@example.com", "person2@example.com"]
    assert run_mailer(records) == []
    assert sorted(mail.to[0] for mail in mails) == [f"person{number}@example.com" for number in range(3)]


def test_a_later_mail_of_an_invitation_waits_for_the_failed_one(
    admin: Client, mails: list[Sent], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = invite(admin)
    admin.post(f"/v1/invites/{made['id']}/resend")
    first, second = queued()
    asked = refuse(monkeypatch, "TooManyRequestsException")
    assert run_mailer([first, second]) == [first["messageId"], second["messageId"]]
    assert asked == [EMAIL]
    assert mails == []


@pytest.mark.parametrize("body", ["", "no json", "[]", "{}", '{"organization": "a#b", "inviteId": "x"}'])
@pytest.mark.usefixtures("mails")
def test_an_unreadable_message_goes_to_the_dead_letter_queue_and_stops_no_other(
    admin: Client, mails: list[Sent], body: str
) -> None:
    invite(admin)
    (good,) = queued()
    bad = {
        **good,
        "messageId": "bad",
        "body": body,
        "attributes": {**good["attributes"], "MessageGroupId": "x"},
    }
    assert run_mailer([bad, good]) == ["bad"]
    assert len(mails) == 1


def test_messages_without_time_left_are_retried(admin: Client, mails: list[Sent]) -> None:
    class Hurry:
        def get_remaining_time_in_millis(self) -> int:
            return 19_999

    for number in range(2):
        invite(admin, f"person{number}@example.com")
    records = queued()
    assert len(records) == 2
    answer = function("mailer").handler({"Records": records}, Hurry())
    assert answer == {"batchItemFailures": [{"itemIdentifier": records[1]["messageId"]}]}
    assert len(mails) == 1


def test_a_mail_that_was_sent_but_not_recorded_is_not_sent_again_at_once(
    admin: Client, mails: list[Sent], monkeypatch: pytest.MonkeyPatch
) -> None:
    invite(admin)
    records = queued()

    def throttled(*_: Any) -> None:
        raise Throttled

    monkeypatch.setattr(repository, "note_mailed", throttled)
    assert run_mailer(records) == []
    assert len(mails) == 1


def test_recording_a_mail_does_not_restore_a_removed_invitation(
    admin: Client, organization: NewOrganization
) -> None:
    made = invite(admin)
    admin.delete(f"/v1/invites/{made['id']}")
    repository.note_mailed(organization.organization_id, made["id"], "mail_1")
    assert whole_table.of_kind("INVITE#") == []


def test_a_mail_costs_as_many_calls_as_documented(admin: Client, mails: list[Sent]) -> None:
    invite(admin)
    records = queued()
    with recorded_calls() as calls:
        run_mailer(records)
    assert calls == ["dynamodb:BatchGetItem", "dynamodb:UpdateItem"]  # and SES between them
    assert len(mails) == 1


def test_another_organizations_job_finds_nothing(
    admin: Client, other_organization: NewOrganization, mails: list[Sent]
) -> None:
    made = invite(admin)
    wanted = InviteMail(other_organization.organization_id, made["id"], "mail_1", "https://x.example")
    assert mailing.send(wanted) is Outcome.NO_LONGER_PENDING
    assert mails == []
