"""The writes that charge a bucket, and the reads of credentials."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, cast

from helpdesk.api.admission.limits import RequestClass
from helpdesk.api.admission.record import AccessToken, Allowance, Bucket, FairUse, LegacyKey, TokenPerson
from helpdesk.storage import table
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Key
from helpdesk.storage.table import EXISTS, ConditionFailed, Item

legacy_keys = Collection(LegacyKey)

_KEY_IS_LIVE = "attribute_exists(#keys.#hash)"
# The time of the key's last use, in ms. The same write stores it, so it costs no extra call.
_KEY_WAS_USED = ", #keys.#hash.usedAt = :ms"
_NEW_SHAPE = ", perMinute = :per_minute, burst = :burst, #interval = :interval, slack = :slack"
_FROM_FULL = (
    "SET nextAt = :now - slack, fullAt = :now + #interval",
    "fullAt <= :now",
)
_WHILE_FILLING = (
    "SET nextAt = nextAt + #interval, fullAt = fullAt + #interval",
    "nextAt <= :now AND fullAt > :now",
)

_HOUR_MINUTES, _MINUTE_SECONDS = 60, 60
_REFUSED_AT = "refusedAt"
_SHAPE = "#interval = :interval, expiresAt = :expires"
_NEW_OR_FULL = "attribute_not_exists(PK) OR fullAt <= :now"
_FILLING = "nextAt <= :latest AND fullAt > :now"

_allowances = Collection(Allowance)


def charge_allowance(
    key: Key, now_us: int, key_hash: str | None, *, filling: bool, shape: Mapping[str, Any] | None
) -> Allowance:
    """Charge a token to an allowance that is full, or with `filling` not full, and prove that the key is live.

    With a `shape` (`allowance.shape_of`), the bucket has that one from the next charge on; its tier must be the same.
    Raises ConditionFailed with what is stored, table.Throttled.
    """
    expression, condition = _WHILE_FILLING if filling else _FROM_FULL
    names = {"#interval": "interval"}
    values: Item = {":now": now_us}
    if key_hash is None:
        caller = EXISTS
    else:
        caller = _KEY_IS_LIVE
        expression += _KEY_WAS_USED
        names |= {"#keys": "keys", "#hash": key_hash}
        values[":ms"] = now_us // 1_000
    if shape is not None:
        expression += _NEW_SHAPE
        condition += " AND tier = :tier"
        values |= {f":{name}": value for name, value in shape.items()}
    with table.one_try_when_throttled():
        item = table.update(
            key,
            expression,
            condition=f"{caller} AND {condition}",
            names=names,
            values=values,
            returning="ALL_NEW",
        )
    return Allowance.from_item(item)


def get_allowance(organization: str, request_class: RequestClass) -> Allowance | None:
    """Return an organization's allowance, or None. Raises table.Throttled."""
    with table.one_try_when_throttled():
        return _allowances.find(organization, request_class.value)


def charge_full_bucket(
    key: Key, now_us: int, interval: int, next_at: int, full_at: int, expires_at: int
) -> Bucket:
    """Charge tokens to a bucket that is new or full. Raises as `charge_allowance`."""
    values = {
        ":now": now_us,
        ":interval": interval,
        ":next": next_at,
        ":full": full_at,
        ":expires": expires_at,
    }
    return _charge(key, f"SET nextAt = :next, fullAt = :full, {_SHAPE}", _NEW_OR_FULL, values)


def charge_filling_bucket(key: Key, now_us: int, interval: int, count: int, expires_at: int) -> Bucket:
    """Charge tokens to a bucket that holds them and is not full. Raises as `charge_allowance`."""
    values = {
        ":now": now_us,
        ":latest": now_us - (count - 1) * interval,
        ":interval": interval,
        ":earned": count * interval,
        ":expires": expires_at,
    }
    expression = f"SET nextAt = nextAt + :earned, fullAt = fullAt + :earned, {_SHAPE}"
    return _charge(key, expression, _FILLING, values)


def refund_to_bucket(key: Key, interval: int, count: int) -> None:
    """Refund tokens to a bucket. A bucket that is full, or that DynamoDB has expired, stays full.

    Raises table.Throttled.
    """
    with suppress(ConditionFailed), table.one_try_when_throttled():
        table.update(
            key,
            "SET nextAt = nextAt - :earned, fullAt = fullAt - :earned",
            condition=EXISTS,
            values={":earned": count * interval},
        )


def _charge(key: Key, expression: str, condition: str, values: Item) -> Bucket:
    with table.one_try_when_throttled():
        item = table.update(
            key,
            expression,
            condition=condition,
            names={"#interval": "interval"},
            values=values,
            returning="ALL_NEW",
        )
    return bucket_of(key, item)


def add_refused_minute(organization: str, minute: int) -> int:
    """Note a minute (since 1970) in which an organization was refused; return how many of the last sixty there were.

    Each minute has the attribute of its place in the hour, so the item has sixty at most. Raises table.Throttled.
    """
    with table.one_try_when_throttled():
        item = table.update(
            FairUse.key_for(organization),
            "SET #minute = :minute, expiresAt = :expires",
            names={"#minute": f"{_REFUSED_AT}{minute % _HOUR_MINUTES}"},
            values={":minute": minute, ":expires": (minute + 2 * _HOUR_MINUTES) * _MINUTE_SECONDS},
            returning="ALL_NEW",
        )
    refused = [value for name, value in item.items() if name.startswith(_REFUSED_AT)]
    return sum(1 for each in refused if each > minute - _HOUR_MINUTES)


def get_bucket(key: Key) -> Bucket | None:
    """Return a bucket, or None if there is none, which means that it is full. Raises table.Throttled."""
    with table.one_try_when_throttled():
        item = table.get(key)
    return None if item is None else bucket_of(key, item)


def bucket_of(key: Key, item: Item) -> Bucket:
    """Return the bucket in an item, which is of the kind of its key."""
    return cast("Bucket", key.kind.from_item(item))


def token_with_person(token_hash: str, person_id: str) -> tuple[AccessToken, TokenPerson] | None:
    """Return a token with its person, in one call; None if either is missing or the token is another person's."""
    token_key, person_key = AccessToken.key_for(token_hash), TokenPerson.key_for(person_id)
    found = table.get_many([token_key, person_key])
    if len(found) < len((token_key, person_key)):
        return None
    token, person = AccessToken.from_item(found[token_key]), TokenPerson.from_item(found[person_key])
    return (token, person) if token.user_id == person.id else None
