"""Every trigger of docs/guides/conversation-states.md on the deployed stack: the events that a webhook receiver gets.

All conversations begin at once and wait for each other, so that the whole table takes about as long as one row.
"""

import contextlib
import json
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import boto3
import pytest

from helpdesk.conversations.record import Conversation
from helpdesk.storage.wire import to_wire
from tests.support import states
from tests.support.receiver import Receiver
from tests.support.states import BY_HAND, Desk
from tests.support.web import Web, eventually

TRIGGERS = states.triggers()
ANSWERED, NOT_ANSWERED = (
    "How do I verify the signature of a webhook?",
    "Which wine goes with pheasant on Tuesdays?",
)
FIRST, WAKES = "a visitor's first message", "a snooze's time comes"
ANSWERS, HANDS_OVER = "the agent answers", "the agent hands to the team"
EVENT_STEPS = {"take-over", "resolve"}
AN_HOUR_MS = 3_600_000


@pytest.fixture
def api(stack: Mapping[str, str]) -> Web:
    """The API as the demo organization's key sees it."""
    return Web(stack["base_url"], stack["secret_key"])


@pytest.fixture
def receiver(api: Web) -> Iterator[Receiver]:
    """A receiver of all events of conversations."""
    with Receiver() as listening:
        events = ["message.created", "conversation.created", "conversation.updated"]
        endpoint = api.post("/v1/webhooks", {"url": listening.url, "events": events}).body["id"]
        yield listening
        api.delete(f"/v1/webhooks/{endpoint}")


def kinds_by_conversation(receiver: Receiver) -> dict[str, list[str]]:
    """Return what came, each event once, by conversation and sorted, for deliveries keep no order."""
    events = {event["id"]: event for event in (json.loads(each.body) for each in list(receiver.received))}
    found: dict[str, list[str]] = defaultdict(list)
    for event in events.values():
        found[event["data"]["conversation"]["id"]].append(event["type"])
    return {conversation: sorted(kinds) for conversation, kinds in found.items()}


def begin(api: Web, question: str) -> Desk:
    """Start a conversation."""
    session = f"visitor-{uuid.uuid4()}"
    accepted = api.post("/v1/messages", {"session": session, "body": question})
    return Desk(api, accepted.body["conversationId"], session, lambda: int(time.time() * 1_000) + AN_HOUR_MS)


def wake_soon(stack: Mapping[str, str], desk: Desk) -> None:
    """Let a snooze end in two seconds, which the API only grants for a minute: write its time, queue its wake."""
    service = {
        "endpoint_url": stack["endpoint_url"],
        "region_name": stack["region"],
        "aws_access_key_id": "test",
        "aws_secret_access_key": "test",
    }
    until = int(time.time() * 1_000) + 2_000
    organization = stack["organization_id"]
    boto3.client("dynamodb", **service).update_item(  # type: ignore[call-overload]
        TableName=stack["table"],
        Key=to_wire(Conversation.key_for(organization, desk.id).attributes()),
        UpdateExpression="SET snoozedUntil = :until",
        ExpressionAttributeValues=to_wire({":until": until}),
    )
    sqs = boto3.client("sqs", **service)  # type: ignore[call-overload]
    [queue] = [url for url in sqs.list_queues()["QueueUrls"] if url.endswith("-Timer")]
    work = {"kind": "wake", "organization": organization, "conversationId": desk.id, "until": until}
    sqs.send_message(QueueUrl=queue, MessageBody=json.dumps(work), MessageGroupId=organization)


class Row:
    """A row of the table at work: its conversation, and the events that are expected of each it touches."""

    def __init__(self, trigger: str, desk: Desk) -> None:
        self.trigger, self.desk = trigger, desk
        by_the_agent = TRIGGERS[HANDS_OVER if trigger == HANDS_OVER else ANSWERS]
        self.expected: dict[str, list[str]] = {desk.id: [*TRIGGERS[FIRST], *by_the_agent]}

    def prepare(self) -> None:
        """Bring the conversation into the state before the trigger."""
        before = {WAKES: ["snooze"]}.get(self.trigger, BY_HAND.get(self.trigger, ([], ""))[0])
        for step in before:
            assert self.desk.do(step).status == 200, (self.trigger, step)
            self.expected[self.desk.id] += ["conversation.updated"] if step in EVENT_STEPS else []

    def happen(self) -> None:
        """Do what a teammate or the visitor does."""
        step = BY_HAND[self.trigger][1]
        answer = self.desk.do(step)
        assert answer.status == 200, (self.trigger, answer.body)
        about = answer.body.get("conversationId", self.desk.id)
        events = [*TRIGGERS[self.trigger]]
        if about != self.desk.id and step == "message":
            events += TRIGGERS[HANDS_OVER]  # it started another conversation, which the agent handles too
        self.expected[about] = [*self.expected.get(about, []), *events]


def differing(rows: Sequence[Row], receiver: Receiver) -> list[tuple[str, list[str], list[str] | None]]:
    """Return the rows whose events differ: the trigger, the expected events, the received ones."""
    came = kinds_by_conversation(receiver)
    return [
        (row.trigger, sorted(kinds), came.get(about))
        for row in rows
        for about, kinds in row.expected.items()
        if came.get(about) != sorted(kinds)
    ]


def test_each_trigger_sends_its_events_and_no_other(
    api: Web, receiver: Receiver, stack: Mapping[str, str]
) -> None:
    with ThreadPoolExecutor(4) as pool:

        def all_at_once(do: Callable[[Row], object], rows: Sequence[Row]) -> None:
            list(pool.map(do, rows))

        triggers = [*BY_HAND, WAKES, ANSWERS, HANDS_OVER]
        questions = [NOT_ANSWERED if trigger == HANDS_OVER else ANSWERED for trigger in triggers]
        desks = pool.map(partial(begin, api), questions)
        rows = [Row(trigger, desk) for trigger, desk in zip(triggers, desks, strict=True)]
        eventually(lambda: not differing(rows, receiver))  # the agent has handled all of them
        all_at_once(Row.prepare, rows)
        asleep = next(row.desk for row in rows if row.trigger == WAKES)
        wake_soon(stack, asleep)
        all_at_once(Row.happen, [row for row in rows if row.trigger in BY_HAND])
        eventually(lambda: asleep.state() == "open, agent")

    with contextlib.suppress(AssertionError):
        eventually(lambda: not differing(rows, receiver))
    assert differing(rows, receiver) == []
    time.sleep(2)  # events that should not be sent would be on their way
    assert differing(rows, receiver) == []


def test_the_tested_rows_are_the_table_except_nightly_runs_and_other_settings() -> None:
    elsewhere = {"the agent ends what it finished", "auto-resolve resolves a conversation at night"}

    assert set(TRIGGERS) == set(BY_HAND) | {FIRST, ANSWERS, HANDS_OVER, WAKES} | elsewhere
