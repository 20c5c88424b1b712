"""What `mail-status` says of a stack's mail in Amazon SES, and `unsuppress`."""

import argparse
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.exceptions import ClientError

from scripts import operate_mail
from scripts.operator_errors import OperatorError

STACK = "helpdesk-prod"
PARAMETERS = {
    "MailFrom": "support@example.com",
    "InboundMailDomain": "in.example.com",
    "InboundRuleSet": "mail",
}
MX = "inbound-smtp.eu-west-1.amazonaws.com"
AT = datetime(2026, 12, 1, 9, tzinfo=UTC)
NOT_FOUND = ClientError({"Error": {"Code": "NotFoundException", "Message": "none"}}, "Get")

ANSWERS: dict[str, Any] = {
    "get_account": {
        "ProductionAccessEnabled": True,
        "SendingEnabled": True,
        "SendQuota": {"Max24HourSend": 50_000.0, "SentLast24Hours": 120.0, "MaxSendRate": 14.0},
    },
    "get_email_identity": {
        "support@example.com": NOT_FOUND,
        "example.com": {
            "VerifiedForSendingStatus": True,
            "DkimAttributes": {"Status": "SUCCESS"},
            "MailFromAttributes": {
                "MailFromDomain": "bounce.example.com",
                "MailFromDomainStatus": "SUCCESS",
            },
        },
    },
    "get_configuration_set": {
        "SendingOptions": {"SendingEnabled": True},
        "SuppressionOptions": {"SuppressedReasons": ["BOUNCE", "COMPLAINT"]},
    },
    "get_configuration_set_event_destinations": {
        "EventDestinations": [{"Enabled": True, "MatchingEventTypes": ["BOUNCE", "COMPLAINT"]}]
    },
    "describe_active_receipt_rule_set": {
        "Metadata": {"Name": "mail"},
        "Rules": [{"Name": STACK, "Enabled": True}],
    },
    "get_metric_statistics": {"Datapoints": []},
    "get_queue_attributes": {
        "Attributes": {
            "ApproximateNumberOfMessages": "2",
            "ApproximateNumberOfMessagesNotVisible": "1",
            "RedrivePolicy": json.dumps({"deadLetterTargetArn": "arn:aws:sqs:eu-west-1:1:dead"}),
        }
    },
    "get_queue_url": {"QueueUrl": "dead"},
    "dead": {"Attributes": {"ApproximateNumberOfMessages": "0"}},
    "list_suppressed_destinations": {"SuppressedDestinationSummaries": []},
}


class Aws:
    """A client of any service, which answers each call from a table."""

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self._answers = answers
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def __getattr__(self, call: str) -> Any:
        def ask(**request: Any) -> Any:
            self.asked.append((call, request))
            answer = self._answers["dead" if request.get("QueueUrl") == "dead" else call]
            if "EmailIdentity" in request:
                answer = answer[request["EmailIdentity"]]
            if isinstance(answer, Exception):
                raise answer
            return answer

        return ask


def status(
    servers: Sequence[str] = (MX,), parameters: Mapping[str, str] = PARAMETERS, **answers: Any
) -> dict[str, Any]:
    aws = Aws(ANSWERS | answers)
    return operate_mail.status_of(STACK, parameters, lambda _: aws, lambda _: servers)


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-1")
    for queue in operate_mail.QUEUES:
        monkeypatch.setenv(f"{queue.upper()}_QUEUE_URL", queue)


def test_a_stack_whose_mail_works_has_no_problems() -> None:
    assert status() == {
        "problems": [],
        "account": {
            "production": True,
            "sending_enabled": True,
            "sent_in_24_hours": 120,
            "quota_in_24_hours": 50_000,
            "mails_per_second": 14.0,
        },
        "sender": {
            "identity": "example.com",
            "verified": True,
            "dkim": "SUCCESS",
            "mail_from_domain": "bounce.example.com",
            "mail_from_status": "SUCCESS",
        },
        "configuration_set": {
            "name": STACK,
            "sending_enabled": True,
            "events": ["BOUNCE", "COMPLAINT"],
            "suppresses": ["BOUNCE", "COMPLAINT"],
        },
        "inbound": {
            "domain": "in.example.com",
            "mx": [MX],
            "active_rule_set": "mail",
            "has_rule": True,
        },
        "rates": {"BounceRate": None, "ComplaintRate": None},
        "queues": {key: {"waiting": 3, "dead_letters": 0} for key in ("mail", "outreach", "mail_events")},
        "suppressed": {"count": 0, "newest": []},
    }


ACCOUNT = ANSWERS["get_account"]
DOMAIN = ANSWERS["get_email_identity"]["example.com"]


def identity(**changed: Any) -> dict[str, Any]:
    return {"get_email_identity": {"support@example.com": NOT_FOUND, "example.com": {**DOMAIN, **changed}}}


