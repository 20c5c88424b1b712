"""Delivery items, and the read of one attempt."""

import secrets
from collections.abc import Sequence

from helpdesk.delivery.attempts import CLAIM_MS, DeliveryState, Progress
from helpdesk.delivery.record import AttemptRecord, DeliveryId, DeliveryRecord, progress_from_item
from helpdesk.outbound.outcome import Failure, Outcome
from helpdesk.platform import clock
from helpdesk.platform.record import Record
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import keys, shards, table
from helpdesk.storage.stored import AnyKey
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.webhooks.record import StandardSecret, WebhookEndpoint

HISTORY_DAYS = 30

_MAX_FAILURES = 5
"""How often the reconciler fails to read a delivery before it gives it up."""

_AS_SEEN = (
    "#state = :seenState AND run = :run AND made = :seenMade AND recorded = :seenRecorded "
    "AND claimedUntil = :seenUntil"
)
_MAY_STILL_SUCCEED = {DeliveryState.PENDING, DeliveryState.DROPPED}


def pending_index(delivery: DeliveryId, due_at: int) -> Item:
    """Return the entry in GSI1 that a delivery has while it is pending. The reconciler finds overdue deliveries by it.

    It is written and removed together with the delivery's state, so it costs no further call.
    """
    return {
        "GSI1PK": shards.pending_deliveries(shards.shard_of(delivery.event_id)),
        "GSI1SK": f"{due_at:013d}",
    }


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
    record = DeliveryRecord(
        id=delivery,
        type=event_type,
        event_created_at=created_at,
        created_at=now,
        progress=Progress(DeliveryState.PENDING, 0, recorded=True, claimed_until=0),
        next_at=created_at,
        attempts=(),
        expires_at=clock.seconds_from_now(HISTORY_DAYS * DAY_SECONDS),
    )
    item = record.to_item() | pending_index(delivery, now)
    try:
        table.put_new(item)
    except ConditionFailed:
        return


def load_context(delivery: DeliveryId, key_id: str | None) -> DeliveryContext:
    """Return the data of an attempt, in one call.

    That includes every secret that an endpoint can have: its key's secret, its own for the Standard Webhooks form, and
    the random one that replaces the key's when the key is revoked (Specification: Events, Which key signs).
    """
    event = keys.Event(delivery.organization, delivery.event_id)
    endpoint = WebhookEndpoint.key_for(delivery.organization, delivery.endpoint_id)
    replaced = keys.EndpointSecret(delivery.organization, delivery.endpoint_id)
    standard = StandardSecret.key_for(delivery.organization, delivery.endpoint_id)
    wanted: list[AnyKey] = [delivery.key, event, endpoint, replaced, standard]
    derived = keys.KeySecret(delivery.organization, key_id) if key_id else None
    if derived is not None:
        wanted.append(derived)
    found = table.get_many(wanted)
    secret = found.get(replaced) or (found.get(derived) if derived is not None else None)
    return DeliveryContext(
        progress=progress_of(found.get(delivery.key)),
        body=found[event]["body"] if event in found else None,
        endpoint=WebhookEndpoint.from_item(found[endpoint]) if endpoint in found else None,
        secret=secret["webhooks"] if secret else None,
        standard_secrets=StandardSecret.from_item(found[standard]).valid(clock.now_ms())
        if standard in found
        else (),
    )


class ClaimLost(Exception):
    """Another worker was faster; `progress` is how far the delivery is now, None if it is gone."""

    def __init__(self, item: Item | None) -> None:
        self.progress = progress_of(item)
        super().__init__("claim lost")


