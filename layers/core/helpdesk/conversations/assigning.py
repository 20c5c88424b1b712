"""Whose a conversation is: assigning it to a teammate, or to nobody."""

from helpdesk.admission.caller import Caller
from helpdesk.conversations import repository, thread
from helpdesk.conversations.errors import NotAMember
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.service import retry_on_conflict
from helpdesk.conversations.state import Transition, apply
from helpdesk.members import membership
from helpdesk.platform import clock
from helpdesk.storage.transactions import Transaction


def assign(caller: Caller, conversation_id: str, user_id: str | None) -> None:
    """Assign a conversation to a member of the organization, to nobody with None.

    No event tells of it, a line in the thread tells the team. Raises ConversationNotFound, ConversationArchived,
    NotAMember, also where he leaves at this moment.
    """

    def write(transaction: Transaction, conversation: Conversation) -> None:
        apply(conversation.state, Transition.ASSIGN)
        if conversation.assignee == user_id:
            return
        repository.assign(transaction, conversation, user_id)
        name = None
        if user_id is not None:
            name = membership.name_of(caller.organization, user_id)
            if name is None:
                raise NotAMember
            membership.require(transaction, caller.organization, user_id, lambda _: NotAMember())
        thread.add_system_line(transaction, conversation, _line(caller, user_id, name), clock.now_ms())

    retry_on_conflict(caller.organization, conversation_id, write)


def _line(caller: Caller, user_id: str | None, name: str | None) -> str:
    who = caller.person
    if user_id is None:
        what = "is assigned to nobody any more"
        return f"{who.name} unassigned this conversation." if who else f"This conversation {what}."
    if who is None:
        return f"This conversation was assigned to {name}."
    return f"{who.name} assigned this conversation to {'themselves' if who.id == user_id else name}."
