"""Visitors' sessions as they are stored."""

from typing import Self

from helpdesk.platform import clock
from helpdesk.platform.record import Record
from helpdesk.storage.table import Item


class Session(Record):
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
