"""People with a role in an organization, and access tokens as the OAuth server would have stored them."""

from helpdesk.accounts.oauth import grant_repository
from helpdesk.accounts.oauth.record import AccessTokenRecord, Approval, GrantRecord
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.units import DAY_MS
from helpdesk.storage import keys, table
from helpdesk.storage.transactions import Transaction


def make_person(organization: str | None, *, role: str, name: str, email: str | None = None) -> str:
    """Store a new person and, with an organization, the membership on both sides; return the id."""
    user_id = ids.new("usr")
    address = email or f"{user_id}@example.com"
    membership = {"role": role}
    table.put_new(
        {
            **keys.Person(user_id).attributes(),
            "id": user_id,
            "name": name,
            "email": address,
            "organizations": {organization: membership} if organization else {},
            "createdAt": clock.now_ms(),
        }
    )
    table.put_new({**keys.PersonByEmail(sha256_hex(address)).attributes(), "userId": user_id})
    if organization is not None:
        table.put_new(
            {
                **keys.Member(organization, user_id).attributes(),
                "userId": user_id,
                "name": name,
                "email": address,
                "role": role,
                "joinedAt": clock.now_ms(),
            }
        )
        if role == "owner" and table.get(keys.Organization(organization)):
            table.update(keys.Organization(organization), "ADD owners :one", values={":one": 1})
    return user_id


def token_of(user_id: str, organization: str | None, *, lifetime_ms: int = 3_600_000) -> str:
    """Store a token of a person, bound to an organization or to none, and return it."""
    token = f"svc_oat_{user_id.removeprefix('usr_')}_{ids.secret()}"
    table.put_new(
        {
            **keys.AccessToken(sha256_hex(token)).attributes(),
            "userId": user_id,
            "organization": organization,
            "boundAt": clock.now_ms(),
            "grantId": None,
            "validUntil": clock.now_ms() + lifetime_ms,
        }
    )
    return token


def issue_token(organization: str | None, *, role: str, name: str, lifetime_ms: int = 3_600_000) -> str:
    """Store a new person and a token for them; return the token."""
    user_id = make_person(organization, role=role, name=name)
    return token_of(user_id, organization, lifetime_ms=lifetime_ms)


def grant_of(user_id: str, organization: str) -> str:
    """Store a program's access as a person, and return its id."""
    now = clock.now_ms()
    grant = GrantRecord(
        id=ids.new("grant"),
        approval=Approval(user_id, ids.new("client"), organization, now),
        family_hash="f" * 64,
        refresh_hash="r" * 64,
        previous_hash="",
        rotated_at=now,
        created_at=now,
        valid_until=now + DAY_MS,
        tokens=(AccessTokenRecord(sha256_hex(ids.secret()), now + DAY_MS),),
    )
    transaction = Transaction()
    grant_repository.put(transaction, grant)
    transaction.commit()
    return grant.id
