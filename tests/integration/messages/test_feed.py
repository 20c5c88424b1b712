"""GET /messages with `after`: what is newer."""

from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations.message_record import Message
from helpdesk.conversations.messages import feed
from helpdesk.platform import clients, clock, ids
from helpdesk.platform.settings import settings
from helpdesk.storage.wire import to_wire
from tests.support.api import Client
from tests.support.aws import recorded_calls

SESSION = "visitor-of-a-widget"


def write(api: Client, body: str = "Hello") -> Any:
    return api.post("/v1/messages", {"session": SESSION, "body": body}).body


def news(organization: NewOrganization, after: str) -> Any:
    found = feed.news(organization.organization_id, SESSION, after)
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


def test_conversations_that_were_quiet_since_are_not_read(api: Client, organization: NewOrganization) -> None:
    now = clock.now_us()
    with clock.frozen(lambda: now):
        for _ in range(5):
            message = write(api)
            api.post(f"/v1/conversations/{message['conversationId']}/resolve")
            now += 60_000_000
        message = write(api)

        with recorded_calls() as calls:
            news(organization, message["messageId"])

    assert calls == ["dynamodb:Query", "dynamodb:BatchGetItem", "dynamodb:Query"]


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


def test_the_newest_200_messages_are_returned(api: Client, organization: NewOrganization) -> None:
    first = write(api)
    put_messages(organization, first["conversationId"], 201)

    [found] = news(organization, first["messageId"])

    assert [message["body"] for message in found["messages"]] == [str(n) for n in range(1, 201)]


def test_notes_and_system_lines_are_not_returned(
    api: Client, member: Client, organization: NewOrganization
) -> None:
    message = write(api)
    api.post(f"/v1/conversations/{message['conversationId']}/resolve")
    rating = {"session": SESSION, "conversationId": message["conversationId"], "stars": 3, "note": "Meh"}
    api.post("/v1/messages/rating", rating)

    assert bodies(news(organization, message["messageId"])) == [[]]


def test_another_sessions_or_organizations_messages_are_not_returned(
    api: Client, stranger: Client, organization: NewOrganization
) -> None:
    message = write(api)
    write(stranger, "foreign")
    api.post("/v1/messages", {"session": "another-visitor", "body": "another's"})

    assert bodies(news(organization, message["messageId"])) == [[]]


@pytest.mark.parametrize(
    "after", ["conv_01jd3kq8v5zt4m9rx2c7w6ybne", "", "msg_%23", "msg_81jd3kq8v5zt4m9rx2c7w6ybne"]
)
def test_after_is_the_id_of_a_message(api: Client, after: str) -> None:
    answer = api.get(f"/v1/messages?session={SESSION}&after={after}")

    assert (answer.status, answer.code) == (400, "invalid_request")
    assert "`after`" in answer.message


def test_a_call_that_asks_to_wait_is_refused(api: Client) -> None:
    answer = api.get(f"/v1/messages?session={SESSION}&wait=20")

    assert (answer.status, answer.code) == (400, "invalid_request")
