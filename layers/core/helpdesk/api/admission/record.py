"""The items that admission reads: token buckets, allowances with their secret keys, and access tokens."""

from collections.abc import Mapping
from typing import NamedTuple, Self

from helpdesk.api.admission.caller import Scope
from helpdesk.api.admission.limits import Tier
from helpdesk.platform.record import Record
from helpdesk.platform.units import SECOND_US
from helpdesk.storage.table import Item


class Bucket(Record):
    """A token bucket; all values are in microseconds.

    From `next_at` on it holds at least one token. From `full_at` on it is full. `interval` earns one token.
    """

    next_at: int
    full_at: int
    interval: int

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a bucket's item."""
        return cls(int(item["nextAt"]), int(item["fullAt"]), int(item["interval"]))

    def refilled(self, burst: int, now_us: int) -> "Bucket":
        """Return the bucket as it is at this instant. One that is full is stored as it was when it was last charged."""
        if self.full_at > now_us:
            return self
        return Bucket(now_us - (burst - 1) * self.interval, now_us, self.interval)

    def remaining(self, now_us: int) -> int:
        """Return how many requests pass at this instant."""
        return max(0, (now_us - self.next_at) // self.interval + 1)

    def seconds_to_full(self, now_us: int) -> int:
        """Return the whole seconds until the bucket is full."""
        return max(0, -(-(self.full_at - now_us) // SECOND_US))

    def retry_after(self, now_us: int) -> int:
        """Return the whole seconds until the next token, at least 1."""
        return max(1, -(-(self.next_at - now_us) // SECOND_US))


class LiveKey(NamedTuple):
    """A secret key that is valid. A `legacy` one has the previous key format and cannot sign anything.

    `name` is None for a key that was created before the allowances listed names.
    """

    id: str
    name: str | None
    legacy: bool


class Allowance(Record):
    """An organization's bucket for one request class, with its live keys by hash.

    `cursor_key` signs the organization's cursors.
    """

    bucket: Bucket
    tier: Tier
    per_minute: int
    burst: int
    keys: Mapping[str, LiveKey]
    cursor_key: bytes

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read an allowance's item."""
        return cls(
            bucket=Bucket.from_item(item),
            tier=Tier(item["tier"]),
            per_minute=int(item["perMinute"]),
            burst=int(item["burst"]),
            keys={
                key_hash: LiveKey(key["id"], key.get("name"), bool(key.get("legacy", False)))
                for key_hash, key in item["keys"].items()
            },
            cursor_key=item["cursorKey"],
        )


class TokenHolder(Record):
    """An access token and its person.

    `organization` is the one that the token is bound to, or None. `role` is the person's role in it; None without a
    membership, and for a token from before a membership that ended: the person came back, the token does not.
    `valid_until` is in ms. `is_member` says whether the person belongs to any organization. `scopes` are those of its
    grant; a token without a grant has all of them.
    """

    token_hash: str
    grant_id: str | None
    valid_until: int
    organization: str | None
    role: str | None
    person_id: str
    name: str
    email: str
    is_member: bool
    scopes: frozenset[Scope]

    @classmethod
    def from_items(cls, token_hash: str, token: Item, person: Item) -> Self:
        """Read a token's item and its person's."""
        organization = token["organization"] or None
        membership = person["organizations"].get(organization) if organization else None
        # Both are missing on items from before they were stored.
        if membership is not None and token.get("boundAt", 0) < membership.get("joinedAt", 0):
            membership = None
        return cls(
            token_hash=token_hash,
            grant_id=token.get("grantId"),
            valid_until=int(token["validUntil"]),
            organization=organization,
            role=membership["role"] if membership else None,
            person_id=person["id"],
            name=person["name"],
            email=person["email"],
            is_member=bool(person["organizations"]),
            scopes=frozenset(scopes_from_item(token) if token.get("grantId") else Scope),
        )


def scopes_from_item(item: Item) -> tuple[Scope, ...]:
    """Return the scopes in an item. One from before scopes has API alone: no page said more to its person."""
    return tuple(Scope(each) for each in item.get("scopes", [Scope.API.value]))
