"""Who is asking: the outcome of admission, and the role rules that routes declare."""

from enum import Enum, StrEnum
from typing import NamedTuple

from helpdesk.platform.errors import NeedsAPerson


class Role(StrEnum):
    """A person's role in an organization."""

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


class RateLimitSubject(Enum):
    """Whose allowance a request is charged to (Specification: Limits, Rate limits)."""

    ORGANIZATION = "organization"
    PERSON = "person"
    # The organization's while the token is bound to one that its person belongs to, else the person's.
    EITHER = "either"


class Access(Enum):
    """Who may call a route; every route declares one of these (Specification: Authentication, 5 to 8).

    The value is the lowest role that a token's person needs, what a key finds, and whose allowance is charged. A key
    acts with an admin's rights, except for person-only operations.
    """

    PUBLIC = (None, None, None)
    SECRET_KEY = (None, KeyRule.ONLY, RateLimitSubject.ORGANIZATION)
    MEMBER = (Role.MEMBER, KeyRule.ALLOWED, RateLimitSubject.ORGANIZATION)
    ADMIN = (Role.ADMIN, KeyRule.ALLOWED, RateLimitSubject.ORGANIZATION)
    PERSON_ADMIN = (Role.ADMIN, KeyRule.NEEDS_A_PERSON, RateLimitSubject.ORGANIZATION)
    ACCOUNT_ADMIN = (Role.ADMIN, KeyRule.TOKEN_REQUIRED, RateLimitSubject.ORGANIZATION)
    # About the person: no organization need be bound, nor need the person still belong to the one that is.
    ACCOUNT = (None, KeyRule.TOKEN_REQUIRED, RateLimitSubject.EITHER)
    PERSONAL = (None, KeyRule.TOKEN_REQUIRED, RateLimitSubject.PERSON)

    @property
    def role(self) -> Role:
        """The lowest role a person needs."""
        return self.value[0] or Role.MEMBER

    @property
    def key_rule(self) -> KeyRule | None:
        """What a secret key finds here; None on a public route."""
        rule: KeyRule | None = self.value[1]
        return rule

    @property
    def rate_limit_subject(self) -> RateLimitSubject | None:
        """Whose allowance is charged; None on a public route."""
        subject: RateLimitSubject | None = self.value[2]
        return subject


class Person(NamedTuple):
    """The person behind an access token; `role` is None where he belongs to no organization in this request.

    `token_hash` and `grant_id` name the token that was sent, for the routes that change what it is bound to.
    """

    id: str
    name: str
    role: Role | None
    email: str = ""
    token_hash: str = ""
    grant_id: str | None = None


class Caller(NamedTuple):
    """Who is asking, after admission.

    `key_id` is set for a key, `person` for a token. `organization` is empty only on a person's own routes (ACCOUNT
    and PERSONAL), which may be called without one. `legacy` says that the key is from before the current scheme, so
    that nothing can be signed with it. `cursor_key` signs this organization's cursors.
    """

    organization: str
    key_id: str | None = None
    person: Person | None = None
    cursor_key: bytes = b""
    legacy: bool = False

    @property
    def actor(self) -> str:
        """Who acts, for the log: the person's name, or the key's id."""
        return self.person.name if self.person else f"key {self.key_id}"

    def the_person(self) -> Person:
        """Return the person, on a route that no key gets into."""
        if self.person is None:
            raise NeedsAPerson
        return self.person
