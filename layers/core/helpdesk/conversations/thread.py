"""Writing in a thread: who may add what, and the events that tell of it (Specification: Events, Event kinds).

Each function adds to a transaction or commits one of its own; the state that an event carries is the state after
the change, and all events of one change have the same time.
"""

from dataclasses import dataclass
from typing import Literal

from helpdesk.conversations import repository
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.rendering import message_data, state_data
from helpdesk.conversations.state import STARTED, Handler, Speaker, State, Status
from helpdesk.events.kinds import WebhookEvent
from helpdesk.events.outbox import Event, Job, JobQueue, job_item
from helpdesk.files.service import Attachments
from helpdesk.platform import clock, ids
from helpdesk.search import jobs as search
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction

_SUBJECT_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class VisitorMessage:
    """A visitor's message, ready to be written. `context` is None when none was sent."""

    body: str
    attachments: Attachments
    context: Item | None
    page: Item | None


def start(
    transaction: Transaction, organization: str, customer_id: str, session_hash: str, message: VisitorMessage
) -> tuple[str, str]:
    """Add a new conversation with its first message; return both ids.

    Sends conversation.created, then message.created; the agent starts answering.
    """
    conversation_id, message_id, now = ids.new("conv"), ids.new("msg"), clock.now_ms()
    _put_started(transaction, organization, conversation_id, customer_id, session_hash, message, STARTED, now)
    _add_visitor_message(transaction, organization, conversation_id, message_id, message, STARTED, now)
    return conversation_id, message_id


def append(transaction: Transaction, conversation: Conversation, message: VisitorMessage) -> str:
    """Add a visitor's message to an open conversation, which ends its snooze; return its id.

    The transaction can raise StaleConversation. The reminder of the snooze stays: this write does not know of it.
    """
    message_id, now = ids.new("msg"), clock.now_ms()
    before = conversation.state
    state = State(before.status, before.handled_by, Speaker.VISITOR)
    values: Item = {"snoozedUntil": None}
    if message.context is not None:
        values["context"] = message.context
    repository.save(transaction, conversation, state, message_at=now, values=values)
    _add_visitor_message(
        transaction, conversation.organization, conversation.id, message_id, message, state, now
    )
    return message_id


def add_agent_message(
    transaction: Transaction,
    conversation: Conversation,
    state: State,
    *,
    message_id: str | None = None,
    kind: Literal["ai", "human"],
    name: str,
    body: str,
    attachments: Attachments,
    now: int,
) -> str:
    """Add a message from the organization's side and its message.created event; return its id."""
    message: Item = {
        "id": message_id or ids.new("msg"),
        "conversationId": conversation.id,
        "createdAt": now,
        "sender": "agent",
        "agent": {"kind": kind, "name": name, "avatarUrl": None},
        "body": body,
        "attachments": attachments.shown,
    }
    attachments.keep(transaction, conversation.organization, message["id"])
    _add_message(transaction, conversation.organization, message, state, now, ())
    return str(message["id"])


def add_note(
    transaction: Transaction,
    conversation: Conversation,
    *,
    name: str,
    body: str,
    attachments: Attachments,
    now: int,
) -> str:
    """Add a teammate's note, which only the team sees; no event tells of it. Return its id."""
    note_id = ids.new("msg")
    attachments.keep(transaction, conversation.organization, note_id)
    author = {"kind": "human", "name": name, "avatarUrl": None}
    _put_for_the_team(transaction, conversation, note_id, "note", author, body, attachments.shown, now)
    search.put(transaction, search.note(conversation.organization, conversation.id, note_id))
    return note_id


def add_system_line(transaction: Transaction, conversation: Conversation, text: str, now: int) -> None:
    """Add a line that only the team sees; no event tells of it."""
    _put_for_the_team(transaction, conversation, ids.new("msg"), "system", None, text, [], now)


def add_updated(
    transaction: Transaction,
    conversation: Conversation,
    state: State,
    now: int,
    unanswered: str | None = None,
) -> None:
    """Add the conversation.updated event of a move.

    `unanswered` is the visitor's message that waits for the agent, where the move puts the agent to work.
    """
    jobs: tuple[Job, ...] = ()
    if unanswered is not None:
        # Not deduplicated by the message: a job for it may have come, and gone, while the agent had to be silent.
        jobs = (_answer_job(conversation.organization, conversation.id, unanswered, ids.new("job")),)
    event = Event(
        conversation.organization,
        WebhookEvent.CONVERSATION_UPDATED,
        {"conversation": state_data(conversation.id, state)},
        now,
        jobs,
    )
    event.add_to(transaction)


