"""Assigning a conversation to a member, to a team, or to both."""

from collections.abc import Mapping
from copy import replace

from helpdesk.accounts.members import membership
from helpdesk.accounts.organizations.service import Actor
from helpdesk.accounts.teams import service as teams
from helpdesk.accounts.teams.errors import TeamNotFound
from helpdesk.api.admission.caller import Caller
from helpdesk.conversations import thread
from helpdesk.conversations.errors import NotAMember
from helpdesk.conversations.record import Conversation, StaleConversation
from helpdesk.conversations.service import retry_on_conflict
from helpdesk.conversations.state import Transition, apply
from helpdesk.platform import clock
from helpdesk.platform.errors import InvalidRequest
from helpdesk.storage.transactions import Transaction


def assign(caller: Caller, conversation_id: str, wanted: Mapping[str, str | None]) -> None:
    """Assign a conversation to a member (`user_id`) or a team (`team_id`), or to none with None.

    What `wanted` leaves out stays. Adds a system line to the thread, which says who did it, and sends no event. Raises
    InvalidRequest, ConversationNotFound, ConversationArchived, TeamNotFound, NotAMember (also if the member leaves at
    this moment).
    """
    if not wanted:
        raise InvalidRequest("Send `userId`, `teamId` or both. Null removes the assignment.")
    who = Actor(caller)

    def write(transaction: Transaction, conversation: Conversation) -> None:
        apply(conversation.state, Transition.ASSIGN)
        user_id = wanted.get("user_id", conversation.assignee)
        team_id = wanted.get("team_id", conversation.team)
        if (user_id, team_id) == (conversation.assignee, conversation.team):
            return
        to_self = conversation.assigned_to_self
        said = []
        if user_id != conversation.assignee:
            to_self = (user_id == who.person_id) or None
            said.append(_to_member(transaction, who, caller.organization, user_id))
        if team_id != conversation.team:
            said.append(_to_team(who, caller.organization, team_id))
        transaction.save(
            conversation,
            replace(conversation, assignee=user_id, assigned_to_self=to_self, team=team_id),
            require={
                "assignee": conversation.assignee,
                "team": conversation.team,
                "status": conversation.status,
                "archived_at": None,
            },
            on_failure=StaleConversation,
        )
        thread.add_system_line(transaction, conversation, " ".join(said), clock.now_ms(), alone=True)

    retry_on_conflict(caller.organization, conversation_id, write)


def _to_member(transaction: Transaction, who: Actor, organization: str, user_id: str | None) -> str:
    """Require that the assignee is a member; return the line that names them."""
    if user_id is None:
        return f"{who.name} unassigned this conversation."
    name = membership.name_of(organization, user_id)
    if name is None:
        raise NotAMember
    membership.require(transaction, organization, user_id, lambda _: NotAMember())
    return f"{who.name} assigned this conversation to {'themselves' if who.person_id == user_id else name}."


def _to_team(who: Actor, organization: str, team_id: str | None) -> str:
    """Return the line that names the team."""
    if team_id is None:
        return f"{who.name} removed this conversation from its team."
    name = teams.names_of(organization, [team_id]).get(team_id)
    if name is None:
        raise TeamNotFound
    return f'{who.name} assigned this conversation to the team "{name}".'
