"""Delivery items, and the read of one attempt."""

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from helpdesk.accounts.secret_keys.record import EndpointSecret, KeySecret
from helpdesk.events.outbox import EVENT_DAYS, Event
from helpdesk.outbound.outcome import Failure, Outcome
from helpdesk.platform import clock
from helpdesk.platform.record import Record
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import shards, table
from helpdesk.storage.stored import Key, plain
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.webhooks.delivery.attempts import CLAIM_MS, DeliveryState, Progress
from helpdesk.webhooks.delivery.record import AttemptRecord, Delivery, DeliveryId
from helpdesk.webhooks.record import StandardSecret, WebhookEndpoint

_MAX_FAILURES = 5
"""How often the reconciler fails to read a delivery before it gives it up."""

_MAY_STILL_SUCCEED = {DeliveryState.PENDING, DeliveryState.DROPPED}

NOT_PENDING: Mapping[str, None] = {"GSI1PK": None, "indexed_at": None}
"""The values with which a delivery leaves the index of pending deliveries."""


def pending(delivery: DeliveryId, due_at: int) -> Mapping[str, str]:
    """Return the values with which a delivery is in the index of pending deliveries, sorted by when it is due (ms).

    The reconciler finds overdue deliveries by it. The entry is written and removed together with the delivery's state,
    so it costs no further call.
    """
    shard = shards.shard_of(delivery.event_id)
    return {
        "GSI1PK": Delivery.partition_for(str(shard), index="GSI1"),
        "indexed_at": indexed_at(due_at),
    }


def indexed_at(instant_ms: int) -> str:
    """Return an instant as the sort key of the index of pending deliveries."""
    return f"{instant_ms:013d}"


class DeliveryContext(Record):
    """What one attempt needs: the delivery's progress, the body, the endpoint and the secrets to sign with."""

    progress: Progress | None
    body: str | None
    endpoint: WebhookEndpoint | None
    secret: str | None
    standard_secrets: Sequence[str] = ()
    """The endpoint's own secrets for the Standard Webhooks form, newest first; empty if it has none."""


def create(delivery: DeliveryId, event_type: str, created_at: int) -> None:
    """Create a delivery without attempts. A delivery that exists stays as it is."""
    now = clock.now_ms()
    record = Delivery(
        organization=delivery.organization,
        endpoint_id=delivery.endpoint_id,
        event_id=delivery.event_id,
        type=event_type,
        event_created_at=created_at,
        created_at=now,
        state=DeliveryState.PENDING,
        made=0,
        recorded=True,
        claimed_until=0,
        run=1,
        next_at=created_at,
        attempts=(),
        expires_at=clock.seconds_from_now(EVENT_DAYS * DAY_SECONDS),
        indexed_at=indexed_at(now),
    )
    try:
        table.put_new(record)
    except ConditionFailed:
        return


def load_context(delivery: DeliveryId, key_id: str | None) -> DeliveryContext:
    """Return the data of an attempt, in one call.

    That includes every secret that an endpoint can have: its key's secret, its own for the Standard Webhooks form, and
    the random one that replaces the key's when the key is revoked (Specification: Events, Which key signs).
    """
    event = Event.key_for(delivery.organization, delivery.event_id)
    endpoint = WebhookEndpoint.key_for(delivery.organization, delivery.endpoint_id)
    replaced = EndpointSecret.key_for(delivery.organization, delivery.endpoint_id)
    standard = StandardSecret.key_for(delivery.organization, delivery.endpoint_id)
    wanted: list[Key] = [delivery.key, event, endpoint, replaced, standard]
    derived = KeySecret.key_for(delivery.organization, key_id) if key_id else None
    if derived is not None:
        wanted.append(derived)
    found = table.get_many(wanted)
    secret = found.get(replaced) or (found.get(derived) if derived is not None else None)
    own = StandardSecret.from_item(found[standard]) if standard in found else None
    return DeliveryContext(
        progress=_progress(found.get(delivery.key)),
        body=found[event]["body"] if event in found else None,
        endpoint=WebhookEndpoint.from_item(found[endpoint]) if endpoint in found else None,
        secret=secret["webhooks"] if secret else None,
        standard_secrets=() if own is None else own.valid(clock.now_ms()),
    )


class ClaimLost(Exception):
    """Another worker was faster; `progress` is how far the delivery is now, None if it is gone."""

    def __init__(self, item: Item | None) -> None:
        self.progress = _progress(item)
        super().__init__("claim lost")


