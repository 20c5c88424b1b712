"""The product's calls to AWS and their responses, recorded once from the real code against moto.

Runs in a process of its own, because moto hooks itself into every client of the process that it is used in.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from benchmarks.report import ROOT
from helpdesk.accounts import provisioning
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.limits import Plan
from helpdesk.platform import clients
from helpdesk.platform.settings import settings
from tests.support.api import Client, gateway_event
from tests.support.template import table_properties, template

REGION: Final = "eu-west-1"
QUEUES = (
    *("delivery", "retry", "search", "timer"),
    *(
        "agent.fifo",
        "knowledge.fifo",
        "mail.fifo",
        "outreach.fifo",
        "suggestion.fifo",
        "erase.fifo",
        "crawl",
        "tool_sync",
        "signal",
    ),
)

# About what a visitor's browser sends.
MESSAGE = {
    "session": "3f0a5c1be4d94c1e8a55c3d1c8a7d0b2",
    "body": "Hello, I moved our shop to a new domain yesterday and since then our server answers 401 to every webhook. "
    "Do I have to create the endpoint again, or is there a way to keep the secret that it has?",
    "user": {"name": "Ada Example", "email": "ada@example.com", "metadata": {"plan": "team", "seats": 12}},
    "context": {
        "timeZone": "Europe/Berlin",
        "locale": "de-DE",
        "browser": "Firefox 145",
        "os": "macOS 26",
        "device": "desktop",
    },
    "page": {"url": "https://shop.example.com/settings/webhooks?tab=2", "title": "Webhooks"},
}


@dataclass(slots=True)
class Recorded:
    """A request to POST /messages in a conversation that exists, the calls it makes, and their answers by operation.

    `booked` and `outbox` are a delivery's items and the outbox items of the message, in DynamoDB's wire form.
    """

    event: dict[str, Any]
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    outbox: list[dict[str, Any]] = field(default_factory=list)
    endpoint: dict[str, Any] = field(default_factory=dict)


@contextmanager
def emulated_aws() -> Iterator[None]:
    """Stand in for AWS with the table that template.yaml describes, its buckets and queues."""
    from moto import mock_aws  # noqa: PLC0415 - importing it alone hooks it into every client of the process

    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]
    os.environ |= {
        "AWS_DEFAULT_REGION": REGION,
        "STAGE": "test",
        "TABLE_NAME": "helpdesk",
        "KNOWLEDGE_BUCKET": "knowledge",
        "SEARCH_BUCKET": "search",
        "FILES_BUCKET": "files",
        "BASE_URL": "https://api.example.com",
        "POWERTOOLS_SERVICE_NAME": "benchmark",
        "POWERTOOLS_LOG_LEVEL": "ERROR",
        "RETRY_DELAYS_SECONDS": template()["Parameters"]["RetryDelaysSeconds"]["Default"],
    }
    with mock_aws():
        clients.dynamodb().create_table(TableName="helpdesk", **table_properties())
        for bucket in ("knowledge", "files", "search"):
            clients.s3().create_bucket(
                Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": REGION}
            )
        for name in QUEUES:
            url = clients.sqs().create_queue(
                QueueName=name, Attributes={"FifoQueue": "true"} if name.endswith(".fifo") else {}
            )["QueueUrl"]
            os.environ[f"{name.removesuffix('.fifo').upper()}_QUEUE_URL"] = url
        settings.cache_clear()  # the clients have read it before the queues were there
        yield


def new_organization() -> NewOrganization:
    """Make an organization whose allowance no benchmark empties."""
    return provisioning.create_organization(
        name="Example",
        slug="example",
        owner_name="Olga Owner",
        owner_email="olga@example.com",
        plan=Plan.PRO,
        api_limits=True,
        unlimited_api=True,
    )


def recorded() -> Recorded:
    """Record in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.recording"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return Recorded(**json.loads(done.stdout))


def _record() -> Recorded:
    with emulated_aws():
        organization = new_organization()
        api = Client(organization.secret_key)
        webhook = {"url": "https://93.184.215.14/hook", "events": ["message.created", "conversation.created"]}
        api.post("/v1/webhooks", webhook)
        for _ in range(2):  # the first makes the conversation, the second lets the session know all there is
            api.post("/v1/messages", MESSAGE)
        headers = {"content-type": "application/json", "Authorization": f"Bearer {organization.secret_key}"}
        record = Recorded(gateway_event("POST", "/v1/messages", body=MESSAGE, headers=headers))
        before = {item["PK"]["S"] for item in clients.dynamodb().scan(TableName="helpdesk")["Items"]}

        def asked(params: dict[str, Any], model: Any, **_: Any) -> None:
            record.calls.append((model.name, params))

        def answered(http_response: Any, model: Any, **_: Any) -> None:
            record.answers[model.name] = http_response.content.decode()

        events = clients.dynamodb().meta.events
        events.register("provide-client-params.dynamodb", asked)
        events.register("after-call.dynamodb", answered)
        answer = api.answer_to(record.event)
        events.unregister("provide-client-params.dynamodb", asked)
        events.unregister("after-call.dynamodb", answered)
        if answer.status != 200 or len(record.calls) != 3:
            raise RuntimeError(f"not a warm request: {answer}, {record.calls}")
        scanned = clients.dynamodb().scan(TableName="helpdesk")["Items"]
        record.outbox = [
            item for item in scanned if item["PK"]["S"] not in before and item["SK"]["S"] in {"EVENT", "JOB"}
        ]
        record.endpoint = next(item for item in scanned if item["SK"]["S"].startswith("ENDPOINT#"))
        return record


if __name__ == "__main__":
    print(json.dumps(asdict(_record())))
