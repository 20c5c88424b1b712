"""Delivery items, and the read of one attempt."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from helpdesk.accounts.secret_keys.record import EndpointSecret, KeySecret
from helpdesk.events.outbox import EVENT_DAYS, Event
from helpdesk.outbound.outcome import Failure, Outcome
from helpdesk.platform import clock
from helpdesk.platform.record import Record
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import table
from helpdesk.storage.stored import Key, plain
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.webhooks.delivery.attempts import CLAIM_MS, DeliveryState, Progress
from helpdesk.webhooks.delivery.record import AttemptRecord, Delivery, DeliveryId
from helpdesk.webhooks.record import StandardSecret, WebhookEndpoint

_MAY_STILL_SUCCEED = {DeliveryState.PENDING, DeliveryState.DROPPED}


class DeliveryContext(Record):
    """What one attempt needs: the delivery's progress, the event, the endpoint and the secrets to sign with."""

    progress: Progress | None
    event: Event | None
    endpoint: WebhookEndpoint | None
    secret: str | None
    standard_secrets: Sequence[str] = ()
    """The endpoint's own secrets for the Standard Webhooks form, newest first; empty if it has none."""


class ContextKeys(NamedTuple):
    """The keys of what one attempt needs.

    They include every secret that an endpoint can have: its key's, its own for the Standard Webhooks form, and the
    random one that replaces the key's when the key is revoked (Specification: Events, Which key signs).
    """

    delivery: Key
    event: Key
    endpoint: Key
    replaced: Key
    standard: Key
    derived: Key | None

    @classmethod
    def of(cls, delivery: DeliveryId, key_id: str | None) -> "ContextKeys":
        """Return the keys for a delivery to an endpoint whose key had this ID when the task was queued."""
        organization, endpoint_id = delivery.organization, delivery.endpoint_id
        return cls(
            delivery.key,
            Event.key_for(organization, delivery.event_id),
            WebhookEndpoint.key_for(organization, endpoint_id),
            EndpointSecret.key_for(organization, endpoint_id),
            StandardSecret.key_for(organization, endpoint_id),
            KeySecret.key_for(organization, key_id) if key_id else None,
        )


def load(wanted: Sequence[ContextKeys]) -> dict[Key, Item]:
    """Return the items that attempts need. One call for those of a batch."""
    return table.get_many(list({key: None for keys in wanted for key in keys if key is not None}))


def context_of(keys: ContextKeys, found: Mapping[Key, Item]) -> DeliveryContext:
    """Return what an attempt needs of the items that were loaded. Raises UnreadableItem."""
    secret = found.get(keys.replaced) or (None if keys.derived is None else found.get(keys.derived))
    own = StandardSecret.from_item(found[keys.standard]) if keys.standard in found else None
    return DeliveryContext(
        progress=_progress(found.get(keys.delivery)),
        event=Event.from_item(found[keys.event]) if keys.event in found else None,
        endpoint=WebhookEndpoint.from_item(found[keys.endpoint]) if keys.endpoint in found else None,
        secret=secret["webhooks"] if secret else None,
        standard_secrets=() if own is None else own.valid(clock.now_ms()),
    )


class ClaimLost(Exception):
    """Another worker was faster; `progress` is how far the delivery is now, None if it is gone."""

    def __init__(self, item: Item | None) -> None:
        self.progress = _progress(item)
        super().__init__("claim lost")


def claim(delivery: DeliveryId, event: Event, seen: Progress | None, attempt: int, now: int) -> None:
    """Count an attempt as made, and hold it until its result is recorded.

    The first attempt's claim creates the delivery. Raises ClaimLost to all but one caller.

    If the attempt before was claimed and never recorded, its worker died after it queued this one. Its entry is added
    to the history here.
    """
    claimed_until = now + CLAIM_MS
    if seen is not None:
        values = {"made": attempt, "recorded": False, "claimed_until": claimed_until}
        _advance(delivery, seen, values, attempts=() if seen.recorded else (AttemptRecord.interrupted(seen),))
        return
    token = _new_token()
    created = Delivery(
        organization=delivery.organization,
        endpoint_id=delivery.endpoint_id,
        event_id=delivery.event_id,
        type=event.type,
        event_created_at=event.created_at,
        state=DeliveryState.PENDING,
        made=attempt,
        recorded=False,
        claimed_until=claimed_until,
        run=1,
        attempts=(),
        expires_at=clock.seconds_from_now(EVENT_DAYS * DAY_SECONDS),
        write_token=token,
    )
    try:
        table.put_new(created)
    except ConditionFailed as failed:
        _require_own(failed.item, token)


class Result(Record):
    """The result of an attempt: its run and number, when it began (ms), its outcome, and the delivery's new state.

    `next_at` is when the next attempt is due (ms), None if there is none.
    """

    run: int
    attempt: int
    started_at: int
    outcome: Outcome
    state: DeliveryState
    next_at: int | None


