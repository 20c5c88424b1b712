"""Writing in a thread: what each entry consists of, and the events it sends (Specification: Events, Event kinds).

Each function adds to a transaction. The state in an event is the state after the change, and all events of one change
have the same time.
"""

from collections.abc import Mapping
from copy import replace
from typing import Any

from helpdesk.conversations import repository
from helpdesk.conversations.change import Change, NewMessage, newest_unchanged
from helpdesk.conversations.errors import (
    MAX_ATTACHMENTS,
    MAX_BODY_CHARACTERS,
    EmptyMessage,
    MessageTooLong,
    TooManyAttachments,
)
from helpdesk.conversations.files.service import NO_ATTACHMENTS, Attachments
from helpdesk.conversations.jobs import UnreadJob, answer_job, images_job
from helpdesk.conversations.message_record import (
    AnswerSource,
    Author,
    EntryKind,
    FoundPage,
    IncomingMail,
    Message,
    Note,
)
from helpdesk.conversations.record import (
    BrowserContext,
    Channel,
    Conversation,
    PageInfo,
    Snapshot,
)
from helpdesk.conversations.state import (
    STARTED,
    Handler,
    Speaker,
    State,
    Status,
    Visibility,
    state_data,
)
from helpdesk.events.kinds import WebhookEvent
from helpdesk.events.outbox import LINE, Event, Job, job_item
from helpdesk.platform import clock, ids
from helpdesk.platform.record import Record
from helpdesk.platform.text import as_name, is_blank, trimmed
from helpdesk.search import jobs as search
from helpdesk.storage.transactions import Transaction

_SUBJECT_CHARACTERS = 80


class VisitorMessage(Record):
    """A visitor's message, ready to be written. `context` is None if none was sent.

    `channel` and `subject` are of a conversation that it begins; without a subject, that is the beginning of the
    message. `received` is the mail that it came in. `handled_by` is who handles the conversation from now on, None if
    that stays as it is. `archived` begins an archived conversation. `lines` are what the team reads with the message.
    """

    body: str
    attachments: Attachments
    context: BrowserContext | None = None
    page: PageInfo | None = None
    channel: Channel = Channel.API
    subject: str = ""
    received: IncomingMail | None = None
    handled_by: Handler | None = None
    archived: bool = False
    lines: tuple[str, ...] = ()


class OutgoingMessage(Record):
    """A message from the organization's side, ready to be written: a teammate's or the agent's.

    A `notice` is one that the organization sends unasked: it answers nothing, and the conversation may be resolved.
    """

    author: Author
    body: str
    attachments: Attachments = NO_ATTACHMENTS
    sources: tuple[AnswerSource, ...] = ()
    tokens_in: int | None = None
    tokens_out: int | None = None
    notice: bool = False
    choices: tuple[FoundPage, ...] = ()


def by_teammate(
    name: str, body: str, attachments: Attachments = NO_ATTACHMENTS, *, notice: bool = False
) -> OutgoingMessage:
    """Return a teammate's message."""
    return OutgoingMessage(Author("human", name), body, attachments, notice=notice)


def require_body(text: str, attachments: int) -> str:
    """Return a message's text, trimmed (Specification: Limits, Size and count limits).

    A text without a visible character counts as empty. Raises TooManyAttachments, EmptyMessage or MessageTooLong.
    """
    if attachments > MAX_ATTACHMENTS:
        raise TooManyAttachments
    body = "" if is_blank(text) else trimmed(text)
    if not body and attachments == 0:
        raise EmptyMessage
    if len(body) > MAX_BODY_CHARACTERS:
        raise MessageTooLong
    return body


def start(
    transaction: Transaction,
    organization: str,
    customer_id: str,
    session_hash: str | None,
    message: VisitorMessage,
) -> tuple[str, str]:
    """Add a new conversation with its first message; return both ids.

    Sends conversation.created, then message.created; the agent starts answering if it handles the conversation.
    """
    message_id = ids.new("msg")
    state = replace(
        STARTED,
        handled_by=message.handled_by or STARTED.handled_by,
        visibility=Visibility.ARCHIVED if message.archived else STARTED.visibility,
    )
    conversation = _started(organization, customer_id, session_hash, message, message_id, state)
    _put_started(transaction, conversation)
    _add_visitor_message(transaction, conversation, message_id, message, state, conversation.started_at)
    return conversation.id, message_id


