"""The caller of a request, and the access rules that routes declare."""

from enum import Enum, StrEnum
from typing import NamedTuple

from helpdesk.api.admission.limits import Tier
from helpdesk.platform.errors import NO_MEMBERSHIP, InsufficientScope, NeedsAPerson, NoOrganization
from helpdesk.storage.actor_name import ActorName


class Role(StrEnum):
    """A person's role in an organization."""

    OWNER = "owner"
    ADMIN = "admin"
    MEMBER = "member"

    @property
    def rank(self) -> int:
        """Return the role's rank. Each role includes the rights of those below."""
        return {Role.MEMBER: 0, Role.ADMIN: 1, Role.OWNER: 2}[self]


class Scope(StrEnum):
    """What a person can allow a program to do for them. Every login includes API."""

    API = "api"
    MANAGE = "manage"


class KeyRule(Enum):
    """How a route treats a secret key."""

    ALLOWED = "allowed"
    ONLY = "only"  # an access token gets invalid_api_key
    NEEDS_A_PERSON = "needs_a_person"
    TOKEN_REQUIRED = "token_required"  # noqa: S105 - the name of an error code


class RateLimitSubject(Enum):
    """Whose allowance a request is charged to (Specification: Limits, Rate limits)."""

    ORGANIZATION = "organization"
    PERSON = "person"
    # The organization's if the token is bound to one that the person belongs to, else the person's.
    EITHER = "either"


class Access(Enum):
    """Who can call a route; every route declares one of these (Specification: Authentication, 5 to 8).

    The value is the lowest role that a person needs, how the route treats a secret key, whose allowance it charges, and
    the scope that a program's login needs. A key has an admin's rights, except for person-only operations.
    """

    PUBLIC = (None, None, None, Scope.API)
    SECRET_KEY = (None, KeyRule.ONLY, RateLimitSubject.ORGANIZATION, Scope.API)
    MEMBER = (Role.MEMBER, KeyRule.ALLOWED, RateLimitSubject.ORGANIZATION, Scope.API)
    ADMIN = (Role.ADMIN, KeyRule.ALLOWED, RateLimitSubject.ORGANIZATION, Scope.API)
    # About what a person does in the organization.
    ACCOUNT_MEMBER = (Role.MEMBER, KeyRule.TOKEN_REQUIRED, RateLimitSubject.ORGANIZATION, Scope.API)
    ACCOUNT_ADMIN = (Role.ADMIN, KeyRule.TOKEN_REQUIRED, RateLimitSubject.ORGANIZATION, Scope.API)
    # Who can get into the organization: keys and logins; members and invitations.
    ACCESS_ADMIN = (Role.ADMIN, KeyRule.TOKEN_REQUIRED, RateLimitSubject.ORGANIZATION, Scope.MANAGE)
    PERSON_ADMIN = (Role.ADMIN, KeyRule.NEEDS_A_PERSON, RateLimitSubject.ORGANIZATION, Scope.MANAGE)
    # About the person. The token may be bound to no organization, or to one that the person has left.
    ACCOUNT = (None, KeyRule.TOKEN_REQUIRED, RateLimitSubject.EITHER, Scope.API)
    PERSONAL = (None, KeyRule.TOKEN_REQUIRED, RateLimitSubject.PERSON, Scope.API)
    MEMBERSHIP = (None, KeyRule.TOKEN_REQUIRED, RateLimitSubject.PERSON, Scope.MANAGE)

    @property
    def role(self) -> Role:
        """The lowest role a person needs."""
        return self.value[0] or Role.MEMBER

    @property
    def key_rule(self) -> KeyRule | None:
        """How the route treats a secret key; None on a public route."""
        rule: KeyRule | None = self.value[1]
        return rule

    @property
    def rate_limit_subject(self) -> RateLimitSubject | None:
        """Whose allowance is charged; None on a public route."""
        subject: RateLimitSubject | None = self.value[2]
        return subject

    @property
    def scope(self) -> Scope:
        """The scope that a program's login needs."""
        scope: Scope = self.value[3]
        return scope


class Person(NamedTuple):
    """The person behind an access token. `role` is None without an organization in this request.

    `token_hash` identifies the token, and `grant_id` the login that it comes from; a token that the operator issued has
    no login. `bound_to` is the token's organization, also after the person has left it. `is_member` says whether they
    belong to any organization.
    """

    id: str
    name: str
    role: Role | None
    email: str = ""
    token_hash: str = ""
    grant_id: str | None = None
    bound_to: str | None = None
    is_member: bool = True
    scopes: frozenset[Scope] = frozenset(Scope)

    @property
    def ended_in(self) -> str | None:
        """The organization that the token acted in until its person left it."""
        return self.bound_to if self.role is None else None

    def require(self, scope: Scope, headers: dict[str, str] | None = None) -> None:
        """Raise InsufficientScope, which says in its headers what to request (RFC 6750, section 3.1)."""
        if scope not in self.scopes:
            wanted = " ".join(sorted({Scope.API, scope}))
            challenge = f'Bearer error="insufficient_scope", scope="{wanted}"'
            raise InsufficientScope(headers={**(headers or {}), "www-authenticate": challenge})

    @property
    def keeps_organization(self) -> bool:
        """Whether the token is of a login for one organization, which only another consent can replace."""
        return self.grant_id is not None and self.bound_to is not None


def no_organization(person: Person | None, headers: dict[str, str] | None = None) -> NoOrganization:
    """Return the error for a person whose token is bound to no organization; it says how they get one."""
    return NoOrganization(NO_MEMBERSHIP if person and not person.is_member else None, headers=headers)


class Caller(NamedTuple):
    """The authenticated caller of a request.

    `key_id` is set for a secret key, `person` for an access token. `organization` can be empty only on a person's own
    routes (ACCOUNT and PERSONAL). A `legacy` key has the previous format and cannot sign anything. `cursor_key` signs
    this organization's cursors. `tier` is the organization's, the lowest where none was charged.
    """

    organization: str
    key_id: str | None = None
    person: Person | None = None
    cursor_key: bytes = b""
    legacy: bool = False
    tier: Tier = Tier.EXPLORE
    key_name: str = ""

    @property
    def actor(self) -> ActorName:
        """The name that the log and records keep, with the person's or the key's id."""
        if self.person is not None:
            return ActorName(self.person.name, self.person.id)
        return ActorName(self.key_name, self.key_id)

    def the_person(self) -> Person:
        """Return the person, on a route that no key can call. Raises NeedsAPerson."""
        if self.person is None:
            raise NeedsAPerson
        return self.person
