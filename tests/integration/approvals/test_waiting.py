"""Conversations in which calls of tools wait: their number, and the lists of the inbox that have them."""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import product
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.caller import Caller
from helpdesk.conversations import service as conversations
from helpdesk.conversations.record import Conversation, InboxList, StaleConversation, inbox_list
from helpdesk.conversations.state import Transition
from helpdesk.platform.errors import AppError
from helpdesk.tools.approvals import expiry, service
from helpdesk.tools.approvals.record import Approval
from helpdesk.tools.approvals.schemas import ApprovalDecision
from tests.support import table as everything
from tests.support.api import Client
from tests.support.approvals import ask, conversation_of
from tests.support.between import TRANSACTIONS, before_call
from tests.support.conversations import waiting_place
from tests.support.dying import Died, dying


def shown(api: Client, conversation_id: str) -> dict[str, Any]:
    found: dict[str, Any] = api.get(f"/v1/conversations/{conversation_id}").body["conversation"]
    return found


def listed(api: Client, parameters: str) -> set[str]:
    answer = api.get(f"/v1/conversations?{parameters}")
    assert answer.status == 200, answer
    return {each["id"] for each in answer.body["conversations"]}


def require_right() -> list[Conversation]:
    """Require that each conversation has the number of its approvals that wait, and is in the list that follows."""
    items = everything.everything()
    waiting = Counter(
        item["conversationId"]
        for item in items
        if item["SK"].startswith("APPROVAL#") and item.get("status") == "pending"
    )
    found = [(item, Conversation.from_item(item)) for item in items if item["SK"] == "CONV"]
    for item, each in found:
        assert each.waiting_approvals == waiting[each.id]
        which = inbox_list(each.state, approvals=each.waiting_approvals > 0)
        assert item["GSI1PK"].endswith(f"#INBOX#{which.value}"), (item["GSI1PK"], each)
        assert waiting_place(item) == each.index_entry("GSI4"), each
        assert (each.waiting_since is not None) == (which is InboxList.WAITING)
    return [each for _, each in found]


def test_a_conversation_whose_call_waits_for_a_person_is_in_the_list_of_what_waits(
    api: Client, organization: NewOrganization
) -> None:
    conversation = conversation_of(api, organization.organization_id)
    api.post(f"/v1/conversations/{conversation.id}/assign", {"userId": organization.owner_id})
    before = shown(api, conversation.id)
    first, second = ask(conversation), ask(conversations.get(conversation.organization, conversation.id))
    lists = (
        "awaitingHuman=true",
        f"awaitingHuman=true&assignee={organization.owner_id}",
        f"awaitingHuman=true&customerId={conversation.customer_id}",
    )

    assert before["pendingApprovals"] == 0
    assert (
        shown(api, conversation.id)["pendingApprovals"],
        shown(api, conversation.id)["awaitingHuman"],
    ) == (2, False)
    assert [listed(api, each) for each in lists] == [{conversation.id}] * 3
    assert [listed(api, each.replace("true", "false")) for each in lists] == [set()] * 3
    api.post(f"/v1/approvals/{first.id}/approve")
    assert shown(api, conversation.id)["pendingApprovals"] == 1
    assert listed(api, lists[0]) == {conversation.id}
    api.post(f"/v1/approvals/{second.id}/deny")
    assert shown(api, conversation.id)["pendingApprovals"] == 0
    assert [listed(api, each) for each in lists] == [set()] * 3
    assert [listed(api, each.replace("true", "false")) for each in lists] == [{conversation.id}] * 3


def test_an_event_about_a_conversation_has_the_fields_of_the_specification_alone(
    api: Client, organization: NewOrganization
) -> None:
    conversation = conversation_of(api, organization.organization_id)
    ask(conversation)
    api.post(f"/v1/conversations/{conversation.id}/take-over")

    assert {frozenset(each["data"]["conversation"]) for each in everything.events()} == {
        frozenset({"id", "status", "awaitingHuman"})
    }


