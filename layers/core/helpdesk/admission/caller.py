"""Who is asking: the outcome of admission, and the role rules that routes declare."""

from dataclasses import dataclass
from enum import Enum, StrEnum


class Role(StrEnum):
    """A person's role in an organization (Specification: Authentication, 3)."""

    OWNER = "owner"
    ADMIN = "admin"
    MEMBER = "member"

    @property
    def rank(self) -> int:
        """Return the role's place: a higher rank may all that a lower one may."""
        return {Role.MEMBER: 0, Role.ADMIN: 1, Role.OWNER: 2}[self]


class KeyRule(Enum):
    """What a secret key finds at a route."""

    ALLOWED = "allowed"
    ONLY = "only"  # a token is answered invalid_api_key
    NEEDS_A_PERSON = "needs_a_person"
    TOKEN_REQUIRED = "token_required"  # noqa: S105 - the name of an error code


class Access(Enum):
    """Who may call a route; every route declares one of these (Specification: Authentication, 5 to 8).

    The value is the lowest role that a token's person needs, and what a key finds. A key acts with an admin's
    rights, except for person-only operations.
    """

    PUBLIC = (None, None)
    SECRET_KEY = (None, KeyRule.ONLY)
    MEMBER = (Role.MEMBER, KeyRule.ALLOWED)
    ADMIN = (Role.ADMIN, KeyRule.ALLOWED)
    PERSON_ADMIN = (Role.ADMIN, KeyRule.NEEDS_A_PERSON)
    ACCOUNT = (Role.MEMBER, KeyRule.TOKEN_REQUIRED)
    ACCOUNT_ADMIN = (Role.ADMIN, KeyRule.TOKEN_REQUIRED)

    @property
    def role(self) -> Role:
        """The lowest role a person needs."""
        return self.value[0] or Role.MEMBER

    @property
    def key_rule(self) -> KeyRule | None:
        """What a secret key finds here; None on a public route."""
        rule: KeyRule | None = self.value[1]
        return rule


@dataclass(frozen=True, slots=True)
class Person:
    """The person behind an access token."""

    id: str
    name: str
    role: Role


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is asking, after admission.

    `key_id` is set for a key, `person` for a token. `cursor_key` signs this organization's cursors.
    """

    organization: str
    key_id: str | None = None
    person: Person | None = None
    cursor_key: bytes = b""

    @property
    def actor(self) -> str:
        """Who acts, for the log: the person's name, or the key's id."""
        return self.person.name if self.person else f"key {self.key_id}"
