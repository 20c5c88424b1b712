"""What the tests of deliveries share: events that happen, a clock that they move, and what is queued of it."""

from collections.abc import Iterator
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.kinds import WebhookEvent
from helpdesk.events.outbox import Event, Job
from helpdesk.outbound.outcome import Failure, Outcome
from helpdesk.platform import clock
from helpdesk.storage import table
from helpdesk.storage.table import Item
from tests.integration.fanout.test_fan_out import fan_out as stream
from tests.integration.fanout.test_fan_out import received
from tests.support.api import Client
from tests.support.table import of_kind

MINUTE = 60_000
HOUR = 60 * MINUTE


class Time:
    """The present, which a test moves."""

    now = 1_800_000_000_000


@pytest.fixture
def time() -> Iterator[Time]:
    present = Time()
    with clock.frozen(lambda: present.now * 1_000):
        yield present


def happened(organization: NewOrganization, *jobs: Job) -> Event:
    """Write an event to the outbox, as a request does. No stream brings it anywhere."""
    event = Event.new(
        organization.organization_id, WebhookEvent.MESSAGE_CREATED, {"text": "hello"}, clock.now_ms(), jobs
    )
    table.put_new(event)
    return event


def add(api: Client, *events: str) -> str:
    answer = api.post("/v1/webhooks", {"url": "https://93.184.215.14/", "events": list(events)})
    assert answer.status == 200, answer
    return str(answer.body["id"])


def fan_out(*events: Event) -> None:
    """Fan out as the stream does."""
    assert stream(*(event.to_item() for event in events)) == {"batchItemFailures": []}


def tasks(url: str) -> list[tuple[str, int]]:
    return sorted((message["event_id"], message["attempt"]) for message in received(url))


def delivery(event: Event) -> Item:
    (item,) = of_kind(event.id)
    return item


class Receiver:
    """Answers with a status and counts."""

    def __init__(self, status: int) -> None:
        self.status, self.requests = status, 0

    async def send(self, _url: str, _body: bytes, _headers: Any, _endpoint: str) -> Outcome:
        self.requests += 1
        return Outcome(self.status, None if self.status == 200 else Failure.STATUS, 5)
