"""Snoozing a conversation until a time, and waking it then: by itself, on time and once.

The conversation holds until when it is snoozed, and a wake requires in its write that this still is so: whoever reminds
of it, however often, wakes it once. What reminds is a message of the timer queue, which SQS holds back for 15 minutes
at most. So a snooze that ends sooner is queued at once, by the outbox; any other when a run of the timers function
finds that it ends within 15 minutes, or that it should have ended and did not.
"""

import json
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from helpdesk.admission.caller import Caller
from helpdesk.conversations import answering, snooze_repository, thread
from helpdesk.conversations.errors import MAX_SNOOZE_MS, MIN_SNOOZE_MS, BadSnoozeTime, ConversationNotFound
from helpdesk.conversations.record import Conversation, StaleConversation
from helpdesk.conversations.schemas import SnoozeInput
from helpdesk.conversations.service import retry_on_conflict, write_transition
from helpdesk.conversations.state import Transition, apply
from helpdesk.events.outbox import Job, JobQueue, job_item
from helpdesk.platform import clock
from helpdesk.platform.delays import MAX_HOP_SECONDS, hop_delay_seconds
from helpdesk.platform.queues import send_all
from helpdesk.platform.settings import settings
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage import shards
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Conflict, Transaction

if TYPE_CHECKING:
    from mypy_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

WAKE = "wake"
"""The kind of the timer queue's messages that wake a conversation."""

AHEAD_MS = MAX_HOP_SECONDS * 1_000
"""How far ahead a wake is queued. The timekeeper runs more often, so none comes between two runs."""

_PAGE = 100
_TRIES = 8


class NotQueued(Exception):
    """The timer queue refused a message; the one that it was to follow is tried again."""


class Outcome(StrEnum):
    """What became of a wake."""

    WOKEN = "woken"
    EARLY = "early"  # it is sent on
    OVER = "over"  # that snooze was ended, or is another by now
    GONE = "gone"  # the conversation is not there any more


def snooze(caller: Caller, conversation_id: str, wanted: SnoozeInput) -> None:
    """Snooze a conversation until a time (ms), or end its snooze with None.

    A settled one opens, which sends conversation.updated; the rest is the team's own business, told by a line in its
    thread. Raises BadSnoozeTime, ConversationNotFound, ConversationArchived.
    """
    until = _checked(wanted.until)
    chosen = Transition.END_SNOOZE if until is None else Transition.SNOOZE

    def write(transaction: Transaction, conversation: Conversation) -> None:
        state = apply(conversation.state, chosen)
        if until == conversation.snoozed_until:
            return
        write_transition(transaction, conversation, state, values={"snoozedUntil": until})
        thread.add_system_line(transaction, conversation, _line(caller, until), clock.now_ms())
        if until is not None:
            snooze_repository.put(transaction, conversation, until)
            if until - clock.now_ms() <= AHEAD_MS:
                body = _body(conversation.organization, conversation.id, until)
                job = Job(JobQueue.TIMER, conversation.organization, "", body, due_at=until)
                transaction.put(job_item(conversation.organization, job), new=True)

    retry_on_conflict(caller.organization, conversation_id, write)


def wake(organization: str, conversation_id: str, until: int) -> Outcome:
    """Take a conversation out of the snooze that ends at `until` (ms), unless that is over or not yet due."""
    if clock.now_ms() < until:
        if send_all(settings().timer_queue_url, [_message(organization, conversation_id, until)]):
            raise NotQueued
        return Outcome.EARLY
    conversation = answering.find(organization, conversation_id)
    for _ in range(_TRIES):
        if conversation is None or conversation.snoozed_until != until:
            snooze_repository.forget_stale(organization, conversation_id, until)
            return Outcome.GONE if conversation is None else Outcome.OVER
        transaction = Transaction()
        write_transition(transaction, conversation, apply(conversation.state, Transition.END_SNOOZE))
        thread.add_system_line(transaction, conversation, "The snooze is over.", clock.now_ms())
        try:
            transaction.commit()
        except ConversationNotFound:
            conversation = None
        except StaleConversation as stale:
            conversation = stale.conversation
        else:
            return Outcome.WOKEN
    raise Conflict


def queue_due(deadline: int) -> int:
    """Queue the wakes of what ends within 15 minutes or should have ended; return how many.

    Ends where there is no more, or at the instant `deadline` (ms): the next run goes on with what is due the earliest.
    """
    before = clock.now_ms() + AHEAD_MS
    queued = 0

    def read(shard: int, after: Item | None) -> tuple[list[Item], Item | None]:
        page = snooze_repository.due(shard, before, _PAGE, after)
        return page.items, page.after

    for page in shards.pages(read, clock.now_ms() // MINUTE_MS, deadline):
        refused = send_all(
            settings().timer_queue_url,
            [_message(item["organization"], item["conversationId"], item["until"]) for item in page],
        )
        queued += len(page) - len(refused)
    return queued


def _body(organization: str, conversation_id: str, until: int) -> dict[str, Any]:
    return {"kind": WAKE, "organization": organization, "conversationId": conversation_id, "until": until}


def _message(organization: str, conversation_id: str, until: int) -> "SendMessageBatchRequestEntryTypeDef":
    return {
        "Id": "",
        "MessageBody": json.dumps(_body(organization, conversation_id, until), separators=(",", ":")),
        "MessageGroupId": organization,
        "DelaySeconds": hop_delay_seconds(until, clock.now_ms()),
    }


def _checked(until: Any) -> int | None:
    """Return a time to snooze until, None for ending the snooze. Raises BadSnoozeTime."""
    if until is None:
        return None
    if not isinstance(until, int) or isinstance(until, bool):
        raise BadSnoozeTime
    if not MIN_SNOOZE_MS <= until - clock.now_ms() <= MAX_SNOOZE_MS:
        raise BadSnoozeTime
    return until


def _line(caller: Caller, until: int | None) -> str:
    if until is None:
        return f"{caller.person.name} ended the snooze." if caller.person else "The snooze was ended."
    when = f"until {datetime.fromtimestamp(until / 1_000, UTC):%Y-%m-%d %H:%M} UTC"
    if caller.person is None:
        return f"This conversation was snoozed {when}."
    return f"{caller.person.name} snoozed this conversation {when}."
