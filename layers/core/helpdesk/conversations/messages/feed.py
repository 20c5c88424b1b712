"""New messages in a visitor's thread: GET /messages with `after`, which can wait for them.

A response holds the session's ten most recent conversations as they are now, each with its messages after `after`. A
call that waits looks once a second, and returns as soon as there is a newer message or the `status` or `awaitingHuman`
of a conversation differs from when the call began. A change between two calls is in the next response. While one of the
conversations is open, each look is one batch read of their items. While none is open, a message would start another
one, so the session's list is read first. Messages are read only for a conversation that has new ones.

Ids sort by when a message was begun, and a message that conflicts with another write of its conversation is tried again
for a moment. So a waiting call that finds a younger message waits a moment longer. A client that got it at once would
continue after it, and would never see a message with an earlier id that was written later.
"""

import time
from collections.abc import Sequence

from helpdesk.api.admission import waits
from helpdesk.api.admission.limits import Tier
from helpdesk.conversations import service as conversations
from helpdesk.conversations.message_record import Message
from helpdesk.conversations.messages import sessions, visitors
from helpdesk.conversations.messages.schemas import History
from helpdesk.conversations.messages.service import (
    HISTORY_MESSAGES,
    history_conversation,
    history_room,
    session_with_conversations,
    visible_state,
)
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.state import Status
from helpdesk.platform import clock, deadline, ids

LOOKS_EVERY_MS = 1_000
ORDER_FINAL_AFTER_MS = 500
"""The age at which a waiting call returns a message: about as long as a message that was tried again takes."""

RESERVE_MS = 2_000
"""How much of the function's time a wait leaves for the reads of its response."""

_CLOCKS_DIFFER_MS = 10_000  # between functions, and between a message's id and the time in its conversation


def news(organization: str, tier: Tier, session_token: str, after: str, wait_seconds: int) -> History:
    """Return what is newer than the message `after`, waiting for it up to `wait_seconds`, or less if time is short.

    It returns at once while too many others wait (`admission.waits`). An unknown session has no conversations. Raises
    InvalidSession.
    """
    session_hash = sessions.hashed(sessions.require_session(session_token))
    waits_until = clock.now_ms() + min(wait_seconds * 1_000, (deadline.left_ms() or 0) - RESERVE_MS)
    session, found = session_with_conversations(organization, session_hash)
    began = _states(found)
    counts: dict[str, int] = {}
    messages = _newer(found, after, counts)
    if not messages and (wanted := waits_until - clock.now_ms()) > 0:
        with waits.waiting(organization, tier, wanted) as granted:
            waits_until = clock.now_ms() + granted
            while not messages and _states(found) == began and (left := waits_until - clock.now_ms()) > 0:
                _pause(min(left, LOOKS_EVERY_MS))
                found = _reread(organization, session_hash, found)
                messages = _newer(found, after, counts)
    if messages and _order_may_change(messages, waits_until):
        _pause(ORDER_FINAL_AFTER_MS)
        session, found = session_with_conversations(organization, session_hash)
        messages = _newer(found, after, {})
    visitors.note_seen(session, [each[0] for each in messages.values()])
    return _answer(found, messages)


def _reread(organization: str, session_hash: str, before: Sequence[Conversation]) -> list[Conversation]:
    if any(each.state.status is Status.OPEN and not each.archived for each in before):
        return list(conversations.by_ids(organization, ids=[each.id for each in before]).values())
    return session_with_conversations(organization, session_hash)[1]


def _states(found: Sequence[Conversation]) -> dict[str, tuple[Status, bool]]:
    return {each.id: visible_state(each) for each in found}


def _newer(found: Sequence[Conversation], after: str, counts: dict[str, int]) -> dict[str, list[Message]]:
    """Return the messages after an id by conversation, newest first, for conversations with more than `counts`.

    Conversations are read in the order of activity, up to 200 messages in all.
    """
    earliest = ids.made_at(after) - _CLOCKS_DIFFER_MS
    newer: dict[str, list[Message]] = {}
    room = HISTORY_MESSAGES
    for each in sorted(found, key=lambda one: one.last_message_at, reverse=True):
        count = each.message_count
        if room and each.last_message_at >= earliest and count != counts.get(each.id):
            if messages := conversations.messages_after(each, after, room):
                newer[each.id] = messages
                room -= len(messages)
            counts[each.id] = count
    return newer


def _order_may_change(messages: dict[str, list[Message]], waits_until: int) -> bool:
    newest = max(ids.made_at(each[0].id) for each in messages.values())
    now = clock.now_ms()
    return now - newest < ORDER_FINAL_AFTER_MS and now + ORDER_FINAL_AFTER_MS <= waits_until


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


def _pause(milliseconds: int) -> None:
    time.sleep(milliseconds / 1_000)
