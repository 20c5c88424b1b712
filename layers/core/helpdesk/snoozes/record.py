"""The reminder of a snooze as it is stored."""

from typing import Self

from helpdesk.platform.record import Record
from helpdesk.platform.units import DAY_MS
from helpdesk.storage import attributes
from helpdesk.storage.table import Item

_KEPT_MS = 7 * DAY_MS  # after its time, in case the timers function stood still; then time to live removes it


class Reminder(Record):
    """A conversation's snooze ends at `until` (ms)."""

    organization: str
    conversation_id: str
    until: int

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a reminder's item. Raises UnreadableItem."""
        return cls(
            attributes.text(item, "organization"),
            attributes.text(item, "conversationId"),
            attributes.number(item, "until"),
        )

    def to_item(self) -> Item:
        """Return the attributes of a reminder's item, without its keys."""
        return {
            "organization": self.organization,
            "conversationId": self.conversation_id,
            "until": self.until,
            "expiresAt": (self.until + _KEPT_MS) // 1_000,
        }
