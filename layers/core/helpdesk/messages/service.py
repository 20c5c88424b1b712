"""Where a visitor's message goes, and what a visitor reads back (Specification: Messaging; Limits, Thread history).

A message goes to the session's newest open conversation, else it starts one; a resolved conversation is not
reopened by a visitor. Everything that a message changes is one transaction: the session, the visitor record, the
conversation, the message, its events and the agent's job. In an existing conversation that is one read (the
session) and one write, because the session holds a hint at its conversation which the write itself proves.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from helpdesk.conversations import service as conversations
from helpdesk.conversations import thread
from helpdesk.conversations.content import require_body
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.record import Conversation, StaleConversation
from helpdesk.conversations.rendering import message_shape
from helpdesk.conversations.state import STARTED, Status
from helpdesk.conversations.thread import VisitorMessage
from helpdesk.customers import service as customers
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.customers.schemas import Identity
from helpdesk.files import service as files
from helpdesk.http.pages import fitting
from helpdesk.messages import repository, sessions
from helpdesk.messages.repository import Session, SessionChanged
from helpdesk.messages.schemas import History, HistoryConversation, MessageAccepted, MessageInput
from helpdesk.platform import ids
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Conflict, Transaction

HISTORY_MESSAGES = 200
HISTORY_CONVERSATIONS = 10
_TRIES = 8
_SEARCHED_FOR_OPEN = 50  # the session's most recently started conversations


def post(organization: str, sent: MessageInput) -> MessageAccepted:
    """Take a visitor's message.

    Raises InvalidSession, TooManyAttachments, EmptyMessage, MessageTooLong, AttachmentMissing. Two first messages
    of one session at once make one conversation and one visitor.
    """
    session_hash = sessions.hashed(sessions.require_session(sent.session))
    named = [(file.id, file.name) for file in sent.attachments or []]
    body = require_body(sent.body, len(named))
    message = VisitorMessage(
        body=body,
        attachments=files.attached(organization, named),
        context=sent.context.model_dump(by_alias=True) if sent.context else None,
        page=sent.page.model_dump(by_alias=True) if sent.page else None,
    )
    identity = Identity.model_validate(sent.user.model_dump()) if sent.user else None
    session = repository.get(organization, session_hash)
    target = _hinted(session)
    for _ in range(_TRIES):
        try:
            if session is None:
                return _first(organization, session_hash, identity, message)
            if target is None:
                target = newest_open(session)
            return _next(session, target, identity, message)
        except SessionChanged as changed:
            session = changed.session(organization)
            target = _hinted(session)
        except StaleConversation as stale:
            now = stale.conversation
            target = now if now.state.status is Status.OPEN and not now.archived else None
        except (ConversationNotFound, CustomerNotFound):
            # Erased since, perhaps with the session, which then begins anew as another customer's.
            session = repository.get(organization, session_hash)
            target = None
    raise Conflict


def history(organization: str, session_token: str) -> History:
    """Return what a visitor may read back: 200 messages across the 10 most recently started conversations.

    The most recently active conversation comes first, messages within one are oldest first, and the oldest
    messages are left out, more of them where 200 would outgrow an answer. An unknown session has no history. Raises
    InvalidSession.
    """
    session_hash = sessions.hashed(sessions.require_session(session_token))
    started = repository.newest_conversations(organization, session_hash, HISTORY_CONVERSATIONS)
    found = conversations.by_ids(organization, started)
    found.sort(key=lambda conversation: int(conversation.item["lastMessageAt"]), reverse=True)
    messages = [
        (conversation.id, message)
        for conversation in found
        for message in conversations.newest_messages(conversation, HISTORY_MESSAGES)
    ]
    messages.sort(key=lambda pair: (pair[1]["createdAt"], pair[1]["id"]), reverse=True)
    kept = messages[: history_room([message for _, message in messages])][::-1]
    owners = {owner for owner, _ in kept}
    return History(
        conversations=[
            shown_conversation(conversation, [message for owner, message in kept if owner == conversation.id])
            for conversation in found
            if conversation.id in owners
        ]
    )


def history_room(newest_first: Sequence[Item]) -> int:
    """Return how many of these messages a history shows: 200 (Specification: Limits), as far as they fit an answer."""
    return fitting([message_shape(message) for message in newest_first[:HISTORY_MESSAGES]])


def shown_conversation(conversation: Conversation, messages: Iterable[Item]) -> HistoryConversation:
    """Return a conversation for its visitor, with these of its messages."""
    return HistoryConversation(
        id=conversation.id,
        status=conversation.state.status,
        awaiting_human=conversation.state.awaiting_human,
        started_at=conversation.item["startedAt"],
        messages=[message_shape(message) for message in messages],
    )


def _first(
    organization: str, session_hash: str, identity: Identity | None, message: VisitorMessage
) -> MessageAccepted:
    """Create the visitor with the session and the first conversation."""
    transaction = Transaction()
    customer_id = ids.new("cus")
    conversation_id, message_id = thread.start(transaction, organization, customer_id, session_hash, message)
    session = Session(
        organization=organization,
        hash=session_hash,
        customer_id=customer_id,
        current=conversation_id,
        handled_by=STARTED.handled_by.value,
        told=customers.fingerprint(identity),
    )
    repository.put(transaction, session)
    repository.put_conversation(transaction, session, conversation_id)
    customers.create(transaction, organization, customer_id, session_hash, identity)
    transaction.commit()
    return MessageAccepted(conversation_id=conversation_id, message_id=message_id)


def _next(
    session: Session, target: Conversation | None, identity: Identity | None, message: VisitorMessage
) -> MessageAccepted:
    """Add to the session's open conversation, or start another."""
    transaction = Transaction()
    if target is None:
        conversation_id, message_id = thread.start(
            transaction, session.organization, session.customer_id, session.hash, message
        )
        repository.put_conversation(transaction, session, conversation_id)
        handled_by = STARTED.handled_by
    else:
        conversation_id, handled_by = target.id, target.state.handled_by
        message_id = thread.append(transaction, target, message)
    now = replace(session, current=conversation_id, handled_by=handled_by.value)
    if identity is not None:
        now = replace(now, told=customers.fingerprint(identity))
        if now.told != session.told:
            customers.learn(transaction, session.organization, session.customer_id, identity)
    repository.save(transaction, session, now)
    transaction.commit()
    return MessageAccepted(conversation_id=conversation_id, message_id=message_id)


def _hinted(session: Session | None) -> Conversation | None:
    """Return the conversation that the session hints at, as far as it can be known without reading it."""
    if session is None or session.current is None:
        return None
    return conversations.presumed_open(session.organization, session.current, session.handled_by)


def newest_open(session: Session) -> Conversation | None:
    """Return the newest open conversation of a session that is not archived. Two calls, none of an index."""
    started = repository.newest_conversations(session.organization, session.hash, _SEARCHED_FOR_OPEN)
    found = conversations.by_ids(session.organization, started)
    # Of the customer who wrote in the session before, and is being erased, there may be some left.
    own = [one for one in found if one.item["customerId"] == session.customer_id]
    return next((one for one in own if one.state.status is Status.OPEN and not one.archived), None)
