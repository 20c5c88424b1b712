"""In which lists a conversation stands, and where in them.

The inbox is four lists in GSI1, so that what a team works from is one query whatever lies behind it: conversations
that wait for a person, other open ones, resolved ones, archived ones. An assigned conversation stands in one of its
teammate's three lists in GSI3, too. Both are sorted by the latest message.
"""

from enum import StrEnum

from helpdesk.conversations.state import State, Status
from helpdesk.storage import keys
from helpdesk.storage.table import Item


class InboxList(StrEnum):
    """The lists of the inbox. A conversation stands in exactly one of them."""

    WAITING = "waiting"
    """Open, and the visitor waits for a person (awaitingHuman)."""
    OPEN = "open"
    """Open, and nobody waits for a person."""
    RESOLVED = "resolved"
    ARCHIVED = "archived"


class AssignedList(StrEnum):
    """The lists of one teammate's conversations.

    The open ones are one list: a visitor's message, which is written without knowing the assignee, moves a
    conversation between waiting and not, and must not have to move it here.
    """

    OPEN = "open"
    RESOLVED = "resolved"
    ARCHIVED = "archived"


ERASED = "erased"
"""A list beside those of the inbox: conversations that are being erased, where the eraser finds them again."""


def inbox_list(state: State, *, archived: bool) -> InboxList:
    """Return the list of the inbox that a conversation in this state stands in."""
    if archived:
        return InboxList.ARCHIVED
    if state.status is Status.RESOLVED:
        return InboxList.RESOLVED
    return InboxList.WAITING if state.awaiting_human else InboxList.OPEN


def assigned_list(state: State, *, archived: bool) -> AssignedList:
    """Return the list of its assignee that a conversation in this state stands in."""
    if archived:
        return AssignedList.ARCHIVED
    return AssignedList.RESOLVED if state.status is Status.RESOLVED else AssignedList.OPEN


def inbox(organization: str, state: State, *, archived: bool = False) -> Item:
    """Return the attribute that places a conversation in the inbox."""
    return {"GSI1PK": keys.inbox(organization, inbox_list(state, archived=archived).value)}


def assigned(organization: str, assignee: str, state: State, *, archived: bool = False) -> Item:
    """Return the attribute that places a conversation among its assignee's."""
    which = assigned_list(state, archived=archived)
    return {"GSI3PK": keys.assigned_conversations(organization, assignee, which.value)}


def activity(at_ms: int, conversation_id: str) -> str:
    """Return where in its lists a conversation stands: by its latest message."""
    return f"{at_ms:013d}#{conversation_id}"


def latest(at_ms: int, conversation_id: str) -> Item:
    """Return the attributes that sort a conversation in its lists; one without an assignee is in none of GSI3."""
    place = activity(at_ms, conversation_id)
    return {"GSI1SK": place, "GSI3SK": place}