@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        ({"get_account": ACCOUNT | {"ProductionAccessEnabled": False}}, "The account is in the SES sandbox"),
        ({"get_account": ACCOUNT | {"SendingEnabled": False}}, "SES doesn't send for this account."),
        (
            {"get_account": ACCOUNT | {"SendQuota": {"Max24HourSend": 200.0, "SentLast24Hours": 190.0}}},
            "190 of 200 mails of the day are sent.",
        ),
        (identity(VerifiedForSendingStatus=False), "SES has not verified example.com."),
        (identity(DkimAttributes={"Status": "PENDING"}), "Mail of example.com has no DKIM signature"),
        (
            {"get_email_identity": dict.fromkeys(("support@example.com", "example.com"), NOT_FOUND)},
            "SES knows neither support@example.com nor its domain in this region.",
        ),
        ({"get_configuration_set": NOT_FOUND}, "The configuration set helpdesk-prod is missing"),
        (
            {"get_configuration_set": {"SendingOptions": {"SendingEnabled": False}}},
            "Sending with the configuration set helpdesk-prod is paused.",
        ),
        (
            {"get_configuration_set_event_destinations": {"EventDestinations": []}},
            "The configuration set helpdesk-prod doesn't report bounces and complaints.",
        ),
        ({"servers": []}, f"The MX record of in.example.com is missing. Set it to: 10 {MX}"),
        ({"servers": ["mx.example.net"]}, "The MX record of in.example.com is mx.example.net."),
        ({"describe_active_receipt_rule_set": {}}, "The active set of receipt rules is none, not mail."),
        (
            {"describe_active_receipt_rule_set": {"Metadata": {"Name": "mail"}, "Rules": []}},
            "The set mail has no enabled rule named helpdesk-prod.",
        ),
        (
            {"parameters": PARAMETERS | {"InboundRuleSet": ""}},
            "InboundRuleSet is empty, so SES has no rule for the domain.",
        ),
        ({"parameters": {}}, "MailFrom is empty, so nothing is sent."),
        (
            {"dead": {"Attributes": {"ApproximateNumberOfMessages": "4"}}},
            "4 messages of mail were given up. Fix the cause, then run: redrive mail",
        ),
    ],
)
def test_each_problem_is_named_with_what_to_do(answers: dict[str, Any], problem: str) -> None:
    assert status(**answers)["problems"][0].startswith(problem)


def test_the_newest_rates_of_the_day_are_shown_and_high_ones_are_a_problem() -> None:
    points = [
        {"Timestamp": AT, "Maximum": 0.031},
        {"Timestamp": AT.replace(hour=8), "Maximum": 0.5},
    ]
    found = status(get_metric_statistics={"Datapoints": points})

    assert found["rates"] == {"BounceRate": 0.031, "ComplaintRate": 0.031}
    assert found["problems"][0].startswith("BounceRate is 3.10%; AWS reviews accounts from 5.0% on.")
    assert found["problems"][1].startswith("ComplaintRate is 3.10%; AWS reviews accounts from 0.1% on.")


def test_the_newest_twenty_suppressed_addresses_are_shown() -> None:
    listed = [
        {
            "EmailAddress": f"{minute}@example.com",
            "Reason": "BOUNCE",
            "LastUpdateTime": AT.replace(minute=minute),
        }
        for minute in range(30)
    ]
    found = status(list_suppressed_destinations={"SuppressedDestinationSummaries": listed})["suppressed"]

    assert found["count"] == 30
    assert len(found["newest"]) == 20
    assert found["newest"][0] == {
        "address": "29@example.com",
        "reason": "BOUNCE",
        "since": "2026-12-01T09:29:00+00:00",
    }


def test_unsuppress_removes_the_address_from_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    aws = Aws({"delete_suppressed_destination": {}})
    monkeypatch.setattr(operate_mail, "_client", lambda _: aws)

    parser = argparse.ArgumentParser()
    operate_mail.add_commands(parser.add_subparsers())
    options = parser.parse_args(["unsuppress", "grace@example.com"])

    assert options.run(options) == {"address": "grace@example.com", "suppressed": "no"}
    assert aws.asked == [("delete_suppressed_destination", {"EmailAddress": "grace@example.com"})]


def test_unsuppress_says_that_an_address_is_not_suppressed(monkeypatch: pytest.MonkeyPatch) -> None:
    aws = Aws({"delete_suppressed_destination": NOT_FOUND})
    monkeypatch.setattr(operate_mail, "_client", lambda _: aws)

    parser = argparse.ArgumentParser()
    operate_mail.add_commands(parser.add_subparsers())
    options = parser.parse_args(["unsuppress", "grace@example.com"])
    with pytest.raises(OperatorError, match=r"SES doesn't suppress grace@example\.com in this region"):
        options.run(options)


def test_a_domain_without_mail_servers_has_none() -> None:
    assert operate_mail._mail_servers("host..invalid") == []
