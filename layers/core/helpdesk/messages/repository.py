"""Items of visitors' sessions."""

from helpdesk.messages.record import Session
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction


class SessionChanged(ConditionFailed):
    """Another message of the same session was faster."""

    def session(self, organization: str) -> Session | None:
        """Return the session as that message left it, None if it is gone."""
        return Session.from_item(organization, self.item) if self.item else None


def get(organization: str, session_hash: str) -> Session | None:
    """Return a session, or None before its first message."""
    item = table.get(keys.Session(organization, session_hash))
    return Session.from_item(organization, item) if item else None


def put(transaction: Transaction, session: Session) -> None:
    """Add a new session. The transaction raises SessionChanged if there is one already."""
    transaction.put(
        {**keys.Session(session.organization, session.hash).attributes(), **session.to_item()},
        new=True,
        on_failure=SessionChanged,
    )


def save(transaction: Transaction, before: Session, now: Session) -> None:
    """Write a session's hints if they changed and its conversation is still the one that was read.

    Otherwise the transaction raises SessionChanged. So two messages at once cannot start two conversations, and no
    message makes an older conversation the current one while a newer one is being reopened.
    """
    if before == now:
        return
    unopened = "openings = :openings" if before.openings else "attribute_not_exists(openings)"
    transaction.update(
        keys.Session(before.organization, before.hash),
        "SET conversationId = :current, handledBy = :handledBy, identityFingerprint = :identityFingerprint",
        condition=f"customerId = :customer AND conversationId = :was AND {unopened}",
        values={
            ":current": now.current,
            ":handledBy": now.handled_by,
            ":identityFingerprint": now.identity_fingerprint,
            ":was": before.current,
            ":customer": before.customer_id,
            **({":openings": before.openings} if before.openings else {}),
        },
        on_failure=SessionChanged,
    )


def put_conversation(transaction: Transaction, session: Session, conversation_id: str) -> None:
    """Add a conversation to the session's list."""
    key = keys.SessionConversation(session.organization, session.hash, conversation_id)
    transaction.put({**key.attributes(), "conversationId": conversation_id}, new=True)


def forget_current(transaction: Transaction, session: Session) -> None:
    """Make the session's next message look for its newest open conversation instead of trusting its hint.

    The transaction raises ConditionFailed if the session is gone, or another customer's by now.
    """
    transaction.update(
        keys.Session(session.organization, session.hash),
        "SET conversationId = :none ADD openings :one",
        condition="customerId = :customer",
        values={":none": None, ":one": 1, ":customer": session.customer_id},
        on_failure=ConditionFailed,
    )


def newest_conversations(organization: str, session_hash: str, limit: int) -> list[str]:
    """Return the ids of the session's most recently started conversations, newest first."""
    partition = keys.Session(organization, session_hash).pk
    page = table.query(partition, sk_prefix="CONV#", limit=limit, newest_first=True, consistent=True)
    return [item["conversationId"] for item in page.items]


def delete(
    transaction: Transaction, organization: str, session_hash: str, customer_id: str, seen: Session | None
) -> None:
    """Add a session's removal to a transaction; with `seen` only if its conversation is the same.

    The transaction raises ConditionFailed if the session now belongs to another customer, or is not as seen.
    """
    values: Item = {":customer": customer_id}
    condition = "attribute_not_exists(PK) OR customerId = :customer"
    if seen is not None:
        condition = "customerId = :customer AND conversationId = :seen"
        values[":seen"] = seen.current
    transaction.delete(
        keys.Session(organization, session_hash),
        condition=condition,
        values=values,
        on_failure=ConditionFailed,
    )


def conversation_ids(organization: str, session_hash: str) -> set[str]:
    """Return the ids of all conversations in a session's list."""
    partition = keys.Session(organization, session_hash).pk
    return {str(item["conversationId"]) for item in table.query_all(partition, sk_prefix="CONV#")}


def delete_conversation(
    transaction: Transaction, organization: str, session_hash: str, conversation_id: str
) -> None:
    """Add to a transaction that a conversation is removed from the session's list."""
    transaction.delete(keys.SessionConversation(organization, session_hash, conversation_id))
