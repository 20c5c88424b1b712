"""People with a role in an organization, and access tokens as the OAuth server would have stored them."""

from helpdesk.accounts.members.record import Member
from helpdesk.accounts.oauth import repository
from helpdesk.accounts.oauth.record import Grant, IssuedToken
from helpdesk.accounts.organizations.record import Organization
from helpdesk.accounts.people.record import PersonByEmail, PersonRecord
from helpdesk.api.admission.caller import Role, Scope
from helpdesk.api.admission.record import AccessToken, Membership
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.units import DAY_MS
from helpdesk.storage import table
from helpdesk.storage.transactions import Transaction


def make_person(organization: str | None, *, role: str, name: str, email: str | None = None) -> str:
    """Store a new person and, with an organization, the membership on both sides; return the id."""
    user_id, now = ids.new("usr"), clock.now_ms()
    address = email or f"{user_id}@example.com"
    person = PersonRecord(
        id=user_id,
        name=name,
        email=address,
        organizations={organization: Membership(Role(role), now)} if organization else {},
        created_at=now,
    )
    table.put_new(person)
    table.put_new(PersonByEmail(email_hash=sha256_hex(address), user_id=user_id))
    if organization is not None:
        member = Member(
            organization=organization,
            user_id=user_id,
            name=name,
            email=address,
            role=Role(role),
            joined_at=now,
        )
        table.put_new(member)
        if role == "owner" and table.get(Organization.key_for(organization)):
            table.update(Organization.key_for(organization), "ADD owners :one", values={":one": 1})
    return user_id


def token_of(user_id: str, organization: str | None, *, lifetime_ms: int = 3_600_000) -> str:
    """Store a token of a person, bound to an organization or to none, and return it."""
    token = f"svc_oat_{user_id.removeprefix('usr_')}_{ids.secret()}"
    table.put_new(
        AccessToken(
            token_hash=sha256_hex(token),
            user_id=user_id,
            organization=organization,
            bound_at=clock.now_ms(),
            valid_until=clock.now_ms() + lifetime_ms,
        )
    )
    return token


def issue_token(organization: str | None, *, role: str, name: str, lifetime_ms: int = 3_600_000) -> str:
    """Store a new person and a token for them; return the token."""
    user_id = make_person(organization, role=role, name=name)
    return token_of(user_id, organization, lifetime_ms=lifetime_ms)


def grant_of(user_id: str, organization: str) -> str:
    """Store a program's access as a person, and return its id."""
    now = clock.now_ms()
    grant = Grant(
        id=ids.new("grant"),
        user_id=user_id,
        client_id=ids.new("client"),
        organization=organization,
        bound_at=now,
        scopes=(Scope.API,),
        family_hash="f" * 64,
        refresh_hash="r" * 64,
        previous_hash="",
        rotated_at=now,
        created_at=now,
        valid_until=now + DAY_MS,
        tokens=(IssuedToken(sha256_hex(ids.secret()), now + DAY_MS),),
    )
    transaction = Transaction()
    repository.put_grant(transaction, grant)
    transaction.commit()
    return grant.id
