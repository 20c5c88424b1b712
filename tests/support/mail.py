"""Mail on its way: from the outbox through the queue and the mailer to a post office that stands in for SES."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from botocore.exceptions import ClientError

from helpdesk.platform import clients
from helpdesk.platform.settings import settings
from helpdesk.webhooks.delivery.fanout import fan_out
from tests.support import table as whole_table
from tests.support.api import Context, function
from tests.support.changes import inserted
from tests.support.workers import received

FROM = "support@helpdesk.example"
CONFIGURATION_SET = "helpdesk-test"
QUEUES = ("mail", "outreach")
_sequence = itertools.count(1)


@dataclass(frozen=True)
class Sent:
    """A mail that SES took."""

    sender: str
    to: list[str]
    subject: str
    text: str
    html: str
    reply_to: list[str] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    configuration_set: str | None = None


@contextmanager
def post_office(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Sent]]:
    """Set mail up inside the block; gives the list of the mails that were taken, in their order."""
    monkeypatch.setenv("MAIL_FROM", FROM)
    monkeypatch.setenv("MAIL_CONFIGURATION_SET", CONFIGURATION_SET)
    settings.cache_clear()
    ses = clients.ses()
    ses.create_email_identity(EmailIdentity=FROM)
    taken: list[Sent] = []
    offered: list[Sent] = []

    def offer(params: dict[str, Any], **_: Any) -> None:
        simple = params["Content"]["Simple"]
        body = simple["Body"]
        offered.append(
            Sent(
                params["FromEmailAddress"],
                params["Destination"]["ToAddresses"],
                simple["Subject"]["Data"],
                body["Text"]["Data"],
                body["Html"]["Data"],
                params.get("ReplyToAddresses", []),
                {each["Name"]: each["Value"] for each in simple.get("Headers", [])},
                {each["Name"]: each["Value"] for each in params.get("EmailTags", [])},
                params.get("ConfigurationSetName"),
            )
        )

    def answered(http_response: Any, **_: Any) -> None:
        if http_response.status_code == 200:
            taken.append(offered[-1])

    before, after = "before-parameter-build.sesv2.SendEmail", "after-call.sesv2.SendEmail"
    every = (ses, clients.ses(1))  # the second asks once
    for each in every:
        each.meta.events.register(before, offer)
        each.meta.events.register(after, answered)
    try:
        yield taken
    finally:
        for each in every:
            each.meta.events.unregister(before, offer)
            each.meta.events.unregister(after, answered)


def refusal(code: str, status: int = 400, words: str = "Bad recipient: grace@example.com") -> ClientError:
    """Return SES's refusal with a code, an HTTP status and its words, which hold an address, as SES's do."""
    answer: Any = {
        "Error": {"Code": code, "Message": words},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    return ClientError(answer, "SendEmail")


def jobs() -> list[dict[str, Any]]:
    """Return the outbox items that ask for a mail."""
    asked = [item for item in whole_table.of_kind("JOB") if item["jobs"][0]["queue"] in QUEUES]
    return sorted(asked, key=lambda item: str(item["id"]))


def stream_records() -> list[dict[str, Any]]:
    """Return what the table's stream says of the jobs."""
    return [inserted(item, str(next(_sequence))) for item in jobs()]


def waiting() -> list[dict[str, Any]]:
    """Receive what waits in the queues of mails, as the mailer is handed it."""
    return [record for queue in QUEUES for record in received(settings().queue_url(queue))]


def run_mailer(records: list[dict[str, Any]]) -> list[str]:
    """Hand messages to the mailer; return the ids of those that it reports as failed."""
    answer = function("mailer").handler({"Records": records}, Context())
    return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]


def carry() -> None:
    """Carry every requested mail to the post office; like a stream, carry earlier ones again."""
    assert fan_out(stream_records()) == []
    for queue in QUEUES:
        url = settings().queue_url(queue)
        while records := received(url):
            assert run_mailer(records) == []
            for record in records:
                clients.sqs().delete_message(QueueUrl=url, ReceiptHandle=record["receiptHandle"])
