"""Items of a grant and its access tokens: each change of them is one transaction that needs what was read."""

from helpdesk.oauth.record import AccessTokenRecord, Approval, GrantRecord
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

LIVE_ACCESS_TOKENS = 5
"""How many access tokens of one grant work at once; the oldest goes when another comes."""


def get(grant_id: str) -> GrantRecord | None:
    """Return a grant, or None."""
    item = table.get(keys.Grant(grant_id))
    return GrantRecord.from_item(item) if item else None


def put(transaction: Transaction, grant: GrantRecord) -> None:
    """Add a grant with its first access token. The transaction raises ConditionFailed where it is there already."""
    transaction.put(
        {
            **keys.Grant(grant.id).attributes(),
            "id": grant.id,
            "userId": grant.approval.user_id,
            "clientId": grant.approval.client_id,
            "organization": grant.approval.organization,
            "familyHash": grant.family_hash,
            "refreshHash": grant.refresh_hash,
            "previousHash": grant.previous_hash,
            "rotatedAt": grant.rotated_at,
            "createdAt": grant.created_at,
            "validUntil": grant.valid_until,
            "expiresAt": grant.valid_until // 1_000 + DAY_SECONDS,
            "tokens": _listed(grant.tokens),
        },
        new=True,
        on_failure=ConditionFailed,
    )
    _put_token(transaction, grant, grant.tokens[-1])


def rotate(transaction: Transaction, seen: GrantRecord, refreshed: GrantRecord) -> None:
    """Replace a grant's refresh token, add its newest access token and remove those beyond the newest five.

    The transaction raises ConditionFailed with the grant as it is, None where it is gone, unless it is as it was read.
    """
    transaction.update(
        keys.Grant(seen.id),
        "SET refreshHash = :refresh, previousHash = :previous, rotatedAt = :rotated, validUntil = :until, "
        "expiresAt = :expires, tokens = :tokens",
        condition="refreshHash = :seen AND organization = :organization",
        values={
            ":refresh": refreshed.refresh_hash,
            ":previous": refreshed.previous_hash,
            ":rotated": refreshed.rotated_at,
            ":until": refreshed.valid_until,
            ":expires": refreshed.valid_until // 1_000 + DAY_SECONDS,
            ":tokens": _listed(refreshed.tokens),
            ":seen": seen.refresh_hash,
            ":organization": seen.approval.organization,
        },
        on_failure=ConditionFailed,
    )
    _put_token(transaction, refreshed, refreshed.tokens[-1])
    kept = {token.token_hash for token in refreshed.tokens}
    for token in seen.tokens:
        if token.token_hash not in kept:
            transaction.delete(keys.AccessToken(token.token_hash))


def remove(seen: GrantRecord) -> None:
    """Remove a grant with all its access tokens. Raises ConditionFailed with the grant as it is."""
    transaction = Transaction()
    transaction.delete(
        keys.Grant(seen.id),
        condition="refreshHash = :seen",
        values={":seen": seen.refresh_hash},
        on_failure=ConditionFailed,
    )
    for token in seen.tokens:
        transaction.delete(keys.AccessToken(token.token_hash))
    transaction.commit()


def access_token(token_hash: str) -> Item | None:
    """Return an access token's item, or None."""
    return table.get(keys.AccessToken(token_hash))


def remove_access_token(token_hash: str) -> None:
    """Remove one access token; its grant stays."""
    table.delete(keys.AccessToken(token_hash))


def _put_token(transaction: Transaction, grant: GrantRecord, token: AccessTokenRecord) -> None:
    approval: Approval = grant.approval
    transaction.put(
        {
            **keys.AccessToken(token.token_hash).attributes(),
            "userId": approval.user_id,
            "clientId": approval.client_id,
            "organization": approval.organization,
            "grantId": grant.id,
            "validUntil": token.valid_until,
            "expiresAt": token.valid_until // 1_000 + DAY_SECONDS,
        },
        new=True,
    )


def _listed(tokens: tuple[AccessTokenRecord, ...]) -> list[Item]:
    now = clock.now_ms()
    return [
        {"hash": token.token_hash, "validUntil": token.valid_until}
        for token in tokens
        if token.valid_until > now
    ]
