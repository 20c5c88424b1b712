"""Visitors' messages: which conversation each goes to, and the history that a visitor reads back.

Specification: Messaging; Limits, Thread history. A message goes to the session's newest open conversation, or starts
one; it never reopens a resolved conversation. Everything that a message changes is one transaction: the session, the
visitor record, the conversation, the message, its events and the agent's job. In an existing conversation that is one
read (the session) and one write, because the session hints at its conversation and the write itself proves the hint.
"""

from collections.abc import Iterable, Sequence
from copy import replace

from helpdesk.api.http.pages import fitting
from helpdesk.conversations import service as conversations
from helpdesk.conversations import thread
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.files import service as files
from helpdesk.conversations.message_record import Message
from helpdesk.conversations.messages import choosing, sessions, visitors
from helpdesk.conversations.messages.schemas import (
    ContextInput,
    History,
    HistoryConversation,
    MessageAccepted,
    MessageInput,
    PageInput,
)
from helpdesk.conversations.messages.visitors import SessionChanged
from helpdesk.conversations.record import (
    BrowserContext,
    Channel,
    Conversation,
    PageInfo,
    Session,
    Snapshot,
    StaleConversation,
)
from helpdesk.conversations.rendering import message_shape
from helpdesk.conversations.schemas import MessageShape
from helpdesk.conversations.state import STARTED, Status
from helpdesk.conversations.thread import VisitorMessage
from helpdesk.customers import service as customers
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.customers.service import Said
from helpdesk.platform import ids
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.transactions import Transaction

HISTORY_MESSAGES = 200
HISTORY_CONVERSATIONS = 10


def post(organization: str, sent: MessageInput) -> MessageAccepted:
    """Write a visitor's message.

    Raises InvalidSession, TooManyAttachments, EmptyMessage, MessageTooLong, AttachmentMissing. Two first messages
    of one session at once make one conversation and one visitor.
    """
    return post_as(organization, sessions.hashed(sessions.require_session(sent.session)), sent)


def post_as(
    organization: str,
    session_hash: str,
    sent: MessageInput,
    *,
    user_is_typed: bool = False,
    channel: Channel = Channel.API,
) -> MessageAccepted:
    """Write the message of a visitor who is known by the hash of their session, as one who is signed in is.

    The session that the message names is not used. With `user_is_typed` its `user` is what the visitor typed, and no
    tool gets the address in it. `channel` is where a conversation begins with it. Raises what `post` raises, except
    InvalidSession.
    """
    named = [(file.id, file.name) for file in sent.attachments or []]
    body = thread.require_body(sent.body, len(named))
    message = VisitorMessage(
        body=body,
        attachments=files.attached(organization, named),
        context=_context(sent.context) if sent.context else None,
        page=_page(sent.page) if sent.page else None,
        channel=channel,
    )
    identity: Said | None = sent.user.said() if sent.user else None
    if identity is not None and user_is_typed:
        identity = customers.typed(identity)
    session = visitors.sessions.find(organization, session_hash)
    target: Snapshot | None = _hinted(session)

    def attempt() -> MessageAccepted:
        nonlocal session, target
        try:
            if session is None:
                return write_first(organization, session_hash, identity, message)
            if target is None:
                target = choosing.newest_open(session)
            return write_next(session, target, identity, message)
        except SessionChanged as changed:
            session = changed.session()
            target = _hinted(session)
            raise
        except StaleConversation as stale:
            now = stale.conversation
            target = now if now.accepts_visitor_messages else None
            raise
        except (ConversationNotFound, CustomerNotFound):
            # Erased since, perhaps with the session; the next session of that token is another customer's.
            session = visitors.sessions.find(organization, session_hash)
            target = None
            raise

    return repeat_when_stale(
        attempt, SessionChanged, StaleConversation, ConversationNotFound, CustomerNotFound
    )


def history(organization: str, session_token: str) -> History:
    """Return a visitor's history: 200 messages across the 10 most recently started conversations.

    The most recently active conversation comes first, and messages within one are oldest first. The messages are read
    in the order of activity, the newest of each conversation first, and what comes after 200 is not read. Fewer are
    returned if 200 would exceed the size of a response. An unknown session has no history. Raises InvalidSession.
    """
    return history_of(organization, sessions.hashed(sessions.require_session(session_token)))


def history_of(organization: str, session_hash: str) -> History:
    """Return the history of a visitor who is known by the hash of their session. As `history` otherwise."""
    session, found = session_with_conversations(organization, session_hash)
    messages: list[Message] = []
    for conversation in found:
        if room := HISTORY_MESSAGES - len(messages):
            messages += conversations.newest_messages(conversation, room)
    kept = messages[: history_room(messages)][::-1]
    visitors.note_seen(session, kept)
    shown = [
        (each, [message for message in kept if message.conversation_id in {each.id, *each.merged_from}])
        for each in conversations.after_messages(found, kept)
    ]
    return History(conversations=[history_conversation(*each) for each in shown if each[1]])


def conversations_of(organization: str, session_hash: str) -> list[Conversation]:
    """Return a visitor's ten most recently started conversations, the most recently active first.

    A merged one stands for the one that it ended in. Two calls, and one more if one was merged.
    """
    return session_with_conversations(organization, session_hash)[1]


