"""A secret key as it was read."""

from dataclasses import dataclass
from typing import Self

from helpdesk.storage.table import Item


@dataclass(frozen=True, slots=True)
class KeyRecord:
    """What is kept of a key for people to see; times are in ms.

    `last_used_at` is told by the allowances while the key lives, and kept here once it is revoked. `legacy` says that
    the key is from before the current scheme, so that nothing can be signed with it.
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
            created_by_name=item["createdByName"],
            last_used_at=item["lastUsedAt"],
            revoked_at=item["revokedAt"],
            legacy=item["legacy"],
        )


@dataclass(frozen=True, slots=True)
class LiveKey:
    """A key that is let in, as the allowances hold it."""

    id: str
    hash: str
    legacy: bool
    last_used_at: int | None
