"""Items of visitors' sessions."""

from helpdesk.conversations.session_record import Session, SessionConversation
from helpdesk.storage.changes import below
from helpdesk.storage.collection import Collection
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

sessions = Collection(Session)
started = Collection(SessionConversation)


class SessionChanged(ConditionFailed):
    """Another message of the same session was faster."""

    def session(self) -> Session | None:
        """Return the session as that message left it, None if it is gone."""
        return Session.from_item(self.item) if self.item else None


def save(transaction: Transaction, before: Session, now: Session) -> None:
    """Write a session's hints if they changed and its conversation is still the one that was read.

    Otherwise the transaction raises SessionChanged. So two messages at once cannot start two conversations, and no
    message makes an older conversation the current one while a newer one is being reopened.
    """
    if before == now:
        return
    transaction.change(
        before.key,
        set={
            "current": now.current,
            "handled_by": now.handled_by,
            "identity_fingerprint": now.identity_fingerprint,
        },
        require={
            "customer_id": before.customer_id,
            "current": before.current,
            "openings": before.openings or below(1),
        },
        on_failure=SessionChanged,
    )


def put_conversation(transaction: Transaction, session: Session, conversation_id: str) -> None:
    """Add a conversation to the session's list."""
    transaction.put(
        SessionConversation(
            organization=session.organization, session_hash=session.hash, conversation_id=conversation_id
        ),
        new=True,
    )


def newest_conversations(organization: str, session_hash: str, limit: int) -> list[str]:
    """Return the IDs of the session's most recently started conversations, newest first."""
    page = started.page(organization, session_hash, limit=limit, newest_first=True, consistent=True)
    return [each.conversation_id for each in page.records]


def delete(
    transaction: Transaction, organization: str, session_hash: str, customer_id: str, seen: Session | None
) -> None:
    """Add a session's removal to a transaction; with `seen` only if its conversation is the same.

    The transaction raises ConditionFailed if the session now belongs to another customer, or is not as seen.
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


def conversation_ids(organization: str, session_hash: str) -> set[str]:
    """Return the IDs of all conversations in a session's list."""
    return {each.conversation_id for each in started.all(organization, session_hash)}


def delete_conversation(
    transaction: Transaction, organization: str, session_hash: str, conversation_id: str
) -> None:
    """Add to a transaction that a conversation is removed from the session's list."""
    transaction.delete(SessionConversation.key_for(organization, session_hash, conversation_id))