def claim(delivery: DeliveryId, seen: Progress, attempt: int, now: int) -> None:
    """Count an attempt as made and hold it until its result is recorded. Raises ClaimLost to all but one caller.

    If the attempt before was claimed and never recorded, its worker died after it queued this one. Its entry is added
    to the history here.
    """
    expression = "SET made = :attempt, recorded = :no, claimedUntil = :until"
    values: Item = {":attempt": attempt, ":no": False, ":until": now + CLAIM_MS}
    if not seen.recorded:
        expression += ", attempts = list_append(attempts, :entry)"
        values[":entry"] = [AttemptRecord.interrupted(seen).to_item()]
    _advance(delivery, seen, expression, values)


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
    ).to_item()
    expression, index_values = _result_of(delivery, result.next_at)
    try:
        table.update(
            delivery.key,
            expression,
            condition="#state = :pending AND run = :run AND made = :made AND recorded = :no",
            names={"#state": "state"},
            values={
                ":entry": [entry],
                ":yes": True,
                ":no": False,
                ":made": result.attempt,
                ":state": result.state.value,
                ":pending": DeliveryState.PENDING.value,
                ":run": result.run,
                ":next": result.next_at,
                **index_values,
            },
        )
    except ConditionFailed as failed:
        return _record_late(delivery, result, entry, failed.item)
    return True


