"""A rating as it is stored."""

from dataclasses import dataclass
from typing import Self

from helpdesk.storage.table import Item


@dataclass(frozen=True, slots=True)
class Rating:
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
