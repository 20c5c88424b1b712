"""New messages in a visitor's thread: GET /messages with `after`.

A response holds the session's ten most recent conversations as they are now, each with its messages after `after`. So a
change between two calls is in the next response. Messages are read only for a conversation that has new ones.
"""

from collections.abc import Sequence

from helpdesk.conversations import service as conversations
from helpdesk.conversations.message_record import Message
from helpdesk.conversations.messages import sessions, visitors
from helpdesk.conversations.messages.schemas import History
from helpdesk.conversations.messages.service import (
    HISTORY_MESSAGES,
    history_conversation,
    history_room,
    session_with_conversations,
)
from helpdesk.conversations.record import Conversation
from helpdesk.platform import ids

_CLOCKS_DIFFER_MS = 10_000  # between functions, and between a message's id and the time in its conversation


def news(organization: str, session_token: str, after: str) -> History:
    """Return what is newer than the message `after`. An unknown session has no conversations. Raises InvalidSession."""
    session_hash = sessions.hashed(sessions.require_session(session_token))
    session, found = session_with_conversations(organization, session_hash)
    messages = _newer(found, after)
    visitors.note_seen(session, [each[0] for each in messages.values()])
    return _answer(found, messages)


def _newer(found: Sequence[Conversation], after: str) -> dict[str, list[Message]]:
    """Return the messages after an id by conversation, newest first.

    Conversations are read in the order of activity, up to 200 messages in all.
    """
    earliest = ids.made_at(after) - _CLOCKS_DIFFER_MS
    newer: dict[str, list[Message]] = {}
    room = HISTORY_MESSAGES
    for each in sorted(found, key=lambda one: one.last_message_at, reverse=True):
        if (
            room
            and each.last_message_at >= earliest
            and (messages := conversations.messages_after(each, after, room))
        ):
            newer[each.id] = messages
            room -= len(messages)
    return newer


def _answer(found: list[Conversation], messages: dict[str, list[Message]]) -> History:
    newest = sorted(
        (message for each in messages.values() for message in each),
        key=lambda message: message.id,
        reverse=True,
    )
    kept = {message.id for message in newest[: history_room(newest)]}
    found = conversations.after_messages(found, newest)
    found.sort(key=lambda each: each.last_message_at, reverse=True)
    return History(
        conversations=[
            history_conversation(
                each, [message for message in reversed(messages.get(each.id, [])) if message.id in kept]
            )
            for each in found
        ]
    )
