"""The items that admission reads: token buckets, allowances with their secret keys, and access tokens."""

from collections.abc import Mapping
from typing import Self

from msgspec.structs import replace

from helpdesk.api.admission.caller import Role, Scope
from helpdesk.api.admission.limits import Tier
from helpdesk.platform.record import Record
from helpdesk.platform.units import DAY_SECONDS, SECOND_US
from helpdesk.storage.stored import Expiring, Stored


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

    `used_at` is in ms.
    """

    id: str
    name: str
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
    """The waits that the organizations of a kind of plan share."""

    PK, SK = "WAITS#{pool}", "WAITS"
    pool: str


class FairUse(Stored):
    """The minutes in which an organization of the unlimited tier was refused, those of the last hour at least.

    Each minute has an attribute: `refusedAt`, and its place in the hour.
    """

    PK, SK = "ORG#{organization}#FAIRUSE", "FAIRUSE"
    organization: str


class LegacyKey(Stored, kw_only=True):
    """Which organization a key from before the current scheme belongs to, by the key's SHA-256."""

    PK, SK = "LEGACYKEY#{key_hash}", "LEGACYKEY"

    key_hash: str
    organization: str
    key_id: str


class AccessToken(Expiring, kw_only=True):
    """An OAuth access token by its SHA-256: its person, its organization and its grant.

    `organization` is the one that it acts in since `bound_at` (ms), or None. `ended_in` are those in which it ended
    because its person left. One without a grant is of the console, or was issued by the operator.
    """

    PK, SK = "TOKEN#{token_hash}", "TOKEN"
    KEPT_SECONDS = DAY_SECONDS

    token_hash: str
    user_id: str
    organization: str | None = None
    bound_at: int
    grant_id: str | None = None
    client_id: str | None = None
    scopes: tuple[Scope, ...] = (Scope.API,)
    ended_in: tuple[str, ...] | None = None


class Membership(Record):
    """A person's role in an organization, and since when (ms)."""

    role: Role
    joined_at: int


class TokenPerson(Stored, kw_only=True):
    """The person of an access token, with their memberships by organization."""

    VIEW_OF = "PersonRecord"
    PK, SK = "PERSON#{id}", "PERSON"

    id: str
    name: str
    email: str
    organizations: dict[str, Membership]

    def role_with(self, token: AccessToken) -> Role | None:
        """Return the person's role in the organization of their token.

        None without a membership, and for a token from before a membership that ended: the person came back, the token
        does not.
        """
        membership = self.organizations.get(token.organization or "")
        if membership is None or token.bound_at < membership.joined_at:
            return None
        return membership.role
