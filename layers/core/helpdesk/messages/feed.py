"""What is new in a visitor's thread: GET /messages with `after`, which may wait for it.

An answer holds the session's ten most recent conversations as they are now, each with its messages behind `after`. A
call that waits looks once a second and answers as soon as there is a newer message or a conversation's `status` or
`awaitingHuman` is another than when it began; a change between two calls is in the next one's answer. While one of the
conversations is open a look is one batch read of their items; while none is, a message would begin another, so the
session's list is read first. Messages are read where a conversation has had some.

Ids sort by when a message was begun, and one that met another write of its conversation is tried again for a moment.
So a call that waits gives a message that is younger than that a moment more: whoever was told of it at once would ask
for what is behind it, and never hear of the one before it.
"""

import time
from collections.abc import Sequence

from helpdesk.admission import buckets
from helpdesk.admission.allowance import BucketEmpty
from helpdesk.conversations import service as conversations
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.state import Status
from helpdesk.messages import repository, sessions
from helpdesk.messages.schemas import History
from helpdesk.messages.service import (
    HISTORY_CONVERSATIONS,
    HISTORY_MESSAGES,
    history_room,
    shown_conversation,
)
from helpdesk.platform import clock, deadline, ids
from helpdesk.storage import keys
from helpdesk.storage.table import Item, Throttled

LOOKS_EVERY_MS = 1_000
SETTLES_WITHIN_MS = 500
"""How old a message is when a waiting call tells of it: about as long as it takes one that came second to land."""

WAITS_PER_HOUR, WAITS_BURST = 18_000, 100
"""How many waits an organization may begin: a hundred of 20 s at any time, and twice that for a moment.

A wait holds an execution of the account's concurrency (1,000 at first), which every function shares; without a limit
one organization's widgets would take it from all others' requests and deliveries.
"""

RESERVE_MS = 4_000
"""What a wait leaves of the function's time, for the reads of its answer."""

_WAITS = buckets.Shape.per_hour(WAITS_PER_HOUR, WAITS_BURST)
_CLOCKS_DIFFER_MS = 10_000  # between functions, and between a message's id and the time in its conversation


def news(organization: str, session_token: str, after: str, wait_seconds: int) -> History:
    """Return what is newer than the message `after`, waiting for it up to `wait_seconds`, or less if time is short.

    It does not wait where the organization has begun as many waits as it may: a limit that costs nobody an answer.
    An unknown session has no conversations. Raises InvalidSession.
    """
    session_hash = sessions.hashed(sessions.require_session(session_token))
    waits_until = clock.now_ms() + min(wait_seconds * 1_000, deadline.left_ms() - RESERVE_MS)
    found = _listed(organization, session_hash)
    began = _states(found)
    counts: dict[str, int] = {}
    messages = _newer(found, after, counts)
    if not messages and waits_until > clock.now_ms() and not _may_wait(organization):
        return _answer(found, messages)
    while not messages and _states(found) == began and (left := waits_until - clock.now_ms()) > 0:
        _pause(min(left, LOOKS_EVERY_MS))
        found = _looked_at_again(organization, session_hash, found)
        messages = _newer(found, after, counts)
    if messages and _settling(messages, waits_until):
        _pause(SETTLES_WITHIN_MS)
        found = _listed(organization, session_hash)
        messages = _newer(found, after, {})
    return _answer(found, messages)


def _may_wait(organization: str) -> bool:
    """Take one of the organization's waits; say whether there was one."""
    try:
        buckets.take(keys.OrganizationBucket(organization, "waits"), _WAITS)
    except (BucketEmpty, Throttled):
        return False
    return True


def _listed(organization: str, session_hash: str) -> list[Conversation]:
    started = repository.newest_conversations(organization, session_hash, HISTORY_CONVERSATIONS)
    return conversations.by_ids(organization, started) if started else []


def _looked_at_again(
    organization: str, session_hash: str, before: Sequence[Conversation]
) -> list[Conversation]:
    if any(each.state.status is Status.OPEN and not each.archived for each in before):
        return conversations.by_ids(organization, [each.id for each in before])
    return _listed(organization, session_hash)


def _states(found: Sequence[Conversation]) -> dict[str, tuple[Status, bool]]:
    return {each.id: (each.state.status, each.state.awaiting_human) for each in found}


def _newer(found: Sequence[Conversation], after: str, counts: dict[str, int]) -> dict[str, list[Item]]:
    """Return the messages behind an id by conversation, newest first, of those that have had some since `counts`."""
    earliest = ids.made_at(after) - _CLOCKS_DIFFER_MS
    newer: dict[str, list[Item]] = {}
    for each in found:
        count = int(each.item["messageCount"])
        if each.item["lastMessageAt"] >= earliest and count != counts.get(each.id):
            if messages := conversations.messages_after(each, after, HISTORY_MESSAGES):
                newer[each.id] = messages
            counts[each.id] = count
    return newer


def _settling(messages: dict[str, list[Item]], waits_until: int) -> bool:
    newest = max(ids.made_at(each[0]["id"]) for each in messages.values())
    now = clock.now_ms()
    return now - newest < SETTLES_WITHIN_MS and now + SETTLES_WITHIN_MS <= waits_until


def _answer(found: list[Conversation], messages: dict[str, list[Item]]) -> History:
    newest = sorted(
        (message for each in messages.values() for message in each),
        key=lambda message: str(message["id"]),
        reverse=True,
    )
    kept = {message["id"] for message in newest[: history_room(newest)]}
    found.sort(key=lambda each: int(each.item["lastMessageAt"]), reverse=True)
    return History(
        conversations=[
            shown_conversation(
                each, [message for message in reversed(messages.get(each.id, [])) if message["id"] in kept]
            )
            for each in found
        ]
    )


def _pause(milliseconds: int) -> None:
    time.sleep(milliseconds / 1_000)
