"""Items of deliveries, and everything that one attempt reads."""

from collections.abc import Sequence
from dataclasses import dataclass

from helpdesk.delivery.attempts import CLAIM_MS, DeliveryState, Progress
from helpdesk.delivery.outcome import Failure, Outcome
from helpdesk.platform import clock
from helpdesk.storage import keys, shards, table
from helpdesk.storage.table import ConditionFailed, Item

HISTORY_DAYS = 30
_DAY_SECONDS = 86_400

# A delivery that was booked before there were redeliveries has no number and is on its first chain.
_SAME_CHAIN = "(attribute_not_exists(chain) OR chain = :chain)"


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event's way to one endpoint."""

    organization: str
    endpoint_id: str
    event_id: str

    @property
    def key(self) -> keys.Delivery:
        """The item's key."""
        return keys.Delivery(self.organization, self.endpoint_id, self.event_id)


def watched(delivery: Delivery, due_at: int) -> Item:
    """Return the entry in GSI1 that a delivery has while it is pending, by which the reconciler finds one overdue.

    It is written and removed with the delivery's state, so it costs no call of its own.
    """
    return {
        "GSI1PK": shards.pending_deliveries(shards.shard_of(delivery.event_id)),
        "GSI1SK": f"{due_at:013d}",
    }


@dataclass(frozen=True, slots=True)
class Envelope:
    """What one attempt needs: how far the delivery is, what to send, where to and signed with what."""

    progress: Progress | None
    body: str | None
    endpoint: Item | None
    secret: str | None
    standard_secrets: Sequence[str] = ()
    """The endpoint's own secrets for the Standard Webhooks form, the newest first; none unless it asked for one."""


def book(delivery: Delivery, event_type: str, created_at: int) -> None:
    """Add a delivery that has no attempt yet; one that is there already stays as it is."""
    item = {
        **delivery.key.attributes(),
        **watched(delivery, clock.now_ms()),
        "eventId": delivery.event_id,
        "endpointId": delivery.endpoint_id,
        "type": event_type,
        "eventCreatedAt": created_at,
        "bookedAt": clock.now_ms(),
        "state": DeliveryState.PENDING.value,
        "chain": 1,
        "made": 0,
        "recorded": True,
        "claimedUntil": 0,
        "nextAt": created_at,
        "attempts": [],
        "expiresAt": clock.seconds_from_now(HISTORY_DAYS * _DAY_SECONDS),
    }
    try:
        table.put_new(item)
    except ConditionFailed:
        return


def load(delivery: Delivery, key_id: str | None) -> Envelope:
    """Return what an attempt needs, in one call.

    Every secret that an endpoint can have is read: the one of its key, the random one that replaced it when the key
    was revoked (Specification: Events, Which key signs), and its own for the Standard Webhooks form.
    """
    event = keys.Event(delivery.organization, delivery.event_id)
    endpoint = keys.WebhookEndpoint(delivery.organization, delivery.endpoint_id)
    replaced = keys.EndpointSecret(delivery.organization, delivery.endpoint_id)
    standard = keys.StandardSecret(delivery.organization, delivery.endpoint_id)
    wanted: list[keys.ItemKey] = [delivery.key, event, endpoint, replaced, standard]
    derived = keys.KeySecret(delivery.organization, key_id) if key_id else None
    if derived is not None:
        wanted.append(derived)
    found = table.get_many(wanted)
    secret = found.get(replaced) or (found.get(derived) if derived is not None else None)
    return Envelope(
        progress=progress_of(found.get(delivery.key)),
        body=found[event]["body"] if event in found else None,
        endpoint=found.get(endpoint),
        secret=secret["webhooks"] if secret else None,
        standard_secrets=_standard_secrets(found.get(standard)),
    )


class ClaimLost(Exception):
    """Another worker was faster; `progress` is how far the delivery is now."""

    def __init__(self, item: Item | None) -> None:
        self.progress = progress_of(item)
        super().__init__("claim lost")


def claim(delivery: Delivery, seen: Progress, attempt: int, now: int) -> None:
    """Count an attempt as made and hold it until its result is recorded. Raises ClaimLost.

    Where the attempt before was claimed and never recorded, its worker died after queueing this one; the history
    gets its entry here.
    """
    expression = "SET made = :attempt, recorded = :no, claimedUntil = :until"
    values: Item = {":attempt": attempt, ":no": False, ":until": now + CLAIM_MS}
    if not seen.recorded:
        expression += ", attempts = list_append(attempts, :entry)"
        values[":entry"] = [interrupted(seen)]
    _advance(delivery, seen, expression, values)


