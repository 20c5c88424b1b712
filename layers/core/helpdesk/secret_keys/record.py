"""A secret key as stored, and as the allowances list it while it is live."""

from typing import Self

from helpdesk.platform.record import Record
from helpdesk.storage import by_name as by_names
from helpdesk.storage.table import Item


class KeyRecord(Record):
    """What people see of a key; times are in ms.

    The allowances hold `last_used_at` while the key is live; the record holds it after the key is revoked. A `legacy`
    key is from before the current scheme and cannot sign anything.
    """

    id: str
    name: str
    hint: str
    created_at: int
    created_by_name: str
    last_used_at: int | None
    revoked_at: int | None
    legacy: bool

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a key's item."""
        return cls(
            id=item["id"],
            name=item["name"],
            hint=item["hint"],
            created_at=item["createdAt"],
            created_by_name=by_names.from_item(item, "createdBy"),
            last_used_at=item["lastUsedAt"],
            revoked_at=item["revokedAt"],
            legacy=item["legacy"],
        )

    def to_item(self) -> Item:
        """Return the attributes of the key's item."""
        return {
            "id": self.id,
            "name": self.name,
            "hint": self.hint,
            "createdAt": self.created_at,
            **by_names.to_item("createdBy", self.created_by_name),
            "lastUsedAt": self.last_used_at,
            "revokedAt": self.revoked_at,
            "legacy": self.legacy,
        }


class LiveKey(Record):
    """A key that is accepted, as the allowances list it."""

    id: str
    hash: str
    legacy: bool
    last_used_at: int | None
