"""Messages of one session at the same moment, and messages racing the team (tests/support/interleaving.py)."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from helpdesk.api.admission.caller import Caller, Person, Role
from helpdesk.conversations import service as conversations
from helpdesk.conversations.messages import service as messages
from helpdesk.conversations.messages.schemas import MessageAccepted, MessageInput
from helpdesk.conversations.state import Transition
from helpdesk.customers.record import Customer
from helpdesk.storage import table
from tests.support import table as whole_table
from tests.support.interleaving import interleaved

ORGANIZATION = "org_1"
MAX = Caller(ORGANIZATION, person=Person("usr_1", "Max", Role.MEMBER))
SEEDS = 6


def message(body: str = "Hello", **user: Any) -> Callable[[], MessageAccepted]:
    fields = {"session": "session-of-a-visitor", "body": body} | ({"user": user} if user else {})
    return partial(messages.post, ORGANIZATION, MessageInput.model_validate(fields))


def move(conversation_id: str, chosen: Transition) -> Callable[[], None]:
    return partial(conversations.transition, MAX, conversation_id, chosen)


def conversations_in_table() -> list[dict[str, Any]]:
    return [item for item in whole_table.of_kind("CONV") if item["SK"] == "CONV"]


@pytest.mark.parametrize("count", [2, 4])
def test_first_messages_at_once_make_one_conversation_and_one_visitor(count: int) -> None:
    for seed in range(SEEDS):
        whole_table.clear()

        accepted = interleaved([message(f"message {number}") for number in range(count)], seed).all()

        assert len({answer.conversation_id for answer in accepted}) == 1
        assert len({answer.message_id for answer in accepted}) == count
        assert len(conversations_in_table()) == 1
        assert len(whole_table.of_kind("CUS")) == 1
        assert len(whole_table.of_kind("SESSION")) == 1
        assert len(whole_table.of_kind("MSG#")) == count
        assert sorted(whole_table.kinds()) == ["conversation.created"] + ["message.created"] * count
        assert len(whole_table.jobs("agent")) == count


def test_first_messages_of_different_sessions_at_once_do_not_meet() -> None:
    pieces = [
        partial(messages.post, ORGANIZATION, MessageInput(session=f"session-{number}", body="Hi"))
        for number in range(4)
    ]

    accepted = interleaved(pieces, 1).all()

    assert len({answer.conversation_id for answer in accepted}) == 4
    assert len(whole_table.of_kind("CUS")) == 4


def test_messages_at_once_after_a_resolved_conversation_start_one_new_one() -> None:
    for seed in range(SEEDS):
        whole_table.clear()
        resolved = message()().conversation_id
        move(resolved, Transition.RESOLVE)()

        accepted = interleaved([message(), message(), message()], seed).all()

        (started,) = {answer.conversation_id for answer in accepted}
        assert started != resolved
        assert len(conversations_in_table()) == 2


@pytest.mark.parametrize("chosen", [Transition.RESOLVE, Transition.TAKE_OVER])
def test_a_message_racing_the_team_lands_in_an_open_conversation_once(chosen: Transition) -> None:
    for seed in range(SEEDS):
        whole_table.clear()
        first = message()().conversation_id
        whole_table.remove("EVENT")

        outcomes = interleaved([message("Wait"), move(first, chosen)], seed)

        outcomes.all()
        answer = outcomes.results[0]
        assert answer is not None
        came_late = outcomes.commits[0] == 1
        lands_elsewhere = came_late and chosen is Transition.RESOLVE
        assert (answer.conversation_id != first) is lands_elsewhere
        [late] = [item for item in whole_table.of_kind("MSG#") if item["body"] == "Wait"]
        assert late["PK"].endswith(answer.conversation_id)
        # The handler at the moment of the write answers the message.
        assert len(whole_table.jobs("agent")) == (0 if came_late and chosen is Transition.TAKE_OVER else 1)
        (event,) = [event for event in whole_table.events() if event["type"] == "message.created"]
        assert event["data"]["conversation"] == {
            "id": answer.conversation_id,
            "status": "open",
            "awaitingHuman": came_late and chosen is Transition.TAKE_OVER,
        }


def test_a_message_racing_a_reopening_leaves_the_session_with_its_newest_open_conversation() -> None:
    for seed in range(SEEDS * 2):
        whole_table.clear()
        older = message()().conversation_id
        move(older, Transition.RESOLVE)()
        newer = message()().conversation_id
        move(newer, Transition.RESOLVE)()
        move(older, Transition.REOPEN)()

        interleaved([message("Which one?"), move(newer, Transition.REOPEN)], seed).all()

        assert message("And now?")().conversation_id == newer, seed


def test_of_two_identities_at_once_one_is_kept_whole_and_the_session_knows_which() -> None:
    for seed in range(SEEDS):
        whole_table.clear()
        message()()

        interleaved([message(name="Vera", email="vera@example.com"), message(name="Wanda")], seed).all()

        (customer,) = whole_table.of_kind("CUS")
        assert customer["name"] in {"Vera", "Wanda"}
        assert customer["email"] == "vera@example.com"
        # The identity that was overwritten is sent again, and must be written again.
        for name in ("Vera", "Wanda"):
            message(name=name)()
            found = table.get(Customer.key_for(ORGANIZATION, customer["id"]))
            assert found is not None
            assert found["name"] == name
