"""A rating as it is stored."""

from typing import Self

from helpdesk.platform.record import Record
from helpdesk.storage.table import Item


class Rating(Record):
    """A visitor's rating of one resolution: when it was given first (ms), and how many stars."""

    conversation_id: str
    at: int
    stars: int

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a rating's item."""
        return cls(item["conversationId"], item["at"], item["stars"])

    def to_item(self) -> Item:
        """Return the attributes of a rating's item, without its keys."""
        return {"conversationId": self.conversation_id, "at": self.at, "stars": self.stars}
