"""Every trigger of docs/guides/conversation-states.md on the deployed stack: the events that a webhook receiver gets.

All conversations begin at once and wait for each other, so that the whole table takes about as long as one row.
"""

import json
import time
import uuid
from collections import defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import boto3
import pytest

from helpdesk.storage import keys
from helpdesk.storage.wire import to_wire
from tests.support import states
from tests.support.receiver import Receiver
from tests.support.states import BY_HAND, BY_ITSELF, Desk
from tests.support.web import Web, eventually

TRIGGERS = states.triggers()
ANSWERED, NOT_ANSWERED = (
    "How do I verify the signature of a webhook?",
    "Which wine goes with pheasant on Tuesdays?",
)
WAKES = "a snooze's time comes"
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


def has_come_to_it(desk: Desk) -> bool:
    """Whether the agent has answered or handed over."""
    thread = desk.api.get(f"/v1/conversations/{desk.id}").body["messages"]
    return any(entry["sender"] == "agent" for entry in thread)


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
        Key=to_wire(keys.Conversation(organization, desk.id).attributes()),
        UpdateExpression="SET snoozedUntil = :until",
        ExpressionAttributeValues=to_wire({":until": until}),
    )
    sqs = boto3.client("sqs", **service)  # type: ignore[call-overload]
    [queue] = [url for url in sqs.list_queues()["QueueUrls"] if url.endswith("-timers")]
    work = {"kind": "wake", "organization": organization, "conversationId": desk.id, "until": until}
    sqs.send_message(QueueUrl=queue, MessageBody=json.dumps(work), MessageGroupId=organization)


def test_each_trigger_sends_its_events_and_no_other(
    api: Web, receiver: Receiver, stack: Mapping[str, str]
) -> None:
    first = TRIGGERS["a visitor's first message"]
    with ThreadPoolExecutor(4) as pool:
        desks: dict[str, Desk] = dict(
            zip(
                [*BY_HAND, WAKES, "the agent answers"],
                pool.map(lambda _: begin(api, ANSWERED), range(len(BY_HAND) + 2)),
                strict=True,
            )
        )
        desks["the agent hands to the team"] = begin(api, NOT_ANSWERED)
        list(pool.map(lambda desk: eventually(lambda: has_come_to_it(desk)), desks.values()))
        for_answered = {desk.id: [*first, *TRIGGERS["the agent answers"]] for desk in desks.values()}
        handed = desks["the agent hands to the team"].id
        for_answered[handed] = [*first, *TRIGGERS["the agent hands to the team"]]

        def prepared(trigger: str) -> list[str]:
            sent: list[str] = []
            for step in ["snooze"] if trigger == WAKES else BY_HAND[trigger][0]:
                assert desks[trigger].do(step).status == 200, (trigger, step)
                sent += ["conversation.updated"] if step in {"take-over", "resolve"} else []
            return sent

        for trigger, sent in zip([*BY_HAND, WAKES], pool.map(prepared, [*BY_HAND, WAKES]), strict=True):
            for_answered[desks[trigger].id] += sent

        def done(trigger: str) -> str:
            answer = desks[trigger].do(BY_HAND[trigger][1])
            assert answer.status == 200, (trigger, answer.body)
            return str((answer.body or {}).get("conversationId", desks[trigger].id))

        expected: dict[str, list[str]] = dict(for_answered)
        wake_soon(stack, desks[WAKES])
        for trigger, about in zip(BY_HAND, pool.map(done, BY_HAND), strict=True):
            told = TRIGGERS[trigger]
            if (
                about != desks[trigger].id
            ):  # the visitor's message started another, which the agent comes to as well
                told = [*told, *TRIGGERS["the agent hands to the team"]]
            expected[about] = [*expected.get(about, []), *told]
    expected = {about: sorted(kinds) for about, kinds in expected.items()}

    def difference() -> dict[str, Any]:
        came = kinds_by_conversation(receiver)
        return {about: came.get(about) for about, kinds in expected.items() if came.get(about) != kinds}

    names = {desk.id: trigger for trigger, desk in desks.items()}
    eventually(lambda: desks[WAKES].state() == "open, agent")
    try:
        eventually(lambda: not difference(), seconds=30)
    except AssertionError:
        pytest.fail(str([(names.get(a), expected[a], came) for a, came in difference().items()]))
    time.sleep(2)  # what should not be sent would be on its way
    assert difference() == {}


def test_the_test_of_triggers_knows_the_whole_table() -> None:
    assert set(TRIGGERS) == set(BY_HAND) | BY_ITSELF
