"""Items of a grant and its access tokens: each change is one transaction, conditional on what was read."""

from helpdesk.accounts.oauth.record import AccessTokenRecord, Approval, GrantRecord
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

LIVE_ACCESS_TOKENS = 5
"""How many access tokens of one grant are valid at once; a further one replaces the oldest."""
_AS_READ = "refreshHash = :read AND organization = :bound"


def get(grant_id: str) -> GrantRecord | None:
    """Return a grant, or None."""
    item = table.get(keys.Grant(grant_id))
    return GrantRecord.from_item(item) if item else None


def put(transaction: Transaction, grant: GrantRecord) -> None:
    """Add a grant with its first access token. The transaction raises ConditionFailed if it exists."""
    transaction.put(
        {
            **keys.Grant(grant.id).attributes(),
            **grant.to_item(),
            **index_attributes(grant),
            "expiresAt": grant.valid_until // 1_000 + DAY_SECONDS,
        },
        new=True,
        on_failure=ConditionFailed,
    )
    _put_token(transaction, grant, grant.tokens[-1])


def rotate(transaction: Transaction, seen: GrantRecord, refreshed: GrantRecord) -> None:
    """Replace a grant's refresh token, add its newest access token and remove those beyond the newest five.

    Unless the grant is as it was read, the transaction raises ConditionFailed with the present grant, or with None.
    """
    transaction.set(
        keys.Grant(seen.id),
        {
            "refreshHash": refreshed.refresh_hash,
            "previousHash": refreshed.previous_hash,
            "rotatedAt": refreshed.rotated_at,
            "validUntil": refreshed.valid_until,
            "expiresAt": refreshed.valid_until // 1_000 + DAY_SECONDS,
            "tokens": [token.to_item() for token in refreshed.tokens],
            **index_attributes(seen),  # of a grant from before the lists
        },
        condition=_AS_READ,
        values=_as_read(seen),
        on_failure=ConditionFailed,
    )
    _put_token(transaction, refreshed, refreshed.tokens[-1])
    kept = {token.token_hash for token in refreshed.tokens}
    for token in seen.tokens:
        if token.token_hash not in kept:
            transaction.delete(keys.AccessToken(token.token_hash))


def remove(transaction: Transaction, seen: GrantRecord) -> None:
    """Remove a grant with all its access tokens. The transaction raises ConditionFailed with the present grant."""
    transaction.delete(
        keys.Grant(seen.id), condition=_AS_READ, values=_as_read(seen), on_failure=ConditionFailed
    )
    for token in seen.tokens:
        transaction.delete(keys.AccessToken(token.token_hash))


def newest_of_person(user_id: str, limit: int) -> list[GrantRecord]:
    """Return a person's grants, newest first, up to `limit`."""
    page = table.newest(keys.grants_of_person(user_id), limit, index="GSI1")
    return [GrantRecord.from_item(item) for item in page.items]


def of_organization(
    organization: str, limit: int, before: str | None
) -> tuple[list[GrantRecord], str | None]:
    """Return a page of the grants for an organization, newest first, and the id after which the next page begins."""
    listed = keys.grants_of_organization(organization)
    after = {**keys.Grant(before).attributes(), "GSI2SK": before} if before else None
    page = table.query(listed, index="GSI2", limit=limit, newest_first=True, after=after)
    return [GrantRecord.from_item(item) for item in page.items], page.after["GSI2SK"] if page.after else None


def access_token(token_hash: str) -> Approval | None:
    """Return the approval behind an access token, or None."""
    item = table.get(keys.AccessToken(token_hash))
    return Approval.from_item(item) if item else None


def remove_access_token(token_hash: str) -> None:
    """Remove one access token; its grant stays."""
    table.delete(keys.AccessToken(token_hash))


def _as_read(seen: GrantRecord) -> Item:
    return {":read": seen.refresh_hash, ":bound": seen.approval.organization}


def index_attributes(grant: GrantRecord) -> Item:
    """Return the attributes that list a grant: of its person in GSI1, for its organization in GSI2."""
    listed: Item = {"GSI1PK": keys.grants_of_person(grant.approval.user_id), "GSI1SK": grant.id}
    if grant.approval.organization is not None:
        listed |= {"GSI2PK": keys.grants_of_organization(grant.approval.organization), "GSI2SK": grant.id}
    return listed


def _put_token(transaction: Transaction, grant: GrantRecord, token: AccessTokenRecord) -> None:
    transaction.put(
        {
            **keys.AccessToken(token.token_hash).attributes(),
            **grant.approval.to_item(),
            "grantId": grant.id,
            "validUntil": token.valid_until,
            "expiresAt": token.valid_until // 1_000 + DAY_SECONDS,
        },
        new=True,
    )
