"""The whole service at work behind the API: stream, queues and workers, until nothing is left to do."""

import itertools
from typing import Any

from helpdesk.platform import clients
from helpdesk.platform.settings import settings
from tests.support import stand_in
from tests.support import table as whole_table
from tests.support.api import Context, function
from tests.support.changes import inserted

WORKERS = {
    "agent": "agent_worker",
    "knowledge": "knowledge_indexer",
    "mail": "mailer",
    "outreach": "mailer",
    "search": "search_indexer",
    "suggestion": "agent_worker",
    "timer": "timers",
    "erase": "eraser",
    "crawl": "crawler",
    "tool_sync": "tool_sync",
    "signal": "signal_worker",
    "integration": "integration_worker",
    "mail_events": "mail_receiver",
    "delivery": "delivery",
    "retry": "delivery",
}
"""The function behind each queue."""

_sequence = itertools.count(1)


class LongContext(Context):
    """A worker's Lambda context, with the remaining time."""

    def __init__(self, milliseconds: int = 300_000) -> None:
        self._milliseconds = milliseconds

    def get_remaining_time_in_millis(self) -> int:
        return self._milliseconds


class Workers:
    """Sends what the outbox requests to the queues, and queued messages to the workers.

    `holding` names queues that are left alone. Each message is carried once.
    """

    def __init__(self, *holding: str) -> None:
        self.holding = set(holding)
        self._carried: set[str] = set()

    def run(self) -> None:
        """Work until neither stream nor queue has anything; messages that are held back stay."""
        while self.fan_out() or sum(self.work(name) for name in WORKERS if name not in self.holding):
            pass

    def fan_out(self) -> int:
        """Fan out what is new in the outbox; return how many items that were."""
        found = [
            item for item in whole_table.of_entities("outbox", "line") if _name(item) not in self._carried
        ]
        if found:
            records = [inserted(item, str(next(_sequence))) for item in found]
            assert function("fanout").handler({"Records": records}, None) == {"batchItemFailures": []}
        self._carried |= {_name(item) for item in found}
        return len(found)

    def work(self, queue: str, context: Context | None = None) -> int:
        """Hand a batch of a queue's messages to its worker; return how many were done."""
        url = getattr(settings(), f"{queue}_queue_url")
        records = received(url) if stand_in.has_messages(url.rpartition("/")[2]) else []
        if not records:
            return 0
        answer = function(WORKERS[queue]).handler({"Records": records}, context or LongContext())
        failed = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
        for record in records:
            if record["messageId"] not in failed:
                clients.sqs().delete_message(QueueUrl=url, ReceiptHandle=record["receiptHandle"])
        return len(records) - len(failed)


def _name(item: dict[str, Any]) -> str:
    return f"{item['PK']} {item['SK']}"


def received(url: str) -> list[dict[str, Any]]:
    """Receive up to ten messages as a function is handed them."""
    answer = clients.sqs().receive_message(
        QueueUrl=url, MaxNumberOfMessages=10, MessageSystemAttributeNames=["All"]
    )
    return [
        {
            "messageId": message["MessageId"],
            "receiptHandle": message["ReceiptHandle"],
            "body": message["Body"],
            "attributes": message["Attributes"],
            "eventSourceARN": f"arn:aws:sqs:eu-west-1:123456789012:{url.rpartition('/')[2]}",
        }
        for message in answer.get("Messages", [])
    ]
