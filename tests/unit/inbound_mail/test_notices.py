"""What SES publishes, in the forms of its developer guide."""

import copy
import json
from typing import Any

import msgspec
import pytest

from helpdesk.inbound_mail.notices import Bounced, BounceKind, Complained, Received, Verdict, read
from helpdesk.mail.sender import MailTags
from helpdesk.platform.errors import InvalidJson

MAIL: dict[str, Any] = {
    "timestamp": "2026-12-01T09:00:00.000Z",
    "source": "grace@mail.example.com",
    "messageId": "o3vrnil0e2ic28trm7dfhrc2v0clambda4nbp0g1",
    "destination": ["acme@in.example.com", "someone@example.net"],
    "headersTruncated": False,
    "headers": [
        {"name": "Return-Path", "value": "<grace@mail.example.com>"},
        {"name": "From", "value": "Grace <grace@example.com>"},
    ],
    "commonHeaders": {"returnPath": "grace@mail.example.com", "from": ["Grace <grace@example.com>"]},
}
RECEIVED: dict[str, Any] = {
    "notificationType": "Received",
    "receipt": {
        "timestamp": "2026-12-01T09:00:01.000Z",
        "processingTimeMillis": 574,
        "recipients": ["acme@in.example.com"],
        "spamVerdict": {"status": "PASS"},
        "virusVerdict": {"status": "PASS"},
        "spfVerdict": {"status": "PASS"},
        "dkimVerdict": {"status": "FAIL"},
        "dmarcVerdict": {"status": "GRAY"},
        "action": {
            "type": "S3",
            "topicArn": "arn:aws:sns:eu-central-1:123456789012:helpdesk-prod-MailEvents",
            "bucketName": "helpdesk-files",
            "objectKeyPrefix": "inbound/",
            "objectKey": "inbound/o3vrnil0e2ic28trm7dfhrc2v0clambda4nbp0g1",
        },
    },
    "mail": MAIL,
}
BOUNCE: dict[str, Any] = {
    "eventType": "Bounce",
    "bounce": {
        "bounceType": "Permanent",
        "bounceSubType": "General",
        "bouncedRecipients": [
            {
                "emailAddress": "grace@example.com",
                "action": "failed",
                "status": "5.1.1",
                "diagnosticCode": "smtp; 550 5.1.1\r\n user unknown",
            }
        ],
        "timestamp": "2026-12-01T09:00:02.669Z",
        "feedbackId": "01000157c44f053b-61b59c11-9236-11e6-8f96-7be8aexample-000000",
        "reportingMTA": "dsn; mta.example.com",
    },
    "mail": MAIL
    | {
        "source": "Acme <support@helpdesk.example>",
        "tags": {
            "ses:configuration-set": ["helpdesk-prod"],
            "ses:from-domain": ["helpdesk.example"],
            "organization": ["org_1"],
            "conversation": ["conv_2"],
            "message": ["msg_3"],
        },
    },
}
COMPLAINT: dict[str, Any] = {
    "eventType": "Complaint",
    "complaint": {
        "complainedRecipients": [{"emailAddress": "grace@example.com"}],
        "timestamp": "2026-12-01T09:30:00.000Z",
        "feedbackId": "01000157c44f053b-61b59c11-9236-11e6-8f96-7be8aexample-000000",
        "userAgent": "ExampleCorp Feedback Loop (V0.01)",
        "complaintFeedbackType": "abuse",
        "arrivalDate": "2026-12-01T09:10:00.000Z",
    },
    "mail": BOUNCE["mail"],
}
TAGS = MailTags("org_1", "conv_2", "msg_3")


def changed(notice: dict[str, Any], *path: str, to: Any) -> str:
    """Return a notice with another value at a path; None removes it."""
    whole = copy.deepcopy(notice)
    place = whole
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] = to
    if to is None:
        del place[path[-1]]
    return json.dumps(whole)


def test_a_mail_that_came_in_has_its_place_its_envelope_and_its_verdicts() -> None:
    assert read(json.dumps(RECEIVED)) == Received(
        object_key="inbound/o3vrnil0e2ic28trm7dfhrc2v0clambda4nbp0g1",
        recipients=("acme@in.example.com",),
        envelope_sender="grace@mail.example.com",
        message_id="o3vrnil0e2ic28trm7dfhrc2v0clambda4nbp0g1",
        spf=Verdict.PASS,
        dkim=Verdict.FAIL,
        dmarc=Verdict.GRAY,
        spam=Verdict.PASS,
        virus=Verdict.PASS,
    )


@pytest.mark.parametrize("status", ["DISABLED", None])
def test_a_verdict_that_is_unknown_or_missing_proves_nothing(status: str | None) -> None:
    found = read(changed(RECEIVED, "receipt", "dmarcVerdict", to=status and {"status": status}))

    assert isinstance(found, Received)
    assert found.dmarc is Verdict.PROCESSING_FAILED