@dataclass(frozen=True, slots=True)
class Result:
    """What came of an attempt: of which chain, which one, begun when (ms), how it went, and what becomes of it all.

    `next_at` is when the next attempt is due (ms), None where there is none.
    """

    chain: int
    attempt: int
    started_at: int
    outcome: Outcome
    state: DeliveryState
    next_at: int | None


def record(delivery: Delivery, result: Result) -> None:
    """Record an attempt's result and what becomes of the delivery.

    A success counts although the claim ran out meanwhile; a failure that comes so late was recorded as
    interrupted already. A delivery that is over stays over, and one that is made again has another chain.
    """
    outcome = result.outcome
    condition = f"#state = :pending AND {_SAME_CHAIN}"
    values: Item = {
        ":entry": [
            _entry(result.attempt, result.started_at, outcome.status, outcome.error, outcome.duration_ms)
        ],
        ":yes": True,
        ":state": result.state.value,
        ":pending": DeliveryState.PENDING.value,
        ":chain": result.chain,
        ":next": result.next_at,
    }
    if not outcome.succeeded:
        condition += " AND made = :made AND recorded = :no"
        values |= {":made": result.attempt, ":no": False}
    expression, watch = _result_of(delivery, result.next_at)
    try:
        table.update(
            delivery.key,
            expression,
            condition=condition,
            names={"#state": "state"},
            values=values | watch,
        )
    except ConditionFailed:
        return


def record_interrupted(delivery: Delivery, seen: Progress, state: DeliveryState, next_at: int | None) -> None:
    """Record that the worker of the last attempt died. Raises ClaimLost where someone else did it."""
    expression, watch = _result_of(delivery, next_at)
    _advance(
        delivery,
        seen,
        expression,
        {
            ":entry": [interrupted(seen)],
            ":yes": True,
            ":state": state.value,
            ":next": next_at,
            **watch,
        },
    )


def _result_of(delivery: Delivery, next_at: int | None) -> tuple[str, Item]:
    """Return the expression that records a result, with the values by which it is watched on, if it is."""
    expression = (
        "SET attempts = list_append(attempts, :entry), recorded = :yes, #state = :state, nextAt = :next"
    )
    if next_at is None:
        return f"{expression} REMOVE GSI1PK, GSI1SK", {}
    return f"{expression}, {WATCH}", watch_values(delivery, next_at)


WATCH = "GSI1PK = :watched, GSI1SK = :dueAt"


def watch_values(delivery: Delivery, due_at: int) -> Item:
    """Return the values that go with `WATCH` in an update's SET."""
    entry = watched(delivery, due_at)
    return {":watched": entry["GSI1PK"], ":dueAt": entry["GSI1SK"]}


def cancel(delivery: Delivery) -> None:
    """End a delivery whose endpoint or event is gone."""
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


def _advance(delivery: Delivery, seen: Progress, expression: str, values: Item) -> None:
    try:
        table.update(
            delivery.key,
            expression,
            condition=(
                f"#state = :pending AND {_SAME_CHAIN} AND made = :seenMade AND recorded = :seenRecorded "
                "AND claimedUntil = :seenUntil"
            ),
            names={"#state": "state"},
            values={
                **values,
                ":pending": DeliveryState.PENDING.value,
                ":chain": seen.chain,
                ":seenMade": seen.made,
                ":seenRecorded": seen.recorded,
                ":seenUntil": seen.claimed_until,
            },
        )
    except ConditionFailed as failed:
        raise ClaimLost(failed.item) from None


def progress_of(item: Item | None) -> Progress | None:
    """Read how far a delivery has come."""
    if item is None:
        return None
    return Progress(
        DeliveryState(item["state"]),
        item["made"],
        item["recorded"],
        item["claimedUntil"],
        item.get("chain", 1),
    )


def _standard_secrets(item: Item | None) -> list[str]:
    """Return the secrets that sign at this moment: the present one, and those that it replaced lately."""
    if item is None:
        return []
    now = clock.now_ms()
    former = [(item["former"], item["formerUntil"]), (item["older"], item["olderUntil"])]
    return [item["present"], *(secret for secret, until in former if secret and until > now)]


def interrupted(seen: Progress) -> Item:
    """Return the entry of an attempt whose worker died before it could record what came of it."""
    return _entry(seen.made, seen.claimed_until - CLAIM_MS, None, Failure.INTERRUPTED, CLAIM_MS)


def _entry(attempt: int, at: int, status: int | None, error: Failure | None, duration_ms: int) -> Item:
    return {
        "attempt": attempt,
        "at": at,
        "status": status,
        "error": None if error is None else error.value,
        "durationMs": duration_ms,
    }
