"""Snoozing a conversation until a time, and waking it then: by itself, on time and once.

The conversation holds until when it is snoozed, and a wake requires in its write that this is still so: any number of
reminders wake it once. A visitor's message ends a snooze without knowing of its reminder, so that can be stale, which
does no harm. The reminder is a message of the timer queue, which SQS can delay for 15 minutes at most. So a
snooze that ends sooner is queued at once, through the outbox. A run of the timers function queues a later one when it
ends within 15 minutes or is overdue.
"""

from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from helpdesk.accounts.organizations.service import Actor
from helpdesk.api.admission.caller import Caller
from helpdesk.conversations import service as conversations
from helpdesk.conversations import thread
from helpdesk.conversations.errors import (
    MAX_SNOOZE_MS,
    MIN_SNOOZE_MS,
    BadSnoozeTime,
    ConversationNotFound,
)
from helpdesk.conversations.record import Conversation, Snooze, StaleConversation
from helpdesk.conversations.state import Transition, apply
from helpdesk.events.outbox import Job, JobBody, JobQueue, job_item
from helpdesk.platform import clock
from helpdesk.platform.queues import MAX_HOP_SECONDS, put_back, send_later
from helpdesk.platform.settings import settings
from helpdesk.platform.units import DAY_MS, MINUTE_MS
from helpdesk.storage import shards
from helpdesk.storage.collection import Collection
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

if TYPE_CHECKING:
    from helpdesk.conversations.schemas import SnoozeInput

AHEAD_MS = MAX_HOP_SECONDS * 1_000
"""How far ahead a wake is queued. The timers function runs more often, so no snooze ends unqueued between two runs."""

_PAGE = 100
_KEPT_MS = 7 * DAY_MS  # after its time, in case the timers function stood still; then time to live removes it


_reminders = Collection(Snooze)


class WakeJob(JobBody, tag_field="kind", tag="wake"):
    """A conversation whose snooze ends at `until` (ms)."""

    organization: str
    conversation_id: str
    until: int


class Outcome(StrEnum):
    """The result of a wake, for the log."""

    WOKEN = "woken"
    EARLY = "early"  # it is queued again
    OVER = "over"  # the snooze has ended or was replaced by another
    GONE = "gone"  # the conversation was erased


def snooze(caller: Caller, conversation_id: str, wanted: "SnoozeInput") -> None:
    """Snooze a conversation until a time (ms), or end its snooze with None.

    A resolved conversation opens, which sends conversation.updated. A system line says who did it. Raises
    BadSnoozeTime, ConversationNotFound, ConversationArchived.
    """
    until = _checked(wanted.until)
    chosen = Transition.END_SNOOZE if until is None else Transition.SNOOZE
    who = Actor(caller)

    def write(transaction: Transaction, conversation: Conversation) -> None:
        state = apply(conversation.state, chosen)
        if until == conversation.snoozed_until:
            return
        conversations.write_transition(transaction, conversation, state, snoozed_until=until)
        thread.add_system_line(transaction, conversation, _line(who, until), clock.now_ms(), alone=True)
        if until is not None:
            reminder = Snooze(
                organization=conversation.organization,
                conversation_id=conversation.id,
                until=until,
                expires_at=(until + _KEPT_MS) // 1_000,
            )
            transaction.put(reminder)
            if until - clock.now_ms() <= AHEAD_MS:
                body = WakeJob(conversation.organization, conversation.id, until).to_body()
                job = Job(JobQueue.TIMER, body, due_at=until)
                transaction.put(job_item(conversation.organization, job), new=True)

    conversations.retry_on_conflict(caller.organization, conversation_id, write)


def wake(job: WakeJob) -> Outcome:
    """End a conversation's snooze, unless it is over or not yet due."""
    organization, conversation_id, until = job.organization, job.conversation_id, job.until
    if clock.now_ms() < until:
        put_back(settings().timer_queue_url, organization, job.to_json(), until)
        return Outcome.EARLY
    conversation = conversations.find(organization, conversation_id)

    def attempt() -> Outcome:
        nonlocal conversation
        if conversation is None or conversation.snoozed_until != until:
            _forget(job)
            return Outcome.GONE if conversation is None else Outcome.OVER
        transaction = Transaction()
        state = apply(conversation.state, Transition.END_SNOOZE)
        conversations.write_transition(transaction, conversation, state)
        thread.add_system_line(transaction, conversation, "The snooze is over.", clock.now_ms(), alone=True)
        try:
            transaction.commit()
        except ConversationNotFound:
            conversation = None
            raise
        except StaleConversation as stale:
            conversation = stale.conversation
            raise
        return Outcome.WOKEN

    return repeat_when_stale(attempt, ConversationNotFound, StaleConversation)


def queue_due(deadline: int) -> int:
    """Queue the wakes of snoozes that end within 15 minutes or should have ended; return how many.

    Ends when there are no more, or at the instant `deadline` (ms): the next run continues with the earliest ones.
    """
    before = clock.now_ms() + AHEAD_MS
    queued = 0

    def read(shard: int, after: Item | None) -> tuple[list[Snooze], Item | None]:
        return _reminders.due(shard, before, _PAGE, after, index="GSI1")

    for page in shards.pages(read, clock.now_ms() // MINUTE_MS, deadline):
        jobs = [WakeJob(each.organization, each.conversation_id, each.until) for each in page]
        due = [(job.organization, job.to_json(), job.until) for job in jobs]
        refused = send_later(settings().timer_queue_url, due)
        queued += len(page) - len(refused)
    return queued


def _forget(job: WakeJob) -> None:
    """Remove the reminder of a snooze that is over, unless another snooze has begun since."""
    transaction = Transaction()
    transaction.delete(
        Snooze.key_for(job.organization, job.conversation_id),
        condition="attribute_not_exists(PK) OR #until <= :until",
        names={"#until": "until"},
        values={":until": job.until},
        on_failure=ConditionFailed,
    )
    try:
        transaction.commit()
    except ConditionFailed:
        return


def _checked(until: Any) -> int | None:
    """Return a time to snooze until, or None to end the snooze. Raises BadSnoozeTime."""
    if until is None:
        return None
    if not isinstance(until, int) or isinstance(until, bool):
        raise BadSnoozeTime
    if not MIN_SNOOZE_MS <= until - clock.now_ms() <= MAX_SNOOZE_MS:
        raise BadSnoozeTime
    return until


def _line(who: Actor, until: int | None) -> str:
    if until is None:
        return f"{who.name} ended the snooze."
    when = f"{datetime.fromtimestamp(until / 1_000, UTC):%Y-%m-%d %H:%M} UTC"
    return f"{who.name} snoozed this conversation until {when}."