def start_by_team(
    transaction: Transaction,
    organization: str,
    customer_id: str,
    session_hash: str | None,
    message: OutgoingMessage,
) -> tuple[str, str]:
    """Add a new conversation that the team starts with a customer; return its id and the id of its message.

    The team handles it. Sends conversation.created, then message.created.
    """
    state = State(Status.OPEN, Handler.TEAM, Speaker.TEAMMATE)
    first = VisitorMessage(message.body, message.attachments)
    message_id = ids.new("msg")
    conversation = _started(organization, customer_id, session_hash, first, message_id, state)
    _put_started(transaction, conversation)
    put_outgoing(transaction, conversation, state, NewMessage(message_id, conversation.started_at), message)
    return conversation.id, message_id


def append(transaction: Transaction, conversation: Snapshot, message: VisitorMessage) -> str:
    """Add a visitor's message to an open conversation, which ends its snooze; return its id.

    The transaction can raise StaleConversation. The reminder of the snooze stays: this write does not know of it.
    """
    new, before = new_message(conversation), conversation.state
    state = State(before.status, message.handled_by or before.handled_by, Speaker.VISITOR)
    change = Change(before=conversation, state=state, message=new, context=message.context, ends_snooze=True)
    repository.save(transaction, change)
    return _add_visitor_message(transaction, conversation, new.id, message, state, new.at)


def append_by_team(
    transaction: Transaction,
    conversation: Snapshot,
    state: State,
    message: OutgoingMessage,
    jobs: tuple[Job, ...] = (),
    *,
    only_if_newest: bool = False,
) -> str:
    """Add a teammate's message to an open conversation and write the state after it; return the message's ID.

    Sends message.created alone, with the jobs that follow from it. The transaction can raise StaleConversation; with
    `only_if_newest` also if anyone has written since.
    """
    new = new_message(conversation, notice=message.notice)
    # This answers what the visitor has written so far: an agent that is preparing an answer drops it.
    answered_up_to = None if message.notice else new.id
    change = Change(before=conversation, state=state, message=new, answered_up_to=answered_up_to)
    repository.save(transaction, change, newest_unchanged(conversation) if only_if_newest else {})
    put_outgoing(transaction, conversation, state, new, message, jobs)
    return new.id


def append_by_agent(
    transaction: Transaction, change: Change, message: OutgoingMessage, further: Mapping[str, Any]
) -> int:
    """Add the agent's message to a change, which requires `further` by field, too; return when it is written (ms).

    Sends message.created alone. The transaction can raise StaleConversation.
    """
    new = new_message(change.before)
    repository.save(transaction, replace(change, message=new), further)
    put_outgoing(transaction, change.before, change.state, new, message)
    return new.at


def new_message(conversation: Snapshot, *, notice: bool = False) -> NewMessage:
    """Return a new customer-visible message, whose ID sorts after those that the conversation is known to have."""
    return NewMessage(ids.new_after("msg", conversation.newest_message_id), clock.now_ms(), notice)


def put_outgoing(
    transaction: Transaction,
    conversation: Snapshot,
    state: State,
    new: NewMessage,
    written: OutgoingMessage,
    jobs: tuple[Job, ...] = (),
) -> None:
    """Add the entry of a message from the organization's side and its message.created event."""
    message = Message(
        organization=conversation.organization,
        id=new.id,
        conversation_id=conversation.id,
        created_at=new.at,
        sender="agent",
        author=written.author,
        body=written.body,
        attachments=written.attachments.shown,
        sources=written.sources,
        tokens_in=written.tokens_in,
        tokens_out=written.tokens_out,
        notice=written.notice,
        choices=written.choices,
    )
    written.attachments.keep(transaction, conversation.organization, message.id)
    if conversation.channel is Channel.EMAIL:
        mailed = UnreadJob(conversation.organization, conversation.id, message.id, new.at)
        jobs = (*jobs, mailed.to_job())
    _add_message(transaction, message, state, jobs)


def add_system_line(
    transaction: Transaction,
    conversation: Snapshot,
    text: str,
    now: int,
    *,
    alone: bool = False,
    found: tuple[FoundPage, ...] = (),
) -> Note:
    """Add a line that only the team sees and that sends no event; return it.

    A line that is `alone`, in a change that sends no event either, reaches those who follow the thread by itself. A
    line about a hand-off has the pages that the agent `found`.
    """
    line = Note(
        organization=conversation.organization,
        conversation_id=conversation.id,
        id=ids.new("msg"),
        created_at=now,
        sender="agent",
        body=text,
        kind=EntryKind.SYSTEM,
        entity=LINE if alone else None,
        found=found,
    )
    transaction.put(line, new=True)
    return line


