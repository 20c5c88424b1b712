"""moto in place of AWS, with the resources of template.yaml that the handlers use.

They are made through moto's own Python interface: thirteen requests for each test would take longer than the test.
tests/integration/test_stand_in.py compares them with resources made by requests, and proves that a test leaves nothing
to the next one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from moto import mock_aws
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.dynamodb.models import dynamodb_backends
from moto.s3.models import s3_backends
from moto.sqs.models import sqs_backends

from scripts.seeding.memory_table import MemoryTable
from tests.support import quick_table
from tests.support.template import table_properties, template

REGION: Final = "eu-west-1"
TABLE: Final = "helpdesk-test"
BUCKETS: Final = ("helpdesk-knowledge", "helpdesk-files", "helpdesk-search")
QUEUES: Final = {
    "DELIVERY_QUEUE_URL": "delivery",
    "RETRY_QUEUE_URL": "retry",
    "SEARCH_QUEUE_URL": "search",
    "TIMER_QUEUE_URL": "timer",
    "AGENT_QUEUE_URL": "agent.fifo",
    "KNOWLEDGE_QUEUE_URL": "knowledge.fifo",
    "MAIL_QUEUE_URL": "mail.fifo",
    "OUTREACH_QUEUE_URL": "outreach.fifo",
    "SUGGESTION_QUEUE_URL": "suggestion.fifo",
    "ERASE_QUEUE_URL": "erase.fifo",
    "CRAWL_QUEUE_URL": "crawl",
    "TOOL_SYNC_QUEUE_URL": "tool_sync",
    "SIGNAL_QUEUE_URL": "signal",
    "INTEGRATION_QUEUE_URL": "integration",
    "DEAD_LETTERS_URL": "dead-letters",
    "FACTS_DEAD_LETTERS_URL": "facts-dead-letters",
}
ENVIRONMENT: Final = {
    "AWS_DEFAULT_REGION": REGION,
    "STAGE": "test",
    "SIGN_UP": "open",
    # So high that no test meets a ceiling that it does not mean, and that outreach goes out without pauses.
    **dict.fromkeys(("CODES_PER_HOUR", "INVITATIONS_PER_HOUR", "OUTREACH_PER_HOUR"), "36000000"),
    "TABLE_NAME": TABLE,
    **dict(zip(("KNOWLEDGE_BUCKET", "FILES_BUCKET", "SEARCH_BUCKET"), BUCKETS, strict=True)),
    "POWERTOOLS_SERVICE_NAME": "test",
    "RETRY_DELAYS_SECONDS": template()["Parameters"]["RetryDelaysSeconds"]["Default"],
    **{
        variable: f"https://sqs.{REGION}.amazonaws.com/{DEFAULT_ACCOUNT_ID}/{name}"
        for variable, name in QUEUES.items()
    },
}


@contextmanager
def empty() -> Iterator[None]:
    """Stand in for AWS until the end, with the table, the buckets and the queues, all empty."""
    with mock_aws():
        make_table()
        for bucket in BUCKETS:
            s3_backends[DEFAULT_ACCOUNT_ID]["aws"].create_bucket(bucket, REGION)
        queues = sqs_backends[DEFAULT_ACCOUNT_ID][REGION]
        for name in QUEUES.values():
            attributes: dict[str, Any] = {"FifoQueue": "true"} if name.endswith(".fifo") else {}
            queues.create_queue(name, **attributes)
        try:
            yield
        finally:
            quick_table.stores.clear()


def make_table() -> None:
    """Make the table of template.yaml, without its stream, which nothing here reads."""
    properties: dict[str, Any] = table_properties()
    dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].create_table(
        TABLE,
        schema=properties["KeySchema"],
        throughput=None,
        attr=properties["AttributeDefinitions"],
        global_indexes=properties["GlobalSecondaryIndexes"],
        indexes=[],
        streams=None,
        billing_mode=properties["BillingMode"],
        sse_specification=None,
        tags=[],
        deletion_protection_enabled=False,
        warm_throughput=None,
    )
    if quick_table.active():
        quick_table.stores[TABLE] = MemoryTable(foresees_ends=True)


def remove_table() -> None:
    """Remove the table with all that is in it."""
    dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].delete_table(TABLE)
    quick_table.stores.pop(TABLE, None)


def items(name: str = TABLE) -> list[dict[str, Any]]:
    """Return all items of a table, as a scan does, without a request."""
    if name in quick_table.stores:
        found = quick_table.stores[name].items()
        return sorted(found, key=lambda item: (item["PK"]["S"], item["SK"]["S"]))
    table = dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].tables[name]
    return [item.to_json()["Attributes"] for item in table.all_items()]


@contextmanager
def restored() -> Iterator[None]:
    """Put the table's items back at the end."""
    if TABLE in quick_table.stores:
        before = quick_table.stores[TABLE].copied()
        yield
        quick_table.stores[TABLE] = before
    else:
        kept = items()
        yield
        remove_table()
        make_table()
        for item in kept:
            dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].put_item(TABLE, item)


def has_messages(queue: str) -> bool:
    """Return whether a queue has messages, also ones that are not visible."""
    return bool(sqs_backends[DEFAULT_ACCOUNT_ID][REGION].queues[queue]._messages)
