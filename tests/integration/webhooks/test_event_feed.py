"""The feed of events: oldest first, none left out and none twice, whatever the order in which they were written."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from botocore.exceptions import ConnectTimeoutError

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.agent import embedded
from helpdesk.agent.answerer import Question, Reply
from helpdesk.events.kinds import OwnEvent, WebhookEvent
from helpdesk.events.outbox import Event
from helpdesk.platform import clients, clock
from helpdesk.storage import table
from helpdesk.storage.transactions import Transaction
from tests.integration.agent.conftest import Desk, desk, stocked
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.described import require_described_event
from tests.support.table import events, everything
from tests.support.template import ROOT

__all__ = ["desk", "stocked"]  # fixtures

START_MS = 1_800_000_000_000
DAY_MS = 86_400_000
STATE = {"id": "conv_1", "status": "open", "awaitingHuman": False}


@dataclass
class Time:
    """The time of a test, in ms."""

    now: int = START_MS

    def pass_ms(self, span: int) -> None:
        self.now += span


@pytest.fixture
def time() -> Iterator[Time]:
    """A clock that stands still until a test moves it."""
    made = Time()
    with clock.frozen(lambda: made.now * 1000):
        yield made


def event(organization: NewOrganization, kind: WebhookEvent = WebhookEvent.CONVERSATION_CREATED) -> Event:
    return Event.new(organization.organization_id, kind, {"conversation": STATE}, clock.now_ms())


def happen(
    organization: NewOrganization, time: Time, kind: WebhookEvent = WebhookEvent.CONVERSATION_CREATED
) -> str:
    made = event(organization, kind)
    table.put_new(made.to_item())
    time.pass_ms(1_000)
    return made.id


def read(api: Client, query: str = "") -> dict[str, Any]:
    answer = api.get(f"/v1/events{query}")
    assert answer.status == 200, answer
    body: dict[str, Any] = answer.body
    return body


def ids(page: dict[str, Any]) -> list[str]:
    return [event["id"] for event in page["events"]]


def test_events_come_oldest_first_in_pages_to_the_end(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    happened = [happen(organization, time) for _ in range(5)]
    time.pass_ms(20_000)
    seen: list[str] = []
    page = read(api, "?limit=2")
    while True:
        seen += ids(page)
        if not page["hasMore"]:
            break
        page = read(api, f"?limit=2&cursor={page['nextCursor']}")
    assert seen == happened


def test_an_event_is_shown_as_its_webhook_carries_it(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    event_id = happen(organization, time)
    time.pass_ms(20_000)
    (shown,) = read(api)["events"]
    assert shown == {
        "id": event_id,
        "type": "conversation.created",
        "createdAt": START_MS,
        "data": {"conversation": STATE},
    }
    require_described_event(shown)


def test_a_cursor_of_the_end_returns_what_follows_and_nothing_twice(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    first = happen(organization, time)
    time.pass_ms(20_000)
    page = read(api)
    assert ids(page) == [first]
    for _ in range(3):  # polling an end changes nothing
        page = read(api, f"?cursor={page['nextCursor']}")
        assert (ids(page), page["hasMore"]) == ([], False)
    second = happen(organization, time)
    time.pass_ms(5 * DAY_MS)
    page = read(api, f"?cursor={page['nextCursor']}")
    assert ids(page) == [second]
    assert ids(read(api, f"?cursor={page['nextCursor']}")) == []


def test_a_cursor_from_before_the_first_event_returns_all_events(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    page = read(api)
    assert (ids(page), page["hasMore"]) == ([], False)
    first = happen(organization, time)
    time.pass_ms(20_000)
    assert ids(read(api, f"?cursor={page['nextCursor']}")) == [first]


def test_the_newest_twenty_seconds_are_held_back(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    made = event(organization)
    table.put_new(made.to_item())
    time.pass_ms(20_000)
    assert ids(read(api)) == []
    time.pass_ms(1)
    assert ids(read(api)) == [made.id]


@pytest.mark.parametrize("seed", range(5))
def test_events_that_are_written_out_of_order_are_returned_once_each(
    seed: int, organization: NewOrganization, api: Client, time: Time
) -> None:
    random = Random(seed)
    made: list[str] = []
    under_way: list[tuple[int, Event]] = []  # until when its transaction takes, up to 15 s
    seen: list[str] = []
    cursor = ""
    for _ in range(60):
        if random.random() < 0.5:
            one = event(organization)
            made.append(one.id)
            under_way.append((time.now + random.randint(0, 15_000), one))
        time.pass_ms(random.randint(1, 3_000))
        for written in [entry for entry in under_way if entry[0] <= time.now]:
            under_way.remove(written)
            table.put_new(written[1].to_item())
        if random.random() < 0.5:
            page = read(api, f"?limit={random.randint(1, 5)}{cursor}")
            seen += ids(page)
            cursor = f"&cursor={page['nextCursor']}"
    for _, one in under_way:
        table.put_new(one.to_item())
    time.pass_ms(60_000)
    while True:
        page = read(api, f"?limit=5{cursor}")
        seen += ids(page)
        cursor = f"&cursor={page['nextCursor']}"
        if not page["hasMore"]:
            break
    assert seen == made


@pytest.mark.moto
@pytest.mark.parametrize(("late_ms", "written"), [(10_000, True), (10_001, False)])
def test_no_try_to_write_an_event_is_sent_when_the_event_is_over_ten_seconds_old(
    organization: NewOrganization,
    api: Client,
    time: Time,
    monkeypatch: pytest.MonkeyPatch,
    late_ms: int,
    *,
    written: bool,
) -> None:
    """boto3 itself repeats a call that DynamoDB does not answer; our code does not see the repetition."""
    tries: list[int] = []

    def lost(**_: Any) -> None:
        tries.append(time.now)
        if len(tries) == 1:
            time.pass_ms(late_ms)
            raise ConnectTimeoutError(endpoint_url="https://dynamodb")

    transaction = Transaction()
    event(organization).add_to(transaction)
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)
    registry = clients.dynamodb().meta.events
    registry.register_first("before-send.dynamodb.TransactWriteItems", lost)
    try:
        if written:
            transaction.commit()
        else:
            with pytest.raises(clients.DeadlineExceeded):
                transaction.commit()
    finally:
        registry.unregister("before-send.dynamodb.TransactWriteItems", lost)
    time.pass_ms(60_000)
    assert len(ids(read(api))) == int(written)


def test_a_slow_answer_of_the_agent_is_not_before_what_readers_read_meanwhile(
    stocked: Desk, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    cursor: list[str] = [""]

    def read_on() -> None:
        page = read(stocked.api, f"?limit=200{cursor[0]}")
        seen.extend(ids(page))
        cursor[0] = f"&cursor={page['nextCursor']}"

    def thinking(_: Question) -> Reply:
        for number in range(4):
            time.pass_ms(25_000)
            stocked.write("Hello?", session=f"session-{number}-of-bob")
            read_on()
        return Reply("After all, yes.")

    job = stocked.write("How do I get a refund?")
    monkeypatch.setattr(embedded, "answer", thinking)
    assert stocked.work(job) == []
    time.pass_ms(60_000)
    read_on()
    assert seen == sorted(event["id"] for event in events())
    assert len(seen) == 11  # five conversations, with a message each, and the answer
    assert [event["createdAt"] for event in events() if "After all" in str(event)] == [START_MS + 100_000]


@pytest.mark.moto
def test_an_answer_that_cannot_be_written_in_time_is_written_by_the_next_try(
    stocked: Desk, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = stocked.write("How do I get a refund?")
    real = Transaction.commit

    def slow(self: Transaction) -> None:
        time.pass_ms(11_000)
        real(self)

    with monkeypatch.context() as patch:
        patch.setattr(Transaction, "commit", slow)
        assert stocked.work(job) == ["message-0"]
    assert stocked.answers(job["conversationId"]) == []
    assert stocked.work(job) == []
    assert len(stocked.answers(job["conversationId"])) == 1


def test_every_module_that_makes_events_adds_them_to_its_transaction_in_the_way_that_keeps_them_fresh() -> (
    None
):
    core = ROOT / "layers" / "core" / "helpdesk"
    texts = {path.relative_to(core).as_posix(): path.read_text() for path in core.rglob("*.py")}
    makers = {
        name: text
        for name, text in texts.items()
        if re.search(r"^from helpdesk\.events\.outbox import .*\bEvent\b", text, re.MULTILINE)
    }
    assert {"conversations/thread.py", "webhooks/service.py"} <= makers.keys()
    assert [name for name, text in makers.items() if re.search(r"\bput\(.*\.to_item\(\)", text)] == []


def test_only_the_requested_kinds_are_returned(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    kinds = [WebhookEvent.CONVERSATION_CREATED, WebhookEvent.CONVERSATION_UPDATED, WebhookEvent.BUG_CREATED]
    happened = [happen(organization, time, kind) for _ in range(3) for kind in kinds]
    time.pass_ms(20_000)
    wanted = [happened[0], happened[1], happened[3], happened[4], happened[6], happened[7]]
    query = "types=conversation.created,conversation.updated&limit=4"
    page = read(api, f"?{query}")
    assert (ids(page), page["hasMore"]) == (wanted[:4], True)
    page = read(api, f"?{query}&cursor={page['nextCursor']}")
    assert (ids(page), page["hasMore"]) == (wanted[4:], False)


def test_where_few_events_are_of_the_kind_a_page_can_be_empty_and_not_the_last(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    for _ in range(200):
        happen(organization, time)
    rare = happen(organization, time, WebhookEvent.CONVERSATION_UPDATED)
    time.pass_ms(20_000)
    page = read(api, "?types=conversation.updated")
    assert (ids(page), page["hasMore"]) == ([], True)
    page = read(api, f"?types=conversation.updated&cursor={page['nextCursor']}")
    assert (ids(page), page["hasMore"]) == ([rare], False)


def test_the_feed_begins_at_the_requested_time(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    happened = [happen(organization, time) for _ in range(4)]
    time.pass_ms(20_000)
    assert ids(read(api, f"?from={START_MS + 2_000}")) == happened[2:]
    assert ids(read(api, "?from=0")) == happened
    assert ids(read(api, f"?from={2**48 - 1}")) == []


def test_the_feed_reaches_back_thirty_days(organization: NewOrganization, api: Client, time: Time) -> None:
    page = read(api)
    happen(organization, time)
    time.pass_ms(30 * DAY_MS)
    recent = happen(organization, time)
    time.pass_ms(20_000)
    assert ids(read(api)) == [recent]
    assert ids(read(api, f"?cursor={page['nextCursor']}")) == [recent]


def test_an_event_for_one_endpoint_alone_is_not_in_the_feed(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    test = Event.new(organization.organization_id, OwnEvent.WEBHOOK_TEST, {}, clock.now_ms(), only_to="wh_1")
    table.put_new(test.to_item())
    time.pass_ms(60_000)
    assert ids(read(api)) == []


@pytest.mark.parametrize(
    "query",
    [
        "?types=message.deleted",
        "?types=webhook.test",
        "?types=",
        "?types=bug.created,",
    ],
)
def test_an_invalid_parameter_is_refused(api: Client, query: str) -> None:
    answer = api.get(f"/v1/events{query}")
    assert (answer.status, answer.code) == (400, "invalid_request")


def test_a_cursor_belongs_to_its_organization_and_to_its_kinds(
    organization: NewOrganization, api: Client, stranger: Client, time: Time
) -> None:
    cursor = read(api)["nextCursor"]
    for client, query in ((stranger, f"cursor={cursor}"), (api, f"types=bug.created&cursor={cursor}")):
        answer = client.get(f"/v1/events?{query}")
        assert (answer.status, answer.code) == (400, "invalid_cursor")
    assert api.get(f"/v1/events?cursor={cursor}x").code == "invalid_cursor"


def test_another_organizations_events_are_not_seen(
    organization: NewOrganization, stranger: Client, time: Time
) -> None:
    happen(organization, time)
    time.pass_ms(20_000)
    assert ids(read(stranger)) == []


def test_every_request_for_the_feed_costs_one_query(
    organization: NewOrganization, api: Client, time: Time
) -> None:
    for _ in range(30):
        happen(organization, time)
    time.pass_ms(20_000)
    for query in ("", "?limit=5", "?types=bug.created", f"?from={START_MS}"):
        with recorded_calls() as calls:
            read(api, query)
        assert calls == ["dynamodb:UpdateItem", "dynamodb:Query"]


def test_a_real_message_is_in_the_feed(organization: NewOrganization, api: Client) -> None:
    answer = api.post("/v1/messages", {"session": "visitor-0001", "body": "Hello?"})
    assert answer.status == 200
    later = clock.now_us() + 21_000_000
    with clock.frozen(lambda: later):
        page = read(api)
    assert [event["type"] for event in page["events"]] == ["conversation.created", "message.created"]
    assert page["events"][1]["data"]["message"]["body"] == "Hello?"
    assert len([item for item in everything() if "#EVENTS" in item.get("GSI1PK", "")]) == 2