@pytest.mark.parametrize(
    ("dmarc", "spf", "dkim", "envelope", "aligned"),
    [
        ("PASS", "FAIL", "FAIL", "bounce@mailer.example.net", True),
        ("FAIL", "PASS", "PASS", "grace@example.com", False),
        ("PROCESSING_FAILED", "PASS", "PASS", "grace@example.com", False),
        ("GRAY", "PASS", "PASS", "grace@Example.com", True),
        ("GRAY", "PASS", "FAIL", "grace@example.com", False),
        ("GRAY", "FAIL", "PASS", "grace@example.com", False),
        ("GRAY", "PASS", "PASS", "grace@mail.example.com", False),
        ("GRAY", "PASS", "PASS", "", False),
    ],
)
def test_a_sender_is_proven_by_dmarc_or_by_spf_and_dkim_for_the_same_domain(
    dmarc: str, spf: str, dkim: str, envelope: str, aligned: bool
) -> None:
    whole = copy.deepcopy(RECEIVED)
    whole["mail"]["source"] = envelope
    whole["receipt"] |= {
        f"{check}Verdict": {"status": status}
        for check, status in (("dmarc", dmarc), ("spf", spf), ("dkim", dkim))
    }
    found = read(json.dumps(whole))

    assert isinstance(found, Received)
    assert found.is_aligned("EXAMPLE.com") is aligned


def test_a_mail_without_a_domain_is_never_proven() -> None:
    whole = copy.deepcopy(RECEIVED)
    whole["receipt"]["dkimVerdict"] = {"status": "PASS"}
    whole["mail"]["source"] = ""
    found = read(json.dumps(whole))

    assert isinstance(found, Received)
    assert not found.is_aligned("")


def test_a_bounce_has_its_kind_the_servers_words_and_the_tags_of_the_mail() -> None:
    assert read(json.dumps(BOUNCE)) == Bounced(
        BounceKind.PERMANENT, "General", "550 5.1.1 user unknown", TAGS
    )


@pytest.mark.parametrize("kind", ["Transient", "Undetermined"])
def test_a_bounce_can_have_no_words(kind: str) -> None:
    whole = copy.deepcopy(BOUNCE)
    whole["bounce"] |= {"bounceType": kind, "bounceSubType": "MailboxFull", "bouncedRecipients": [{}]}

    assert read(json.dumps(whole)) == Bounced(BounceKind(kind), "MailboxFull", "", TAGS)


def test_a_servers_words_are_cut() -> None:
    recipients = [{"diagnosticCode": "x" * 5_000}]
    found = read(changed(BOUNCE, "bounce", "bouncedRecipients", to=recipients))

    assert isinstance(found, Bounced)
    assert found.words == "x" * 200


def test_a_suppressed_address_bounces_at_once() -> None:
    found = read(changed(BOUNCE, "bounce", "bounceSubType", to="OnAccountSuppressionList"))

    assert isinstance(found, Bounced)
    assert found.reason == "Permanent OnAccountSuppressionList"


def test_the_notification_of_an_identity_is_read_like_an_event_and_has_no_tags() -> None:
    whole = {name: value for name, value in BOUNCE.items() if name != "eventType"} | {"mail": MAIL}

    assert read(json.dumps(whole | {"notificationType": "Bounce"})) == Bounced(
        BounceKind.PERMANENT, "General", "550 5.1.1 user unknown", None
    )


@pytest.mark.parametrize("missing", ["organization", "conversation", "message"])
def test_a_mail_that_lacks_a_tag_belongs_to_no_conversation(missing: str) -> None:
    found = read(changed(BOUNCE, "mail", "tags", missing, to=[]))

    assert isinstance(found, Bounced)
    assert found.tags is None


def test_a_complaint_says_what_the_recipient_reported() -> None:
    assert read(json.dumps(COMPLAINT)) == Complained("abuse", TAGS)


def test_a_complaint_without_a_report_has_the_subtype_of_ses() -> None:
    whole = copy.deepcopy(COMPLAINT)
    whole["complaint"] = {"complaintSubType": "OnAccountSuppressionList"}

    assert read(json.dumps(whole)) == Complained("OnAccountSuppressionList", TAGS)


@pytest.mark.parametrize(
    "body",
    [
        "Successfully validated SNS topic for Amazon SES event publishing.",
        '{"notificationType": "AmazonSnsSubscriptionSucceeded", "message": "You have subscribed your topic."}',
        json.dumps({"eventType": "Delivery", "mail": MAIL, "delivery": {}}),
    ],
)
def test_tests_of_the_topic_and_other_events_are_ignored_and_logged(
    body: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")

    assert read(body) is None
    assert [record.msg for record in caplog.records] == ["mail_event_ignored"]


@pytest.mark.parametrize(
    "body",
    [
        "not json",
        "[]",
        "{}",
        '{"notificationType": "Received"}',
        changed(RECEIVED, "receipt", "action", "objectKey", to=None),
        changed(RECEIVED, "receipt", "action", "objectKey", to="org_1/a-file"),
        changed(BOUNCE, "bounce", "bounceType", to="Final"),
        changed(COMPLAINT, "complaint", to=None),
    ],
)
def test_anything_else_is_refused(body: str) -> None:
    with pytest.raises((InvalidJson, msgspec.ValidationError)):
        read(body)


def test_half_of_a_surrogate_pair_in_a_header_loses_no_mail() -> None:
    body = json.dumps(RECEIVED).replace("Grace <", "\\ud83d <")

    assert isinstance(read(body), Received)
