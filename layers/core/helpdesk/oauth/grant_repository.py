"""Items of a grant and its access tokens: each change is one transaction, conditional on what was read."""

from helpdesk.oauth.record import AccessTokenRecord, Approval, GrantRecord
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

LIVE_ACCESS_TOKENS = 5
"""How many access tokens of one grant are valid at once; a further one replaces the oldest."""


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
            ":tokens": [token.to_item() for token in refreshed.tokens],
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
    """Remove a grant with all its access tokens. Raises ConditionFailed with the present grant."""
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


def access_token(token_hash: str) -> Approval | None:
    """Return the approval behind an access token, or None."""
    item = table.get(keys.AccessToken(token_hash))
    return Approval.from_item(item) if item else None


def remove_access_token(token_hash: str) -> None:
    """Remove one access token; its grant stays."""
    table.delete(keys.AccessToken(token_hash))


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