def _record_late(delivery: DeliveryId, result: Result, entry: Item, item: Item | None) -> bool:
    """Record a late result; `item` is the delivery as it is now."""
    while item is not None:
        if entry in item["attempts"]:
            return (
                True  # recorded by this call: the response to the write was lost, and the client retried it
            )
        seen = progress_from_item(item)
        same_run = seen.run == result.run
        counts = same_run and result.outcome.succeeded and seen.state in _MAY_STILL_SUCCEED
        # If the next attempt is under way, its own result is still to come.
        recorded = seen.recorded or (same_run and seen.made == result.attempt)
        try:
            table.update(
                delivery.key,
                "SET attempts = :attempts, recorded = :recorded, #state = :state"
                + (", nextAt = :none REMOVE GSI1PK, GSI1SK" if counts else ""),
                condition=f"attempts = :seenAttempts AND {_AS_SEEN}",
                names={"#state": "state"},
                values={
                    ":attempts": _with_late(item["attempts"], entry),
                    ":recorded": recorded,
                    ":state": DeliveryState.DELIVERED.value if counts else seen.state.value,
                    ":seenAttempts": item["attempts"],
                    **({":none": None} if counts else {}),
                    **_as_seen(seen),
                },
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
    expression, index_values = _result_of(delivery, next_at)
    _advance(
        delivery,
        seen,
        expression,
        {
            ":entry": [AttemptRecord.interrupted(seen).to_item()],
            ":yes": True,
            ":state": state.value,
            ":next": next_at,
            **index_values,
        },
    )


def _result_of(delivery: DeliveryId, next_at: int | None) -> tuple[str, Item]:
    """Return the expression that records a result, and its values for the index of pending deliveries."""
    expression = (
        "SET attempts = list_append(attempts, :entry), recorded = :yes, #state = :state, nextAt = :next"
    )
    if next_at is None:
        return f"{expression} REMOVE GSI1PK, GSI1SK", {}
    return f"{expression}, {PENDING_INDEX}", pending_index_values(delivery, next_at)


PENDING_INDEX = "GSI1PK = :pendingShard, GSI1SK = :dueAt"


def pending_index_values(delivery: DeliveryId, due_at: int) -> Item:
    """Return the values that go with `PENDING_INDEX` in an update's SET."""
    entry = pending_index(delivery, due_at)
    return {":pendingShard": entry["GSI1PK"], ":dueAt": entry["GSI1SK"]}


def cancel(delivery: DeliveryId) -> None:
    """Cancel a delivery whose endpoint or event no longer exists."""
    try:
        table.update(
            delivery.key,
            "SET #state = :cancelled REMOVE GSI1PK, GSI1SK",
            condition="#state = :pending",
            names={"#state": "state"},
            values={":cancelled": DeliveryState.CANCELLED.value, ":pending": DeliveryState.PENDING.value},
        )
    except ConditionFailed:
        return


def _advance(delivery: DeliveryId, seen: Progress, expression: str, values: Item) -> None:
    """Write an item's next state if it is still as it was seen. Raises ClaimLost.

    If the response to a write is lost, the client repeats the write, whose condition then fails against the first one.
    The token in the item shows that, so no attempt is skipped.
    """
    token = new_token()
    try:
        table.update(
            delivery.key,
            f"SET writeToken = :token, {expression.removeprefix('SET ')}",
            condition=_AS_SEEN,
            names={"#state": "state"},
            values={
                **values,
                **_as_seen(seen),
                ":seenState": DeliveryState.PENDING.value,
                ":token": token,
            },
        )
    except ConditionFailed as failed:
        if failed.item is None or failed.item.get("writeToken") != token:
            raise ClaimLost(failed.item) from None


def new_token() -> str:
    """Return a random text that no other write has."""
    return secrets.token_hex(8)


def _as_seen(seen: Progress) -> Item:
    """Return the values that go with `_AS_SEEN` in a condition."""
    return {
        ":seenState": seen.state.value,
        ":run": seen.run,
        ":seenMade": seen.made,
        ":seenRecorded": seen.recorded,
        ":seenUntil": seen.claimed_until,
    }


def progress_of(item: Item | None) -> Progress | None:
    """Read how far a delivery has come; None if there is no delivery."""
    return None if item is None else progress_from_item(item)


def list_overdue(shard: int, before: int, after: Item | None) -> tuple[list[Item], Item | None]:
    """Return a page of a shard's pending deliveries that were due before an instant (ms), and the key it ends at.

    They are items, because the reader of many organizations' deliveries must pass over one that cannot be read.
    """
    page = table.query(
        shards.pending_deliveries(shard),
        index="GSI1",
        sk_between=("0", f"{before:013d}"),
        limit=table.MAX_BATCH_GET,  # their endpoints are read together
        after=after,
    )
    return page.items, page.after


def note_unreadable(item: Item) -> bool:
    """Note that a pending delivery cannot be read; return whether it was given up now, which the fifth time does.

    Until then the reconciler looks at it again after the same time. An item whose key is no delivery's stays as it is.
    """
    key = keys.Delivery.parse(*table.key_of(item))
    if key is None:
        return False
    failures = item.get("unreadable")
    failures = failures + 1 if isinstance(failures, int) else 1
    given_up = failures >= _MAX_FAILURES
    index = " REMOVE GSI1PK, GSI1SK" if given_up else ", GSI1SK = :now"
    try:
        table.update(
            key,
            f"SET unreadable = :failures{index}",
            condition="GSI1SK = :seen",
            values={
                ":failures": failures,
                ":seen": item["GSI1SK"],
                **({} if given_up else {":now": f"{clock.now_ms():013d}"}),
            },
        )
    except ConditionFailed:
        return False
    return given_up


def signing_keys(deliveries: Sequence[DeliveryId]) -> dict[DeliveryId, str | None]:
    """Return the key that signs for each delivery's endpoint; None without a key or an endpoint. One call for 100."""
    endpoints = {each: WebhookEndpoint.key_for(each.organization, each.endpoint_id) for each in deliveries}
    found = table.get_many(list(set(endpoints.values())))
    return {each: _text_or_none(found.get(key, {}).get("keyId")) for each, key in endpoints.items()}


def _text_or_none(value: object) -> str | None:
    """Return text as it is, and None for anything else: one unreadable endpoint must not hold up the others."""
    return value if isinstance(value, str) else None


def postpone_check(delivery: DeliveryRecord) -> None:
    """Let the reconciler look at a delivery again after the same time, unless anything happened to it meanwhile."""
    try:
        table.update(
            delivery.id.key,
            f"SET {PENDING_INDEX}",
            condition="GSI1SK = :seen",
            values={":seen": delivery.indexed_at, **pending_index_values(delivery.id, clock.now_ms())},
        )
    except ConditionFailed:
        return


def delete_events(organization: str, event_ids: Sequence[str], endpoint_ids: Sequence[str]) -> None:
    """Remove events and the items of their deliveries to these endpoints."""
    wanted: list[AnyKey] = [keys.Event(organization, each) for each in event_ids]
    wanted += [keys.Delivery(organization, to, each) for each in event_ids for to in endpoint_ids]
    table.delete_many(wanted)
