"""Who views a conversation and who types in it."""

from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.live import presence
from helpdesk.platform import clock
from tests.integration.live.conftest import Member, member
from tests.support.api import Client
from tests.support.live import Gateway, Socket

SESSION = {"session": "visitor-0001"}


@pytest.fixture
def conversation_id(api: Client) -> str:
    return str(api.post("/v1/messages", {**SESSION, "body": "Hello"}).body["conversationId"])


def view(socket: Socket, conversation_id: str | None) -> None:
    socket.send({"type": "viewing", "conversationId": conversation_id})


def viewed_by(conversation_id: str, *members: tuple[Member, str]) -> dict[str, Any]:
    people = [{"userId": member.user_id, "name": name} for member, name in members]
    return {"type": "viewing", "conversationId": conversation_id, "people": people}


def test_those_who_view_a_conversation_learn_who_comes_and_goes(
    gateway: Gateway, ada: Member, grace: Member, conversation_id: str
) -> None:
    first, second, elsewhere = (gateway.connected(each) for each in (ada, grace, ada))
    alone = viewed_by(conversation_id, (ada, "Ada Lovelace"))
    view(first, conversation_id)
    assert first.take() == [alone]

    view(second, conversation_id)
    both = viewed_by(conversation_id, (ada, "Ada Lovelace"), (grace, "Grace Hopper"))
    assert first.take() == second.take() == [both]
    view(second, None)
    assert (first.take(), second.take(), elsewhere.take()) == ([alone], [], [])


def test_a_person_with_two_windows_is_named_once(gateway: Gateway, ada: Member, conversation_id: str) -> None:
    sockets = [gateway.connected(ada), gateway.connected(ada)]
    for socket in sockets:
        view(socket, conversation_id)

    assert sockets[1].take() == [viewed_by(conversation_id, (ada, "Ada Lovelace"))]


def test_a_closed_window_leaves(gateway: Gateway, ada: Member, grace: Member, conversation_id: str) -> None:
    stays, leaves = gateway.connected(ada), gateway.connected(grace)
    for socket in (stays, leaves):
        view(socket, conversation_id)
    stays.take()
    leaves.close()

    assert stays.take() == [viewed_by(conversation_id, (ada, "Ada Lovelace"))]


def test_who_types_is_named_to_teammates_who_view_it_and_not_to_the_visitor(
    gateway: Gateway, api: Client, ada: Member, grace: Member, conversation_id: str
) -> None:
    writer, reader, elsewhere = (gateway.connected(each) for each in (ada, grace, grace))
    visitor, other = gateway.connected(api, SESSION), gateway.connected(api, {"session": "visitor-0002"})
    for socket in (writer, reader):
        view(socket, conversation_id)
    for socket in (writer, reader):
        socket.take()
    writer.send({"type": "typing", "conversationId": conversation_id})

    typing = {"type": "typing", "conversationId": conversation_id}
    assert reader.take() == [{**typing, "userId": ada.user_id, "name": "Ada Lovelace"}]
    assert visitor.take() == [typing]
    assert writer.take() == elsewhere.take() == other.take() == []


def test_a_visitor_neither_views_nor_types(
    gateway: Gateway, api: Client, ada: Member, conversation_id: str
) -> None:
    console, visitor = gateway.connected(ada), gateway.connected(api, SESSION)
    view(console, conversation_id)
    console.take()
    view(visitor, conversation_id)
    visitor.send({"type": "typing", "conversationId": conversation_id})

    assert console.take() == visitor.take() == []


def test_nobody_sees_who_is_in_another_organization(
    gateway: Gateway, ada: Member, other_organization: NewOrganization, conversation_id: str
) -> None:
    mine = gateway.connected(ada)
    foreign = gateway.connected(member(other_organization, "Eve"))
    view(mine, conversation_id)
    mine.take()
    view(foreign, conversation_id)
    foreign.send({"type": "typing", "conversationId": conversation_id})

    assert mine.take() == []


def test_a_ping_is_answered(gateway: Gateway, api: Client) -> None:
    visitor = gateway.connected(api, SESSION)
    visitor.send({"type": "ping"})

    assert visitor.take() == [{"type": "pong"}]


@pytest.mark.parametrize(
    "frame",
    ["", "{", "[]", "null", '"ping"', {"type": 7}, {"type": "viewing", "conversationId": "org#1"},
     {"type": "viewing", "conversationId": ["conv_1"]}, {"type": "typing"}, {"type": "message"}, {}],
)  # fmt: skip
def test_what_cannot_be_read_is_ignored(gateway: Gateway, ada: Member, frame: Any) -> None:
    console = gateway.connected(ada)
    console.send(frame)

    assert console.take() == []
    assert console.is_open


def test_a_connection_that_sends_too_much_is_ended(gateway: Gateway, api: Client) -> None:
    visitor, now = gateway.connected(api, SESSION), clock.now_us()
    with clock.frozen(lambda: now):
        for _ in range(presence.MOST_FRAMES_A_MINUTE):
            visitor.send({"type": "ping"})
        assert visitor.is_open

        visitor.send({"type": "ping"})
    assert not visitor.is_open


@pytest.mark.parametrize("text", ["[" * 100_000, '{"type": ' * 20_000, "\udc80", '{"type": "\\ud800"}'])
def test_a_hostile_frame_is_ignored(gateway: Gateway, ada: Member, text: str) -> None:
    console = gateway.connected(ada)
    console.send(text)
    console.send({"type": "ping"})

    assert console.take() == [{"type": "pong"}]
