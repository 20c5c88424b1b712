"""Items of sign-ins that wait for their code, under the key that the caller names."""

from helpdesk.accounts.sign_in_codes.record import WaitingSignIn
from helpdesk.platform import clock
from helpdesk.platform.units import HOUR_SECONDS
from helpdesk.storage import table
from helpdesk.storage.item_key import ItemKey
from helpdesk.storage.table import ConditionFailed


def put(key: ItemKey, waiting: WaitingSignIn) -> None:
    """Add a sign-in that waits for its code."""
    table.put_new(
        {
            **key.attributes(),
            **waiting.to_item(),
            "expiresAt": waiting.valid_until // 1_000 + HOUR_SECONDS,
        }
    )


def count_try(key: ItemKey, browser_hash: str, most: int) -> WaitingSignIn | None:
    """Count a try at a code before it is compared; None if none is left or there is no such sign-in."""
    try:
        item = table.update(
            key,
            "SET tries = tries + :one",
            condition="attribute_exists(PK) AND tries < :most AND validUntil > :now AND browserHash = :browser",
            values={":one": 1, ":most": most, ":now": clock.now_ms(), ":browser": browser_hash},
            returning="ALL_NEW",
        )
    except ConditionFailed:
        return None
    return WaitingSignIn.from_item(item)
