"""The items that admission reads: token buckets, allowances with their secret keys, and access tokens."""

from collections.abc import Mapping
from typing import Self

from msgspec.structs import replace

from helpdesk.api.admission.caller import Scope
from helpdesk.api.admission.limits import Tier
from helpdesk.platform.record import Record
from helpdesk.platform.units import SECOND_US
from helpdesk.storage.stored import Stored
from helpdesk.storage.wire import Item


class Bucket(Stored):
    """A token bucket; all values are in microseconds. Each kind of bucket has a key of its own.

    From `next_at` on it holds at least one token. From `full_at` on it is full. `interval` earns one token.
    """

    next_at: int
    full_at: int
    interval: int

    def refilled(self, burst: int, now_us: int) -> Self:
        """Return the bucket as it is at this instant. One that is full is stored as it was when it was last charged."""
        if self.full_at > now_us:
            return self
        return replace(self, next_at=now_us - (burst - 1) * self.interval, full_at=now_us)

    def remaining(self, now_us: int) -> int:
        """Return how many requests pass at this instant."""
        return max(0, (now_us - self.next_at) // self.interval + 1)

    def seconds_to_full(self, now_us: int) -> int:
        """Return the whole seconds until the bucket is full."""
        return max(0, -(-(self.full_at - now_us) // SECOND_US))

    def retry_after(self, now_us: int) -> int:
        """Return the whole seconds until the next token, at least 1."""
        return max(1, -(-(self.next_at - now_us) // SECOND_US))


class LiveKey(Record, omit_defaults=True):
    """A secret key that is valid. A `legacy` one has the previous key format and cannot sign anything.

    `name` is None for a key that was created before the allowances listed names. `used_at` is in ms.
    """

    id: str
    name: str | None = None
    legacy: bool = False
    used_at: int | None = None


class Allowance(Bucket, kw_only=True):
    """An organization's bucket for one request class, with its live keys by hash.

    `cursor_key` signs the organization's cursors. From a full bucket, a charge sets `next_at` to `slack` before now.
    """

    PK, SK = "ORG#{organization}#ALLOWANCE#{request_class}", "ALLOWANCE"
    organization: str
    request_class: str
    tier: Tier
    per_minute: int
    burst: int
    slack: int
    keys: Mapping[str, LiveKey]
    cursor_key: bytes


class OrganizationBucket(Bucket, kw_only=True):
    """A token bucket of an organization beside the three classes: waits, invitation e-mails."""

    PK, SK = "ORG#{organization}#BUCKET", "BUCKET#{name}"
    organization: str
    name: str


class PersonAllowance(Bucket, kw_only=True):
    """One class's token bucket of a person, for what concerns no organization.

    It isn't in the person's partition: every function charges it, and few may write a person (template/roles.yaml).
    """

    PK, SK = "PERSONALLOWANCE#{user_id}", "ALLOWANCE#{request_class}"
    user_id: str
    request_class: str


class AddressBucket(Bucket, kw_only=True):
    """A token bucket of a caller's network address, which is kept as its SHA-256."""

    PK, SK = "ADDRESS#{address_hash}", "BUCKET#{name}"
    address_hash: str
    name: str


class EmailBucket(Bucket, kw_only=True):
    """A token bucket of an e-mail address, which is kept as its SHA-256."""

    PK, SK = "OAUTH#EMAIL#{email_hash}", "BUCKET#{name}"
    email_hash: str
    name: str


class SupportEmailBucket(Bucket, kw_only=True):
    """The token bucket of codes that all organizations mail to an address."""

    PK, SK = "SUPPORTEMAIL#{email_hash}", "BUCKET"
    email_hash: str


class SharedBucket(Bucket, kw_only=True):
    """A token bucket that all callers share."""

    PK, SK = "OAUTH#SHARED", "BUCKET#{name}"
    name: str


class MailCeiling(Bucket, kw_only=True):
    """The token bucket of one kind of mail that all organizations of this deployment share."""

    PK, SK = "MAILCEILING#{kind}", "BUCKET"
    kind: str


class WaitPool(Bucket, kw_only=True):
    """A shard of the waits that the organizations of a kind of plan share."""

    PK, SK = "WAITS#{pool}#{shard}", "WAITS"
    pool: str
    shard: str


class FairUse(Stored):
    """The minutes in which an organization of the unlimited tier was refused, those of the last hour at least.

    Each minute has an attribute: `refusedAt`, and its place in the hour.
    """

    PK, SK = "ORG#{organization}#FAIRUSE", "FAIRUSE"
    organization: str


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
