"""A member as stored in the organization's partition."""

from typing import NamedTuple, Self

from helpdesk.admission.caller import Role
from helpdesk.storage.table import Item


class MemberRecord(NamedTuple):
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
