"""Items of visitors' sessions."""

from dataclasses import dataclass
from typing import Self

from helpdesk.platform import clock
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction


@dataclass(frozen=True, slots=True)
class Session:
    """A visitor's session.

    `current` hints at its newest open conversation and `handled_by` at who handled that at the last message: the
    conversation's own item decides, and a wrong hint costs a call. `openings` counts how often a resolved conversation
    of the session was reopened, which makes every earlier hint stale. `identity_fingerprint` is the hash of what the
    visitor last said about themselves.
    """

    organization: str
    hash: str
    customer_id: str
    current: str | None
    handled_by: str
    identity_fingerprint: str
    openings: int = 0

    @classmethod
    def from_item(cls, organization: str, item: Item) -> Self:
        """Read a session's item."""
        return cls(
            organization,
            item["hash"],
            item["customerId"],
            item["conversationId"],
            item["handledBy"],
            item["identityFingerprint"],
            item.get("openings", 0),
        )

    def to_item(self) -> Item:
        """Return the attributes of a new session's item, without its keys."""
        return {
            "hash": self.hash,
            "customerId": self.customer_id,
            "conversationId": self.current,
            "handledBy": self.handled_by,
            "identityFingerprint": self.identity_fingerprint,
            "createdAt": clock.now_ms(),
        }


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


def newest_conversations(organization: str, session_hash: str, limit: int) -> list[str]:
    """Return the ids of the session's most recently started conversations, newest first."""
    partition = keys.Session(organization, session_hash).pk
    page = table.query(partition, sk_prefix="CONV#", limit=limit, newest_first=True, consistent=True)
    return [item["conversationId"] for item in page.items]