def record(delivery: DeliveryId, result: Result) -> bool:
    """Record an attempt's result and the delivery's new state; return whether the delivery now has that state.

    A result is late if the claim expired and another worker continued. It then replaces "interrupted" in the history.
    A late success still ends the delivery, unless the delivery was cancelled or is in another run. A late failure does
    not change the state, because the attempt was counted as failed.
    """
    outcome = result.outcome
    entry = AttemptRecord(
        result.attempt, result.started_at, outcome.status, outcome.error, outcome.duration_ms
    )
    try:
        table.change(
            delivery.key,
            set=_recorded(result.state, result.next_at),
            append={"attempts": [entry]},
            require={
                "state": DeliveryState.PENDING,
                "run": result.run,
                "made": result.attempt,
                "recorded": False,
            },
        )
    except ConditionFailed as failed:
        return _record_late(delivery, result, plain(entry), failed.item)
    return True


def _record_late(delivery: DeliveryId, result: Result, entry: Item, item: Item | None) -> bool:
    """Record a late result; `item` is the delivery as it is now.

    The history is compared and written as it is in the item, so that no attempt of a later version is changed.
    """
    while item is not None:
        if entry in item["attempts"]:
            return (
                True  # recorded by this call: the response to the write was lost, and the client retried it
            )
        seen = Delivery.from_item(item).progress
        same_run = seen.run == result.run
        counts = same_run and result.outcome.succeeded and seen.state in _MAY_STILL_SUCCEED
        try:
            table.change(
                delivery.key,
                set={
                    "attempts": _with_late(item["attempts"], entry),
                    # If the next attempt is under way, its own result is still to come.
                    "recorded": seen.recorded or (same_run and seen.made == result.attempt),
                    **({"state": DeliveryState.DELIVERED, "next_at": None} if counts else {}),
                },
                require={"attempts": item["attempts"], **as_seen(seen)},
            )
        except ConditionFailed as failed:
            item = failed.item
        else:
            return counts
    return False


def _with_late(attempts: list[Item], entry: Item) -> list[Item]:
    """Return the history with an attempt's late result in place of its "interrupted" entry."""

    def is_stand_in(other: Item) -> bool:
        thought_dead: bool = other["error"] == Failure.INTERRUPTED.value
        return thought_dead and (other["attempt"], other["at"]) == (entry["attempt"], entry["at"])

    if any(is_stand_in(other) for other in attempts):
        return [entry if is_stand_in(other) else other for other in attempts]
    return [*attempts, entry]


def record_interrupted(
    delivery: DeliveryId, seen: Progress, state: DeliveryState, next_at: int | None
) -> None:
    """Record that the worker of the last attempt died. Raises ClaimLost if another worker recorded it."""
    _advance(delivery, seen, _recorded(state, next_at), attempts=(AttemptRecord.interrupted(seen),))


def _recorded(state: DeliveryState, next_at: int | None) -> Mapping[str, Any]:
    """Return the values of a delivery whose last attempt is recorded."""
    return {"recorded": True, "state": state, "next_at": next_at}


def cancel(delivery: DeliveryId) -> None:
    """Cancel a delivery, if it has begun, because its endpoint or event no longer exists."""
    try:
        table.change(
            delivery.key,
            set={"state": DeliveryState.CANCELLED},
            require={"state": DeliveryState.PENDING},
        )
    except ConditionFailed:
        return


def _advance(
    delivery: DeliveryId, seen: Progress, values: Mapping[str, Any], *, attempts: Sequence[AttemptRecord]
) -> None:
    """Write a pending delivery's next state if it is still as it was seen. Raises ClaimLost."""
    token = _new_token()
    try:
        table.change(
            delivery.key,
            set={"write_token": token, **values},
            append={"attempts": attempts},
            require={**as_seen(seen), "state": DeliveryState.PENDING},
        )
    except ConditionFailed as failed:
        _require_own(failed.item, token)


def _new_token() -> str:
    """Return a random text that no other write has."""
    return secrets.token_hex(8)


def _require_own(item: Item | None, token: str) -> None:
    """Raise ClaimLost unless the item that a condition found was written with this token.

    If the response to a write is lost, the client repeats the write, whose condition then fails against the first one.
    The token shows that, so no attempt is skipped.
    """
    if item is None or item.get("writeToken") != token:
        raise ClaimLost(item) from None


def as_seen(seen: Progress) -> Mapping[str, Any]:
    """Return the values that a delivery has while it is as far as it was seen."""
    return {
        "state": seen.state,
        "run": seen.run,
        "made": seen.made,
        "recorded": seen.recorded,
        "claimed_until": seen.claimed_until,
    }


def _progress(item: Item | None) -> Progress | None:
    return None if item is None else Delivery.from_item(item).progress


def delete_events(organization: str, event_ids: Sequence[str], endpoint_ids: Sequence[str]) -> None:
    """Remove events and the items of their deliveries to these endpoints."""
    wanted: list[Key] = [Event.key_for(organization, each) for each in event_ids]
    wanted += [Delivery.key_for(organization, to, each) for each in event_ids for to in endpoint_ids]
    table.delete_many(wanted)