def add_updated(
    transaction: Transaction,
    conversation: Snapshot,
    state: State,
    now: int,
    unanswered: str | None = None,
    jobs: tuple[Job, ...] = (),
) -> None:
    """Add the conversation.updated event of a transition, with the jobs that follow from it.

    `unanswered` is the visitor's message that waits for the agent, if the transition hands the conversation to it.
    """
    if unanswered is not None:
        jobs = (*jobs, answer_job(conversation.organization, conversation.id, unanswered))
    event = Event.new(
        conversation.organization,
        WebhookEvent.CONVERSATION_UPDATED,
        {"conversation": state_data(conversation.id, state)},
        now,
        jobs,
    )
    event.add_to(transaction)


def add_agent_job(transaction: Transaction, conversation: Snapshot, unanswered: str) -> None:
    """Let the agent answer a visitor's message after a transition that sends no event."""
    job = answer_job(conversation.organization, conversation.id, unanswered)
    transaction.put(job_item(conversation.organization, job), new=True)


def _started(
    organization: str,
    customer_id: str,
    session_hash: str | None,
    first: VisitorMessage,
    message_id: str,
    state: State,
) -> Conversation:
    """Return a conversation as it is with its first message."""
    conversation_id, now = ids.new("conv"), clock.now_ms()
    return Conversation(
        organization=organization,
        id=conversation_id,
        status=state.status,
        handled_by=state.handled_by,
        last_speaker=state.last_speaker,
        customer_id=customer_id,
        session_hash=session_hash,
        subject=as_name(first.subject, _SUBJECT_CHARACTERS) or _subject(first),
        channel=first.channel,
        page=first.page,
        context=first.context,
        started_at=now,
        last_message_at=now,
        archived_at=now if state.visibility is Visibility.ARCHIVED else None,
        newest_message_id=message_id,
        team_answered=state.last_speaker is Speaker.TEAMMATE or None,
        newest_visitor_message_id=message_id if state.last_speaker is Speaker.VISITOR else None,
        unanswered_since=now if state.last_speaker is Speaker.VISITOR else None,
    )


def _put_started(transaction: Transaction, conversation: Conversation) -> None:
    transaction.put(conversation, new=True)
    created = Event.new(
        conversation.organization,
        WebhookEvent.CONVERSATION_CREATED,
        {"conversation": state_data(conversation.id, conversation.state)},
        conversation.started_at,
    )
    created.add_to(transaction)


def _subject(message: VisitorMessage) -> str:
    """Return the title that the team sees: the first line with visible text, or the first file's name."""
    lines = (as_name(line, _SUBJECT_CHARACTERS) for line in message.body.splitlines())
    subject = next(filter(None, lines), "")
    if not subject and message.attachments.shown:
        subject = as_name(message.attachments.shown[0].name, _SUBJECT_CHARACTERS)
    return subject


def _add_visitor_message(
    transaction: Transaction,
    conversation: Snapshot,
    message_id: str,
    written: VisitorMessage,
    state: State,
    now: int,
) -> str:
    organization = conversation.organization
    message = Message(
        organization=organization,
        id=message_id,
        conversation_id=conversation.id,
        created_at=now,
        sender="visitor",
        body=written.body,
        attachments=written.attachments.shown,
        received=written.received,
    )
    if written.received is not None:
        repository.put_mail_entry(transaction, message, written.received)
    written.attachments.keep(transaction, organization, message_id)
    for text in written.lines:
        add_system_line(transaction, conversation, text, now)
    jobs: tuple[Job, ...] = ()
    if state.handled_by is Handler.AGENT:
        jobs = (answer_job(organization, conversation.id, message_id),)
    if any(file.type.startswith("image/") for file in message.attachments):
        jobs = (*jobs, images_job(organization, conversation.id))
    _add_message(transaction, message, state, jobs)
    return message_id


def _add_message(transaction: Transaction, message: Message, state: State, jobs: tuple[Job, ...]) -> None:
    """Add a customer-visible message and its event. The message keeps the event's id, so that one erases both."""
    data = {"conversation": state_data(message.conversation_id, state), "message": message.event_data()}
    found_by = search.message(message.organization, message.conversation_id, message.id)
    event = Event.new(
        message.organization, WebhookEvent.MESSAGE_CREATED, data, message.created_at, (*jobs, found_by)
    )
    transaction.put(replace(message, event_id=event.id), new=True)
    event.add_to(transaction)