def claim(delivery: DeliveryId, seen: Progress, attempt: int, now: int) -> None:
    """Count an attempt as made and hold it until its result is recorded. Raises ClaimLost to all but one caller.

    If the attempt before was claimed and never recorded, its worker died after it queued this one. Its entry is added
    to the history here.
    """
    _advance(
        delivery,
        seen,
        {"made": attempt, "recorded": False, "claimed_until": now + CLAIM_MS},
        attempts=() if seen.recorded else (AttemptRecord.interrupted(seen),),
    )


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
            set=_recorded(delivery, result.state, result.next_at),
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
                    **({"state": DeliveryState.DELIVERED, "next_at": None, **NOT_PENDING} if counts else {}),
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
    _advance(delivery, seen, _recorded(delivery, state, next_at), attempts=(AttemptRecord.interrupted(seen),))


def _recorded(delivery: DeliveryId, state: DeliveryState, next_at: int | None) -> Mapping[str, Any]:
    """Return the values of a delivery whose last attempt is recorded."""
    index = NOT_PENDING if next_at is None else pending(delivery, next_at)
    return {"recorded": True, "state": state, "next_at": next_at, **index}


def cancel(delivery: DeliveryId) -> None:
    """Cancel a delivery whose endpoint or event no longer exists."""
    try:
        table.change(
            delivery.key,
            set={"state": DeliveryState.CANCELLED, **NOT_PENDING},
            require={"state": DeliveryState.PENDING},
        )
    except ConditionFailed:
        return


def _advance(
    delivery: DeliveryId, seen: Progress, values: Mapping[str, Any], *, attempts: Sequence[AttemptRecord]
) -> None:
    """Write a pending delivery's next state if it is still as it was seen. Raises ClaimLost.

    If the response to a write is lost, the client repeats the write, whose condition then fails against the first one.
    The token in the item shows that, so no attempt is skipped.
    """
    token = new_token()
    try:
        table.change(
            delivery.key,
            set={"write_token": token, **values},
            append={"attempts": attempts},
            require={**as_seen(seen), "state": DeliveryState.PENDING},
        )
    except ConditionFailed as failed:
        if failed.item is None or failed.item.get("writeToken") != token:
            raise ClaimLost(failed.item) from None


def new_token() -> str:
    """Return a random text that no other write has."""
    return secrets.token_hex(8)


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


def list_overdue(shard: int, before: int, after: Item | None) -> tuple[list[Item], Item | None]:
    """Return a page of a shard's pending deliveries that were due before an instant (ms), and the key it ends at.

    They are items, because the reader of many organizations' deliveries must pass over one that cannot be read.
    """
    page = table.query(
        Delivery.partition_for(str(shard), index="GSI1"),
        index="GSI1",
        sk_between=("0", indexed_at(before)),
        limit=table.MAX_BATCH_GET,  # their endpoints are read together
        after=after,
    )
    return page.items, page.after


def note_unreadable(item: Item) -> bool:
    """Note that a pending delivery cannot be read; return whether it was given up now, which the fifth time does.

    Until then the reconciler looks at it again after the same time. An item whose key is no delivery's stays as it is.
    """
    parts = Delivery.parse(*table.key_of(item))
    if parts is None:
        return False
    failures = item.get("unreadable")
    failures = failures + 1 if isinstance(failures, int) else 1
    given_up = failures >= _MAX_FAILURES
    try:
        table.change(
            Delivery.key_for(*parts.values()),
            set={
                "unreadable": failures,
                **(NOT_PENDING if given_up else {"indexed_at": indexed_at(clock.now_ms())}),
            },
            require={"indexed_at": item["GSI1SK"]},
        )
    except ConditionFailed:
        return False
    return given_up


def signing_keys(deliveries: Sequence[DeliveryId]) -> dict[DeliveryId, str | None]:
    """Return the key that signs for each delivery's endpoint; None without a key or an endpoint. One call for 100.

    One unreadable endpoint must not hold up the others, so nothing else of them is read.
    """
    endpoints = {each: WebhookEndpoint.key_for(each.organization, each.endpoint_id) for each in deliveries}
    found = table.get_many(list(set(endpoints.values())))
    signed_by = {key: item.get("keyId") for key, item in found.items()}
    return {
        each: key_id if isinstance(key_id := signed_by.get(key), str) else None
        for each, key in endpoints.items()
    }


def postpone_check(delivery: Delivery) -> None:
    """Let the reconciler look at a delivery again after the same time, unless anything happened to it meanwhile."""
    try:
        table.change(
            delivery.key,
            set=pending(delivery.id, clock.now_ms()),
            require={"indexed_at": delivery.indexed_at},
        )
    except ConditionFailed:
        return


def delete_events(organization: str, event_ids: Sequence[str], endpoint_ids: Sequence[str]) -> None:
    """Remove events and the items of their deliveries to these endpoints."""
    wanted: list[Key] = [Event.key_for(organization, each) for each in event_ids]
    wanted += [Delivery.key_for(organization, to, each) for each in event_ids for to in endpoint_ids]
    table.delete_many(wanted)
