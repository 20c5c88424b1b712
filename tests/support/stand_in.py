"""moto in place of AWS, with the resources of template.yaml that the handlers use.

They are made through moto's Python interface, once for each module, and emptied after each test: requests would take
longer than the test.
tests/integration/test_stand_in.py compares them with resources made by requests, and proves that a test leaves nothing
to the next one.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import Any, Final

from moto import mock_aws
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.parsing.reserved_keywords import ReservedKeywords
from moto.s3.models import s3_backends
from moto.ses.models import ses_backends
from moto.sesv2.models import sesv2_backends
from moto.sqs.models import sqs_backends

from helpdesk.platform.settings import settings
from scripts.seeding import expressions
from scripts.seeding.memory_table import MemoryTable, answering, answering_now
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
    "MAIL_EVENTS_QUEUE_URL": "mail_events",
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
    "LIVE_URL": f"wss://live.execute-api.{REGION}.amazonaws.com/test",
    "LIVE_FUNCTION": "helpdesk-test-Live",
    "POWERTOOLS_SERVICE_NAME": "test",
    "RETRY_DELAYS_SECONDS": template()["Parameters"]["RetryDelaysSeconds"]["Default"],
    **{
        variable: f"https://sqs.{REGION}.amazonaws.com/{DEFAULT_ACCOUNT_ID}/{name}"
        for variable, name in QUEUES.items()
    },
}


@contextmanager
def emulated() -> Iterator[None]:
    """Stand in for AWS until the end, with the table, the buckets and the queues."""
    with mock_aws():
        _make_table()
        _make_buckets()
        _make_queues(QUEUES.values())
        yield


@contextmanager
def empty(*, in_memory: bool) -> Iterator[None]:
    """Empty everything at the end. The table is in memory (scripts/seeding/memory_table.py), or moto's."""
    with answering(MemoryTable(foresees_ends=True)) if in_memory else nullcontext():
        yield
    reserved = {name for name in expressions.bare_names if name.upper() in _reserved_words()}
    assert not reserved, f"DynamoDB refuses {reserved} without a placeholder in an expression."
    if not in_memory or dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].tables.keys() != {TABLE}:
        dynamodb_backends[DEFAULT_ACCOUNT_ID].reset()
        _make_table()
    for backends in (s3_backends, ses_backends, sesv2_backends):
        backends[DEFAULT_ACCOUNT_ID].reset()
    _make_buckets()
    queues = sqs_backends[DEFAULT_ACCOUNT_ID][REGION].queues
    used = [name for name in queues if name not in QUEUES.values() or has_messages(name)]
    for name in used:
        del queues[name]
    _make_queues(name for name in used if name in QUEUES.values())


@cache
def _reserved_words() -> frozenset[str]:
    return frozenset(ReservedKeywords.get_reserved_keywords())


def _make_table() -> None:
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


def _make_buckets() -> None:
    for bucket in BUCKETS:
        s3_backends[DEFAULT_ACCOUNT_ID]["aws"].create_bucket(bucket, REGION)


def _make_queues(names: Iterable[str]) -> None:
    for name in names:
        attributes: dict[str, Any] = {"FifoQueue": "true"} if name.endswith(".fifo") else {}
        sqs_backends[DEFAULT_ACCOUNT_ID][REGION].create_queue(name, **attributes)


def clear() -> None:
    """Remove every item of the table."""
    table = answering_now()
    if table is not None:
        table.clear()
    else:
        dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].delete_table(TABLE)
        _make_table()


def items() -> list[dict[str, Any]]:
    """Return all items of the table in the order of their keys, without a request."""
    table = answering_now()
    if table is not None:
        return sorted(table.items(), key=lambda item: (item["PK"]["S"], item["SK"]["S"]))
    # The benchmarks name it otherwise.
    found = dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].tables[settings().table_name].all_items()
    return [item.to_json()["Attributes"] for item in found]


@contextmanager
def restored() -> Iterator[None]:
    """Put the table's items back at the end."""
    kept = items()
    yield
    clear()
    table = answering_now()
    if table is not None:
        table.load(kept)
    else:
        for item in kept:
            dynamodb_backends[DEFAULT_ACCOUNT_ID][REGION].put_item(TABLE, item)


def has_messages(queue: str) -> bool:
    """Return whether a queue has messages, also ones that are not visible."""
    return bool(sqs_backends[DEFAULT_ACCOUNT_ID][REGION].queues[queue]._messages)