def test_a_resolved_conversation_has_no_call_that_waits(api: Client, organization: NewOrganization) -> None:
    conversation = conversation_of(api, organization.organization_id)
    ask(conversation)
    api.post(f"/v1/conversations/{conversation.id}/resolve")

    assert shown(api, conversation.id)["pendingApprovals"] == 0  # also before the job has ended it
    assert listed(api, "awaitingHuman=true") == set()


class World:
    """A conversation, with an approval that waits or without, and what may happen to both."""

    def __init__(
        self, api: Client, organization: NewOrganization, session: str, *, of_team: bool, asked: bool
    ) -> None:
        self.api, self.session = api, session
        self.caller = Caller(organization.organization_id, key_id="key_1")
        self.id = conversation_of(api, organization.organization_id, session).id
        self.approval = ask(self._now()) if asked else None
        if of_team:
            self.moves(Transition.TAKE_OVER)

    def _now(self) -> Conversation:
        return conversations.get(self.caller.organization, self.id)

    def asks(self) -> None:
        """Let the agent ask for another approval."""
        with suppress(StaleConversation, AppError):
            ask(self._now())

    def approves(self) -> None:
        """Approve the call."""
        assert self.approval is not None
        with suppress(AppError):
            service.approve(self.caller, self.approval.id, ApprovalDecision())

    def expires(self) -> None:
        """Let the approval expire."""
        assert self.approval is not None
        expiry.expire(self.approval, expiry.Cause.TIME)

    def moves(self, transition: Transition) -> None:
        """Resolve it, reopen it and so on."""
        with suppress(AppError):
            conversations.transition(self.caller, self.id, transition)

    def replies(self) -> None:
        """Let a teammate write."""
        self.api.post(f"/v1/conversations/{self.id}/reply", {"body": "One moment."})

    def writes(self) -> None:
        """Let the visitor write."""
        self.api.post("/v1/messages", {"session": self.session, "body": "And?"})


_OF_APPROVALS: list[Callable[[World], None]] = [World.asks, World.approves, World.expires]
_OF_STATES: list[Callable[[World], None]] = [
    World.replies,
    World.writes,
    *(
        partial(World.moves, transition=each)
        for each in (
            Transition.RESOLVE,
            Transition.REOPEN,
            Transition.TAKE_OVER,
            Transition.HAND_BACK,
            Transition.ARCHIVE,
            Transition.UNARCHIVE,
        )
    ),
]


@pytest.mark.parametrize("of_team", [False, True])
@pytest.mark.parametrize("asked", [False, True])
def test_the_number_and_the_list_are_right_whatever_happens_before_a_write(
    api: Client, organization: NewOrganization, of_team: bool, asked: bool
) -> None:
    pairs = list(product(_OF_APPROVALS if asked else [World.asks], _OF_STATES))
    for number, (one, other) in enumerate([*pairs, *((other, one) for one, other in pairs)]):
        world = World(api, organization, f"session-{number}", of_team=of_team, asked=asked)
        with before_call(TRANSACTIONS, 0, partial(other, world)):
            one(world)
    waits = {each.id for each in require_right() if each.waits_for_team and not each.archived}
    assert listed(api, "awaitingHuman=true&limit=200") == waits


def test_the_number_and_the_lists_are_right_wherever_the_process_dies(
    api: Client, organization: NewOrganization
) -> None:
    caller, session = Caller(organization.organization_id, key_id="key_1"), iter(range(1_000))

    def approves(approval: Approval) -> None:
        service.approve(caller, approval.id, ApprovalDecision())

    def expires(approval: Approval) -> None:
        expiry.expire(approval, expiry.Cause.ENDPOINT_REMOVED)

    for work in (approves, expires):
        asked = ask(conversation_of(api, organization.organization_id, f"session-{next(session)}"))
        with dying(None) as moments:
            work(asked)
        for at in range(moments.passed):
            asked = ask(conversation_of(api, organization.organization_id, f"session-{next(session)}"))
            with pytest.raises(Died), dying(at):
                work(asked)
            require_right()
            with suppress(AppError):
                work(asked)
            require_right()