def add_work_for_the_agent(transaction: Transaction, conversation: Conversation, unanswered: str) -> None:
    """Put the agent to work on a visitor's message, where a move does that of which no event tells."""
    job = _answer_job(conversation.organization, conversation.id, unanswered, ids.new("job"))
    transaction.put(job_item(conversation.organization, job), new=True)


def _put_for_the_team(
    transaction: Transaction,
    conversation: Conversation,
    entry_id: str,
    kind: Literal["note", "system"],
    author: Item | None,
    text: str,
    attachments: list[Item],
    now: int,
) -> None:
    entry: Item = {
        "id": entry_id,
        "conversationId": conversation.id,
        "createdAt": now,
        "kind": kind,
        "sender": "agent",
        "agent": author,
        "body": text,
        "attachments": attachments,
    }
    repository.put_note(transaction, conversation.organization, entry)


def _add_visitor_message(
    transaction: Transaction,
    organization: str,
    conversation_id: str,
    message_id: str,
    written: VisitorMessage,
    state: State,
    now: int,
) -> None:
    message = {
        "id": message_id,
        "conversationId": conversation_id,
        "createdAt": now,
        "sender": "visitor",
        "agent": None,
        "body": written.body,
        "attachments": written.attachments.shown,
    }
    written.attachments.keep(transaction, organization, message_id)
    jobs: tuple[Job, ...] = ()
    if state.handled_by is Handler.AGENT:
        jobs = (_answer_job(organization, conversation_id, message_id, message_id),)
    _add_message(transaction, organization, message, state, now, jobs)


def _answer_job(organization: str, conversation_id: str, message_id: str, deduplication: str) -> Job:
    work = {"organization": organization, "conversationId": conversation_id, "messageId": message_id}
    return Job(JobQueue.AGENT, conversation_id, deduplication, work)


def _add_message(
    transaction: Transaction, organization: str, message: Item, state: State, now: int, jobs: tuple[Job, ...]
) -> None:
    """Add a customer-visible message and its event, whose id it keeps: whoever erases the one finds the other."""
    data = {
        "conversation": state_data(message["conversationId"], state),
        "message": message_data(message),
    }
    found_by = search.message(organization, message["conversationId"], message["id"])
    event = Event(organization, WebhookEvent.MESSAGE_CREATED, data, now, (*jobs, found_by))
    repository.put_message(transaction, organization, {**message, "eventId": event.id})
    event.add_to(transaction)


def _subject(message: VisitorMessage) -> str:
    """Return what the team sees as the conversation's title: the first line that says something."""
    line = next((line.strip() for line in message.body.splitlines() if line.strip()), "")
    if not line and message.attachments.shown:
        line = str(message.attachments.shown[0]["name"])
    return line[:_SUBJECT_CHARACTERS]


def start_outreach(
    transaction: Transaction,
    organization: str,
    customer_id: str,
    session_hash: str | None,
    *,
    name: str,
    body: str,
    attachments: Attachments,
) -> tuple[str, str]:
    """Add a new conversation that the team starts with a customer; return its id and that of its message.

    The team handles it. Sends conversation.created, then message.created.
    """
    conversation_id, now = ids.new("conv"), clock.now_ms()
    state = State(Status.OPEN, Handler.TEAM, Speaker.TEAMMATE)
    written = VisitorMessage(body, attachments, None, None)
    _put_started(transaction, organization, conversation_id, customer_id, session_hash, written, state, now)
    conversation = Conversation({"id": conversation_id, "organization": organization})
    message_id = add_agent_message(
        transaction,
        conversation,
        state,
        kind="human",
        name=name,
        body=body,
        attachments=attachments,
        now=now,
    )
    return conversation_id, message_id


def _put_started(
    transaction: Transaction,
    organization: str,
    conversation_id: str,
    customer_id: str,
    session_hash: str | None,
    first: VisitorMessage,
    state: State,
    now: int,
) -> None:
    """Add a conversation as it is with its first message, and the event that tells of it."""
    repository.put(
        transaction,
        organization,
        {
            "id": conversation_id,
            "customerId": customer_id,
            "sessionHash": session_hash,
            "subject": _subject(first),
            "status": state.status.value,
            "handledBy": state.handled_by.value,
            "lastSpeaker": state.last_speaker.value,
            "assignee": None,
            "page": first.page,
            "context": first.context,
            "startedAt": now,
            "lastMessageAt": now,
            "messageCount": 1,
            "snoozedUntil": None,
            "archivedAt": None,
            "rating": None,
        },
    )
    created = Event(
        organization,
        WebhookEvent.CONVERSATION_CREATED,
        {"conversation": state_data(conversation_id, state)},
        now,
    )
    created.add_to(transaction)
