"""Keys of conversations, their messages and ratings, and of the lists of an inbox. Others import them from `keys`."""

from helpdesk.storage.item_key import ItemKey


class Conversation(ItemKey):
    """A conversation's state."""

    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "CONV"
    organization: str
    conversation_id: str


class Message(ItemKey):
    """A customer-visible message."""

    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "MSG#{message_id}"
    organization: str
    conversation_id: str
    message_id: str


class Note(ItemKey):
    """A note or system line in a thread, seen by the team alone."""

    PK, SK = "ORG#{organization}#CONV#{conversation_id}", "NOTE#{message_id}"
    organization: str
    conversation_id: str
    message_id: str


def inbox(organization: str, inbox_list: str) -> str:
    """Return GSI1's partition of one list of an organization's inbox; sorted by last activity."""
    return f"ORG#{organization}#INBOX#{inbox_list}"


def assigned_conversations(organization: str, user_id: str, assigned_list: str) -> str:
    """Return GSI3's partition of one list of a teammate's conversations; sorted by last activity."""
    return f"ORG#{organization}#ASSIGNED#{user_id}#{assigned_list}"


def customer_conversations(organization: str, customer_id: str) -> str:
    """Return GSI2's partition of one customer's conversations; sorted by start."""
    return f"ORG#{organization}#CUSCONVS#{customer_id}"
