"""A member as stored in the organization's partition."""

from typing import Self

from helpdesk.api.admission.caller import Role
from helpdesk.platform.record import Record
from helpdesk.storage.table import Item


class MemberRecord(Record):
    """A person's membership; `joined_at` is in ms."""

    user_id: str
    name: str
    email: str
    role: Role
    joined_at: int

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a member's item."""
        return cls(item["userId"], item["name"], item["email"], Role(item["role"]), item["joinedAt"])

    def to_item(self) -> Item:
        """Return the attributes of the member's item."""
        return {
            "userId": self.user_id,
            "name": self.name,
            "email": self.email,
            "role": self.role.value,
            "joinedAt": self.joined_at,
        }
