"""What a visitor's rating leaves in a conversation: the stars, which resolution they are of, and a line in the thread.

The item counts its resolutions (`repository.save`), so that each can be told from the one before.
"""

from dataclasses import dataclass

from helpdesk.conversations import repository
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.record import Conversation, StaleConversation
from helpdesk.storage import keys
from helpdesk.storage.transactions import Transaction


@dataclass(frozen=True, slots=True)
class Given:
    """A conversation's latest rating: its id, which resolution it is of, and when it was given (ms)."""

    rating_id: str
    resolution: int
    at: int


def of_session(organization: str, conversation_id: str, session_hash: str) -> Conversation:
    """Return a conversation of a session. Raises ConversationNotFound, also where it is another session's."""
    conversation = repository.get(organization, conversation_id)
    if conversation.item.get("sessionHash") != session_hash:
        raise ConversationNotFound
    return conversation


def resolution(conversation: Conversation) -> int:
    """Return which resolution the conversation had last."""
    return int(conversation.item.get("resolutions", 0))


def given(conversation: Conversation) -> Given | None:
    """Return the conversation's latest rating, None before its first."""
    found = conversation.item.get("rated")
    return Given(found["id"], int(found["resolution"]), int(found["at"])) if found else None


def save(transaction: Transaction, conversation: Conversation, rating: Given, stars: int, note: str) -> None:
    """Write a rating into the conversation that was read, and its line into the thread.

    The transaction raises StaleConversation where the conversation was opened, resolved anew, archived or rated since.
    """
    before = conversation.item
    names = {"#status": "status", "#rated": "rated"}
    conditions = ["#status = :status", "archivedAt = :never"]
    values = {":status": before["status"], ":never": None}
    for name in ("resolutions", "rated"):
        if name in before:
            conditions.append(f"{name} = :was_{name}")
            values[f":was_{name}"] = before[name]
        else:
            conditions.append(f"attribute_not_exists({name})")
    transaction.update(
        keys.Conversation(conversation.organization, conversation.id),
        "SET rating = :stars, #rated = :rated",
        condition=" AND ".join(conditions),
        names=names,
        values={
            **values,
            ":stars": stars,
            ":rated": {
                "id": rating.rating_id,
                "resolution": rating.resolution,
                "at": rating.at,
                "stars": stars,
            },
        },
        on_failure=StaleConversation,
    )
    _put_line(transaction, conversation, rating, stars, note)


def _put_line(
    transaction: Transaction, conversation: Conversation, rating: Given, stars: int, note: str
) -> None:
    """Write the line that tells the team, over the one of the same rating where it is changed."""
    line_id = "msg_" + rating.rating_id.partition("_")[2]
    text = f"The visitor rated this conversation {stars} of 5 stars"
    transaction.put(
        {
            **keys.Note(conversation.organization, conversation.id, line_id).attributes(),
            "id": line_id,
            "conversationId": conversation.id,
            "createdAt": rating.at,
            "kind": "system",
            "sender": "agent",
            "agent": None,
            "body": f"{text}: {note}" if note else f"{text}.",
            "attachments": [],
            "ratingId": rating.rating_id,
            "stars": stars,
            "note": note,
        }
    )
