"""Visitors by their sessions: the items of sessions and of their lists of conversations, for every noun."""

from collections.abc import Iterable

from helpdesk.conversations import change
from helpdesk.conversations.message_record import Message
from helpdesk.conversations.record import Session, SessionConversation
from helpdesk.conversations.state import STARTED
from helpdesk.customers import service as customers
from helpdesk.customers.service import Said
from helpdesk.storage import table
from helpdesk.storage.changes import below
from helpdesk.storage.collection import Collection
from helpdesk.storage.table import ConditionFailed, Throttled
from helpdesk.storage.transactions import Transaction

sessions = Collection(Session)
_started = Collection(SessionConversation)


class SessionChanged(ConditionFailed):
    """Another message of the same session was faster."""

    def session(self) -> Session | None:
        """Return the session as that message left it, None if it is gone."""
        return Session.from_item(self.item) if self.item else None


def introduce(
    transaction: Transaction,
    organization: str,
    session_hash: str,
    customer_id: str,
    said: Said | None = None,
    conversation_id: str | None = None,
) -> None:
    """Add the session of a new visitor, and their customer record, to a transaction.

    `said` is what is known about them. With a `conversation_id` they start it now. Otherwise their first message starts
    a conversation of this customer. The transaction raises SessionChanged if the session exists, so that two first
    requests of one session make one customer.
    """
    session = Session(
        organization=organization,
        hash=session_hash,
        customer_id=customer_id,
        current=conversation_id,
        handled_by=STARTED.handled_by.value,
        identity_fingerprint=customers.fingerprint(said),
    )
    transaction.put(session, new=True, on_failure=SessionChanged)
    if conversation_id is not None:
        add_conversation(transaction, session, conversation_id)
    customers.create(transaction, organization, customer_id, session_hash, said)


def save(transaction: Transaction, before: Session, now: Session) -> None:
    """Write a session's hints if they changed and its conversation is still the one that was read.

    Otherwise the transaction raises SessionChanged. So two messages at once cannot start two conversations, and no
    message makes an older conversation the current one while a newer one is being reopened.
    """
    if before != now:
        as_read = {
            "customer_id": before.customer_id,
            "current": before.current,
            "openings": before.openings or below(1),
        }
        transaction.save(before, now, require=as_read, on_failure=SessionChanged)


def newest_conversations(organization: str, session_hash: str, limit: int) -> list[str]:
    """Return the IDs of a session's most recently started conversations, newest first."""
    page = _started.page(organization, session_hash, limit=limit, newest_first=True, consistent=True)
    return [each.conversation_id for each in page.records]


def with_conversations(organization: str, session_hash: str, limit: int) -> tuple[Session | None, list[str]]:
    """Return a session, and the IDs of its most recently started conversations, newest first. One call."""
    session, first = Session.key_for(organization, session_hash), SessionConversation.sk_prefix()
    # The session's own item sorts behind its list.
    page = table.query(
        session.pk, sk_between=(first, session.sk), limit=limit + 1, newest_first=True, consistent=True
    )
    has_own = bool(page.items) and table.key_of(page.items[0])[1] == session.sk
    listed = page.items[1:] if has_own else page.items[:limit]
    return (
        Session.from_item(page.items[0]) if has_own else None,
        [SessionConversation.from_item(item).conversation_id for item in listed],
    )


def note_seen(session: Session | None, fetched: Iterable[Message]) -> None:
    """Note the newest message from the organization that the visitor fetched. One write for a new one.

    A visitor reads what they fetched, even if this can't be written: then it may be mailed to them, too.
    """
    newest = max((message.id for message in fetched if not message.by_visitor), default="")
    if session is None or newest <= (session.seen or ""):
        return
    try:
        table.change(
            session.key,
            set={"seen": newest},
            require={"customer_id": session.customer_id, "seen": below(newest)},
        )
    except (ConditionFailed, Throttled):
        return


def conversation_ids(organization: str, session_hash: str) -> set[str]:
    """Return the IDs of all conversations in a session's list, read consistently."""
    return {each.conversation_id for each in _started.all(organization, session_hash)}


def add_conversation(transaction: Transaction, session: Session, conversation_id: str) -> None:
    """Add a conversation to a session's list."""
    listed = SessionConversation(
        organization=session.organization, session_hash=session.hash, conversation_id=conversation_id
    )
    transaction.put(listed, new=True)


def move_conversation(
    transaction: Transaction, before_hash: str, after: Session, conversation_id: str
) -> None:
    """Add to a transaction that a conversation is in the list of another session.

    It can be the newest open one there (docs/decisions/0110). The transaction raises SessionGone, for the other one.
    """
    transaction.delete(SessionConversation.key_for(after.organization, before_hash, conversation_id))
    add_conversation(transaction, after, conversation_id)
    change.forget_current(transaction, after.organization, after.hash, after.customer_id)


def delete_session(
    transaction: Transaction,
    organization: str,
    customer_id: str,
    session_hash: str,
    seen: Session | None = None,
) -> None:
    """Add the removal of a customer's session to a transaction. The next message in it creates another customer.

    With `seen` the session's conversation must be the same. The transaction raises ConditionFailed otherwise, or if the
    session now belongs to another customer.
    """
    key = Session.key_for(organization, session_hash)
    if seen is not None:
        require = {"customer_id": customer_id, "current": seen.current}
        transaction.delete(key, require=require, on_failure=ConditionFailed)
    else:
        transaction.delete(
            key,
            condition="attribute_not_exists(PK) OR customerId = :customer",
            values={":customer": customer_id},
            on_failure=ConditionFailed,
        )


def close_session(organization: str, session_hash: str, customer_id: str) -> None:
    """Remove a customer's session: who has its token is a new visitor. Nothing happens if it is another's by now."""
    transaction = Transaction()
    delete_session(transaction, organization, customer_id, session_hash)
    try:
        transaction.commit()
    except ConditionFailed:
        return
