"""A sign-in that waits for its code, as it is stored."""

from typing import Self

from helpdesk.platform.record import Record
from helpdesk.storage.table import Item


class WaitingSignIn(Record):
    """A sign-in that waits for its code. `code_hash` is keyed with the handle, which only the browser has."""

    email: str
    code_hash: str
    browser_hash: str
    valid_until: int
    tries: int = 0

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read the item of a waiting sign-in."""
        return cls(item["email"], item["codeHash"], item["browserHash"], item["validUntil"], item["tries"])

    def to_item(self) -> Item:
        """Return the attributes of the item, without its keys."""
        return {
            "email": self.email,
            "codeHash": self.code_hash,
            "browserHash": self.browser_hash,
            "validUntil": self.valid_until,
            "tries": self.tries,
        }
