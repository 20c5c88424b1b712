"""GET /messages with `after` and `wait`: what is newer, waited for with a clock of the test's own."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.limits import Tier
from helpdesk.conversations.message_record import Message
from helpdesk.conversations.messages import feed
from helpdesk.platform import clients, clock, deadline, ids
from helpdesk.platform.settings import settings
from helpdesk.storage.wire import to_wire
from tests.support.api import Client
from tests.support.aws import recorded_calls

SESSION = "visitor-of-a-widget"
START = 1_763_683_200_000


@dataclass
class Time:
    """A clock that advances only in pauses; a planned event happens in the pause that reaches its time."""

    now: int = START
    pauses: list[int] = field(default_factory=list)
    happening: list[tuple[int, Callable[[], Any]]] = field(default_factory=list)

    def pause(self, milliseconds: int) -> None:
        self.pauses.append(milliseconds)
        until = self.now + milliseconds
        for at, happens in [each for each in self.happening if each[0] <= until - START]:
            self.now = max(self.now, START + at)
            happens()
            self.happening.remove((at, happens))
        self.now = until

    def at_second(self, second: float, happens: Callable[[], Any]) -> None:
        self.happening.append((round(second * 1_000), happens))


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Iterator[Time]:
    fake = Time()
    monkeypatch.setattr(feed, "_pause", fake.pause)
    with clock.frozen(lambda: fake.now * 1_000):
        yield fake


@contextmanager
def running_for(seconds: float) -> Iterator[None]:
    class Context:
        def get_remaining_time_in_millis(self) -> int:
            return round(seconds * 1_000)

    with deadline.of(Context()):
        yield


def write(api: Client, body: str = "Hello") -> Any:
    return api.post("/v1/messages", {"session": SESSION, "body": body}).body


def news(organization: NewOrganization, after: str, wait: int = 20, session: str = SESSION) -> Any:
    with running_for(29):
        found = feed.news(organization.organization_id, Tier.HIGHEST, session, after, wait)
    return found.model_dump(by_alias=True, mode="json")["conversations"]


def bodies(conversations: Any) -> list[list[str]]:
    return [[message["body"] for message in each["messages"]] for each in conversations]


def test_only_newer_messages_are_returned_with_the_state_of_every_conversation(api: Client) -> None:
    first = write(api, "one")
    api.post(f"/v1/conversations/{first['conversationId']}/resolve")
    second = write(api, "two")
    write(api, "three")

    answer = api.get(f"/v1/messages?session={SESSION}&after={second['messageId']}")

    found = answer.body["conversations"]
    assert [(each["id"], each["status"]) for each in found] == [
        (second["conversationId"], "open"),
        (first["conversationId"], "resolved"),
    ]
    assert bodies(found) == [["three"], []]


def test_messages_of_a_response_are_oldest_first(api: Client) -> None:
    first = write(api)
    for number in range(4):
        write(api, str(number))

    answer = api.get(f"/v1/messages?session={SESSION}&after={first['messageId']}")

    assert bodies(answer.body["conversations"]) == [["0", "1", "2", "3"]]


def test_without_a_wait_the_call_returns_at_once(
    api: Client, organization: NewOrganization, time: Time
) -> None:
    message = write(api)

    assert bodies(news(organization, message["messageId"], wait=0)) == [[]]
    assert time.pauses == []


def test_a_call_that_finds_new_messages_does_not_wait(
    api: Client, organization: NewOrganization, time: Time
) -> None:
    message = write(api)
    write(api, "newer")
    time.now += 60_000

    assert bodies(news(organization, message["messageId"])) == [["newer"]]
    assert time.pauses == []


def test_a_new_message_ends_the_wait(api: Client, organization: NewOrganization, time: Time) -> None:
    message = write(api)
    reply = f"/v1/conversations/{message['conversationId']}/reply"
    time.at_second(6.2, lambda: api.post(reply, {"body": "Here you are"}))

    assert bodies(news(organization, message["messageId"])) == [["Here you are"]]
    assert time.now - START == 7_000


def test_a_message_that_is_younger_than_half_a_second_gets_half_a_second_more(
    api: Client, organization: NewOrganization, time: Time
) -> None:
    message = write(api)
    reply = f"/v1/conversations/{message['conversationId']}/reply"
    time.at_second(2.9, lambda: api.post(reply, {"body": "second to begin"}))
    time.at_second(3.2, lambda: api.post(reply, {"body": "last to land"}))

    assert bodies(news(organization, message["messageId"])) == [["second to begin", "last to land"]]
    assert time.pauses == [1_000, 1_000, 1_000, 500]


@pytest.mark.parametrize(
    ("move", "status", "awaiting"), [("resolve", "resolved", False), ("take-over", "open", True)]
)
def test_a_change_of_state_ends_the_wait(
    api: Client, organization: NewOrganization, time: Time, move: str, status: str, awaiting: bool
) -> None:
    message = write(api)
    time.at_second(3.5, lambda: api.post(f"/v1/conversations/{message['conversationId']}/{move}"))

    [found] = news(organization, message["messageId"])

    assert (found["status"], found["awaitingHuman"], found["messages"]) == (status, awaiting, [])
    assert time.now - START == 4_000


def test_a_conversation_that_begins_while_none_is_open_ends_the_wait(
    api: Client, organization: NewOrganization, time: Time
) -> None:
    message = write(api)
    api.post(f"/v1/conversations/{message['conversationId']}/resolve")
    time.at_second(2.1, lambda: write(api, "Something else"))

    assert bodies(news(organization, message["messageId"])) == [["Something else"], []]


def test_a_call_waits_for_a_session_that_does_not_exist_yet(
    api: Client, organization: NewOrganization, time: Time
) -> None:
    message = write(api)
    later = {"session": "a-visitor-to-come", "body": "Hi"}
    time.at_second(4, lambda: api.post("/v1/messages", later))

    found = news(organization, message["messageId"], session=later["session"])

    assert bodies(found) == [["Hi"]]


def test_a_wait_ends_when_its_time_is_over(api: Client, organization: NewOrganization, time: Time) -> None:
    message = write(api)

    assert bodies(news(organization, message["messageId"], wait=7)) == [[]]
    assert time.pauses == [1_000] * 7


@pytest.mark.parametrize(("left", "waited"), [(24.5, 20), (15, 11), (4.9, 0.9), (4, 0), (0, 0)])
def test_a_wait_is_never_held_when_the_functions_time_is_short(
    api: Client, organization: NewOrganization, time: Time, left: float, waited: float
) -> None:
    message = write(api)

    with running_for(left):
        feed.news(organization.organization_id, Tier.HIGHEST, SESSION, message["messageId"], 20)

    assert time.now - START == round(waited * 1_000)


def test_a_call_does_not_wait_without_a_known_deadline(
    api: Client, organization: NewOrganization, time: Time
) -> None:
    message = write(api)

    feed.news(organization.organization_id, Tier.HIGHEST, SESSION, message["messageId"], 20)

    assert time.pauses == []


def test_a_look_is_one_batch_read_while_a_conversation_is_open(
    api: Client, organization: NewOrganization, time: Time
) -> None:
    message = write(api)

    with recorded_calls() as calls:
        news(organization, message["messageId"], wait=5)

    begin = ["dynamodb:Query", "dynamodb:BatchGetItem", "dynamodb:Query"]
    assert calls == [*begin, *["dynamodb:UpdateItem"] * 2, *["dynamodb:BatchGetItem"] * 5]


def test_conversations_that_were_quiet_since_are_not_read(
    api: Client, organization: NewOrganization, time: Time
) -> None:
    for _ in range(5):
        message = write(api)
        api.post(f"/v1/conversations/{message['conversationId']}/resolve")
        time.now += 60_000
    message = write(api)

    with recorded_calls() as calls:
        news(organization, message["messageId"], wait=0)

    assert calls == ["dynamodb:Query", "dynamodb:BatchGetItem", "dynamodb:Query"]


def test_a_waiting_call_is_charged_once(api: Client, time: Time) -> None:
    message = write(api)

    with recorded_calls() as calls:
        answer = api.get(f"/v1/messages?session={SESSION}&after={message['messageId']}&wait=3")

    assert answer.status == 200
    # The allowance, and the seconds of the wait from the organization's bucket and from the pool.
    assert calls.count("dynamodb:UpdateItem") == 3
    assert len(time.pauses) == 3


def test_a_call_that_finds_new_messages_takes_no_wait_from_the_bucket(
    api: Client, organization: NewOrganization, time: Time
) -> None:
    message = write(api)
    write(api, "And another thing")
    time.now += 60_000

    with recorded_calls() as calls:
        news(organization, message["messageId"], wait=20)

    assert "dynamodb:UpdateItem" not in calls


def put_messages(organization: NewOrganization, conversation: str, count: int) -> None:
    """Put messages as they are written, without sending each."""
    for begin in range(0, count, 25):
        requests = []
        for number in range(begin, min(begin + 25, count)):
            message_id = ids.new("msg")
            item = {
                **Message.key_for(organization.organization_id, conversation, message_id).attributes(),
                "id": message_id,
                "conversationId": conversation,
                "createdAt": clock.now_ms(),
                "sender": "visitor",
                "agent": None,
                "body": str(number),
                "attachments": [],
            }
            requests.append({"PutRequest": {"Item": to_wire(item)}})
        clients.dynamodb().batch_write_item(RequestItems={settings().table_name: requests})  # type: ignore[dict-item]


def test_the_newest_200_messages_are_returned(api: Client, organization: NewOrganization, time: Time) -> None:
    first = write(api)
    put_messages(organization, first["conversationId"], 201)

    [found] = news(organization, first["messageId"], wait=0)

    assert [message["body"] for message in found["messages"]] == [str(n) for n in range(1, 201)]


def test_notes_and_system_lines_are_not_returned(
    api: Client, member: Client, organization: NewOrganization, time: Time
) -> None:
    message = write(api)
    api.post(f"/v1/conversations/{message['conversationId']}/resolve")
    rating = {"session": SESSION, "conversationId": message["conversationId"], "stars": 3, "note": "Meh"}
    api.post("/v1/messages/rating", rating)

    assert bodies(news(organization, message["messageId"], wait=0)) == [[]]


def test_another_sessions_or_organizations_messages_are_not_returned(
    api: Client, stranger: Client, organization: NewOrganization, time: Time
) -> None:
    message = write(api)
    write(stranger, "foreign")
    api.post("/v1/messages", {"session": "another-visitor", "body": "another's"})

    assert bodies(news(organization, message["messageId"], wait=0)) == [[]]


@pytest.mark.parametrize(
    "after", ["conv_01jd3kq8v5zt4m9rx2c7w6ybne", "", "msg_%23", "msg_81jd3kq8v5zt4m9rx2c7w6ybne"]
)
def test_after_is_the_id_of_a_message(api: Client, after: str) -> None:
    answer = api.get(f"/v1/messages?session={SESSION}&after={after}")

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert "`after`" in answer.message


def test_a_wait_without_after_is_the_history_at_once(api: Client, time: Time) -> None:
    write(api)

    answer = api.get(f"/v1/messages?session={SESSION}&wait=20")

    assert bodies(answer.body["conversations"]) == [["Hello"]]
    assert time.pauses == []