def session_with_conversations(
    organization: str, session_hash: str
) -> tuple[Session | None, list[Conversation]]:
    """Return a visitor's session, None if there is none, and what `conversations_of` returns, as it does."""
    session, started = visitors.with_conversations(organization, session_hash, HISTORY_CONVERSATIONS)
    read = conversations.by_ids(organization, ids=started).values()
    found = conversations.where_they_ended(organization, read)
    return session, sorted(found, key=lambda conversation: conversation.last_message_at, reverse=True)


def conversation_of(organization: str, session_hash: str, conversation_id: str) -> Conversation:
    """Return a visitor's conversation, or the one that it ended in. One call, two for a merged one.

    Raises ConversationNotFound, also for one of another visitor.
    """
    found = conversations.get(organization, conversation_id)
    if found.session_hash is None or found.session_hash != session_hash:
        raise ConversationNotFound
    return conversations.where_it_ended(found)


def with_messages(conversation: Conversation) -> tuple[Conversation, list[MessageShape]]:
    """Return a conversation with its newest 200 messages, oldest first, as its visitor sees them.

    One query, one read of the session if the newest is an answer, and one read if there is a message newer than the
    conversation. Raises ConversationNotFound.
    """
    newest = conversations.newest_messages(conversation, HISTORY_MESSAGES)
    kept = newest[: history_room(newest)][::-1]
    if conversation.session_hash is not None and kept and not kept[-1].by_visitor:
        session = visitors.sessions.find(
            conversation.organization, conversation.session_hash, consistent=False
        )
        visitors.note_seen(session, kept)
    now = conversations.after_messages([conversation], kept)
    if not now:
        raise ConversationNotFound
    return now[0], [_shown_in(now[0], message) for message in kept]


def visible_state(conversation: Conversation) -> tuple[Status, bool]:
    """Return the status and `awaitingHuman` that the visitor sees.

    An archived conversation accepts no message of theirs, so it shows as resolved.
    """
    if conversation.archived:
        return Status.RESOLVED, False
    return conversation.state.status, conversation.state.awaiting_human


def history_room(newest_first: Sequence[Message]) -> int:
    """Return how many of these messages a history has room for: 200 (Specification: Limits), or fewer large ones."""
    return fitting([message_shape(message) for message in newest_first[:HISTORY_MESSAGES]])


def history_conversation(conversation: Conversation, messages: Iterable[Message]) -> HistoryConversation:
    """Return a conversation as its visitor sees it, with these of its messages."""
    status, awaiting_human = visible_state(conversation)
    return HistoryConversation.from_record(
        conversation,
        status=status,
        awaiting_human=awaiting_human,
        messages=[_shown_in(conversation, message) for message in messages],
    )


def _shown_in(conversation: Conversation, message: Message) -> MessageShape:
    """Return a message as its visitor sees it: one of a merged conversation belongs to the one that it ended in."""
    return message_shape(replace(message, conversation_id=conversation.id))


def write_first(
    organization: str, session_hash: str, identity: Said | None, message: VisitorMessage
) -> MessageAccepted:
    """Create the visitor with the session and the first conversation."""
    transaction = Transaction()
    customer_id = ids.new("cus")
    conversation_id, message_id = thread.start(transaction, organization, customer_id, session_hash, message)
    visitors.introduce(
        transaction, organization, session_hash, customer_id, identity, conversation_id=conversation_id
    )
    transaction.commit()
    return MessageAccepted(conversation_id=conversation_id, message_id=message_id)


def write_next(
    session: Session, target: Snapshot | None, identity: Said | None, message: VisitorMessage
) -> MessageAccepted:
    """Add to the session's open conversation, or start another."""
    transaction = Transaction()
    if target is None:
        conversation_id, message_id = thread.start(
            transaction, session.organization, session.customer_id, session.hash, message
        )
        visitors.add_conversation(transaction, session, conversation_id)
        handled_by = message.handled_by or STARTED.handled_by
    else:
        conversation_id, handled_by = target.id, target.state.handled_by
        message_id = thread.append(transaction, target, message)
    now = replace(session, current=conversation_id, handled_by=handled_by.value)
    if identity is not None:
        now = replace(now, identity_fingerprint=customers.fingerprint(identity))
        if now.identity_fingerprint != session.identity_fingerprint:
            customers.update(transaction, session.organization, session.customer_id, identity)
    visitors.save(transaction, session, now)
    transaction.commit()
    return MessageAccepted(conversation_id=conversation_id, message_id=message_id)


def _hinted(session: Session | None) -> Snapshot | None:
    """Return the conversation that the session hints at, as far as it is known without reading it."""
    if session is None or session.current is None:
        return None
    return conversations.presumed_open(session.organization, session.current, session.handled_by)


def _page(sent: PageInput) -> PageInfo:
    return PageInfo(sent.url, sent.title, sent.referrer)


def _context(sent: ContextInput) -> BrowserContext:
    return BrowserContext(sent.time_zone, sent.locale, sent.browser, sent.os, sent.screen, sent.device)
