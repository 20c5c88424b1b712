"""How visitors sign in, and their sessions as they are stored. Times are milliseconds since 1970."""

from enum import StrEnum
from typing import Self

from helpdesk.platform.record import Record
from helpdesk.storage.table import Item


class SignInMethod(StrEnum):
    """How visitors of the help site sign in."""

    MEDIAN = "median"
    """An account of the service itself: a code by mail."""
    APP = "app"
    """A route in the customer's app."""
    OIDC = "oidc"
    """An OpenID Connect provider."""


class SessionRecord(Record):
    """A browser in which a visitor is signed in. It holds no name and no address: the customer's record has them."""

    customer_id: str
    visitor_hash: str
    epoch: int
    valid_until: int

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a session's item."""
        return cls(item["customerId"], item["visitorHash"], item["epoch"], item["validUntil"])

    def to_item(self) -> Item:
        """Return the attributes of the item, without its keys."""
        return {
            "customerId": self.customer_id,
            "visitorHash": self.visitor_hash,
            "epoch": self.epoch,
            "validUntil": self.valid_until,
        }
