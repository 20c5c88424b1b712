"""Results that come when nobody waits for them any more: none is lost from the history, and nothing is told twice."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from helpdesk.delivery import history, repository
from helpdesk.delivery.attempts import DeliveryState
from helpdesk.delivery.errors import DeliveryInProgress
from helpdesk.delivery.outcome import Failure, Outcome
from helpdesk.delivery.queue import Reminder
from helpdesk.delivery.repository import Result
from helpdesk.delivery.sender import Sender
from helpdesk.organizations.schemas import NewOrganization
from helpdesk.platform import clock
from helpdesk.storage import keys, table
from helpdesk.storage.table import Item
from tests.integration.delivery.test_reconciling import Time, add, fan_out, happened, time
from tests.integration.delivery.test_worker import batch
from tests.support.api import Client, function
from tests.support.table import everything, of_kind

__all__ = ["time"]  # the fixture

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
CLAIM_OVER = 41 * SECOND


@dataclass
class Receiver:
    """Answers 500 unless told otherwise; `meanwhile` is what happens elsewhere during the request of a number."""

    statuses: dict[int, int] = field(default_factory=dict)
    meanwhile: dict[int, Callable[[], None]] = field(default_factory=dict)
    requests: int = 0

    async def send(self, _url: str, _body: bytes, _headers: Mapping[str, str]) -> Outcome:
        self.requests += 1
        number = self.requests
        if number in self.meanwhile:
            await asyncio.to_thread(self.meanwhile[number])
        status = self.statuses.get(number, 500)
        return Outcome(status, None if status < 300 else Failure.STATUS, 100)


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Receiver:
    made = Receiver()

    async def send(_self: Sender, url: str, body: bytes, headers: Mapping[str, str]) -> Outcome:
        return await made.send(url, body, headers)

    monkeypatch.setattr(Sender, "send", send)
    return made


@pytest.fixture
def booked(organization: NewOrganization, api: Client, time: Time) -> Reminder:
    """A delivery without an attempt yet, by its first reminder."""
    endpoint_id = add(api, "message.created")
    event = happened(organization)
    fan_out(event)
    key_id = api.get("/v1/webhooks").body["webhooks"][0]["keyId"]
    return Reminder(organization.organization_id, endpoint_id, event.id, key_id, 1, 0)


def work(reminder: Reminder, attempt: int = 1, chain: int = 1) -> None:
    """Let a worker of its own handle a reminder."""
    body = replace(reminder, attempt=attempt, chain=chain).to_json()
    assert function("delivery").handler(batch(body), None) == {"batchItemFailures": []}


def delivery(reminder: Reminder) -> Item:
    item = table.get(reminder.delivery.key)
    assert item is not None
    return item


def attempts(reminder: Reminder) -> list[tuple[int, int | None]]:
    """Return the attempts of the history: number, and status of the answer."""
    return [(entry["attempt"], entry["status"]) for entry in delivery(reminder)["attempts"]]


def dropped(caplog: pytest.LogCaptureFixture) -> int:
    return sum(record.message == "event_dropped" for record in caplog.records)


def fail_four_times(reminder: Reminder, time: Time) -> None:
    for attempt in range(1, 5):
        work(reminder, attempt)
        time.now += 3 * HOUR


def found_dead(reminder: Reminder, time: Time, attempt: int = 1) -> Callable[[], None]:
    """Return what happens when a worker is thought dead: its claim runs out, and another takes note of it."""

    def taken_over() -> None:
        time.now += CLAIM_OVER
        work(reminder, attempt)

    return taken_over


def test_an_event_is_reported_dropped_once_though_its_last_worker_returns_late(
    booked: Reminder, receiver: Receiver, time: Time, caplog: pytest.LogCaptureFixture
) -> None:
    fail_four_times(booked, time)
    receiver.meanwhile[5] = found_dead(booked, time, 5)
    work(booked, 5)
    assert delivery(booked)["state"] == "dropped"
    assert dropped(caplog) == 1


def test_an_event_is_reported_dropped_though_the_answer_to_its_record_got_lost(
    booked: Reminder,
    receiver: Receiver,
    time: Time,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fail_four_times(booked, time)
    update = table.update

    def twice(key: keys.ItemKey, expression: str, **how: Any) -> Any:
        if expression.startswith("SET attempts"):
            update(key, expression, **how)  # its answer is lost, so the client writes again
        return update(key, expression, **how)

    monkeypatch.setattr(table, "update", twice)
    work(booked, 5)
    assert attempts(booked) == [(1, 500), (2, 500), (3, 500), (4, 500), (5, 500)]
    assert dropped(caplog) == 1


@pytest.mark.parametrize("status", [200, 503])
def test_what_an_attempt_came_to_is_in_the_history_though_a_redelivery_began_before_it_ended(
    booked: Reminder, receiver: Receiver, time: Time, status: int
) -> None:
    begun_at = time.now

    def redeliver() -> None:
        time.now += CLAIM_OVER
        history.redeliver(booked.organization, booked.endpoint_id, booked.event_id)

    receiver.meanwhile[1] = redeliver
    receiver.statuses = {1: status, 2: 201}
    work(booked)
    assert attempts(booked) == [(1, status)]
    assert delivery(booked)["attempts"][0]["at"] == begun_at
    # The chain that began goes on, whatever the one before came to.
    assert (delivery(booked)["state"], delivery(booked)["chain"], delivery(booked)["made"]) == (
        "pending",
        2,
        0,
    )
    work(booked, chain=2)
    assert attempts(booked) == [(1, status), (1, 201)]
    assert delivery(booked)["state"] == "delivered"


def test_a_late_success_ends_the_delivery_and_is_one_entry_of_the_history(
    booked: Reminder, receiver: Receiver, time: Time
) -> None:
    receiver.meanwhile[1] = found_dead(booked, time)
    receiver.statuses = {1: 200}
    work(booked)
    assert attempts(booked) == [(1, 200)]
    assert delivery(booked)["state"] == "delivered"
    assert "GSI1PK" not in delivery(booked)
    time.now += HOUR
    work(booked, 2)
    assert receiver.requests == 1


def test_a_late_success_of_the_fifth_attempt_makes_a_failed_delivery_delivered(
    booked: Reminder, receiver: Receiver, api: Client, time: Time
) -> None:
    fail_four_times(booked, time)
    receiver.meanwhile[5] = found_dead(booked, time, 5)
    receiver.statuses = {5: 204}
    work(booked, 5)
    (shown,) = api.get(f"/v1/webhooks/{booked.endpoint_id}/deliveries").body["deliveries"]
    assert (shown["status"], shown["nextAttemptAt"]) == ("delivered", None)
    assert attempts(booked)[3:] == [(4, 500), (5, 204)]


def test_a_late_failure_tells_what_was_answered_and_changes_nothing_else(
    booked: Reminder, receiver: Receiver, time: Time
) -> None:
    taken_over: list[Item] = []

    def meanwhile() -> None:
        found_dead(booked, time)()
        taken_over.append(delivery(booked))

    receiver.meanwhile[1] = meanwhile
    work(booked)
    assert taken_over[0]["attempts"][0]["error"] == "interrupted"
    now = delivery(booked)
    (entry,) = now.pop("attempts")
    assert (entry["status"], entry["error"], entry["durationMs"]) == (500, "status", 100)
    assert now == {name: value for name, value in taken_over[0].items() if name != "attempts"}


def test_an_endpoint_that_was_removed_during_the_attempt_leaves_the_delivery_cancelled(
    booked: Reminder, receiver: Receiver, api: Client, time: Time
) -> None:
    def meanwhile() -> None:
        found_dead(booked, time)()
        time.now += MINUTE
        api.delete(f"/v1/webhooks/{booked.endpoint_id}")
        work(booked, 2)

    receiver.meanwhile[1] = meanwhile
    receiver.statuses = {1: 200}
    work(booked)
    assert delivery(booked)["state"] == "cancelled"
    assert attempts(booked) == [(1, 200)]


def test_no_redelivery_begins_beside_an_attempt_that_a_late_success_found_under_way(
    booked: Reminder, time: Time
) -> None:
    def claim(attempt: int) -> int:
        progress = repository.load(booked.delivery, None).progress
        assert progress is not None
        repository.claim(booked.delivery, progress, attempt, time.now)
        return time.now

    def result(attempt: int, at: int, status: int) -> bool:
        good = status == 200
        outcome = Outcome(status, None if good else Failure.STATUS, 5)
        state = DeliveryState.DELIVERED if good else DeliveryState.PENDING
        next_at = None if good else time.now + HOUR
        return repository.record(booked.delivery, Result(1, attempt, at, outcome, state, next_at))

    first = claim(1)
    time.now += CLAIM_OVER
    second = claim(2)
    assert result(1, first, 200) is True
    assert delivery(booked)["state"] == "delivered"
    with pytest.raises(DeliveryInProgress):
        history.redeliver(booked.organization, booked.endpoint_id, booked.event_id)
    assert (
        result(2, second, 500) is False
    )  # it changed the history, and nothing of what becomes of the delivery
    assert attempts(booked) == [(1, 200), (2, 500)]
    assert delivery(booked)["state"] == "delivered"
    history.redeliver(booked.organization, booked.endpoint_id, booked.event_id)
    assert delivery(booked)["state"] == "pending"


def test_a_result_of_a_delivery_that_is_gone_brings_nothing_back(booked: Reminder, time: Time) -> None:
    table.delete(booked.delivery.key)
    outcome = Outcome(200, None, 5)
    late = Result(1, 1, time.now, outcome, DeliveryState.DELIVERED, None)
    assert repository.record(booked.delivery, late) is False
    assert table.get(booked.delivery.key) is None


def remove_expired(now: int) -> None:
    """Remove what is over its time, as DynamoDB does."""
    for item in everything():
        if item.get("expiresAt", now) * 1000 <= now:
            key = keys.Delivery.parse(item["PK"], item["SK"]) or keys.Event.parse(item["PK"], item["SK"])
            if key is not None:
                table.delete(key)


def test_a_redelivery_on_the_last_day_comes_to_its_end_with_its_history(
    booked: Reminder, receiver: Receiver, api: Client, time: Time
) -> None:
    work(booked)
    path = f"/v1/webhooks/{booked.endpoint_id}/deliveries"
    time.now += 30 * DAY - 2 * MINUTE
    assert api.post(f"{path}/{booked.event_id}/redeliver").status == 200
    for attempt in range(1, 6):
        work(booked, attempt, chain=2)
        time.now += 3 * HOUR
        remove_expired(time.now)
    assert receiver.requests == 6
    assert delivery(booked)["state"] == "dropped"
    assert attempts(booked) == [(1, 500), (1, 500), (2, 500), (3, 500), (4, 500), (5, 500)]
    # What was kept for the chain's sake is as old as it is, and begins no further one.
    assert api.get(path).body["deliveries"] == []
    answer = api.post(f"{path}/{booked.event_id}/redeliver")
    assert (answer.status, answer.code) == (404, "delivery_not_found")
    time.now += 2 * DAY
    remove_expired(time.now)
    assert of_kind(booked.event_id) == []


def test_a_redelivery_never_shortens_what_is_kept(booked: Reminder, receiver: Receiver, time: Time) -> None:
    work(booked)

    def kept_until() -> dict[str, int]:
        return {
            item["PK"]: item["expiresAt"]
            for item in everything()
            if booked.event_id in item["PK"] + item["SK"]
        }

    before = kept_until()
    assert len(before) == 2
    time.now += DAY
    history.redeliver(booked.organization, booked.endpoint_id, booked.event_id)
    assert kept_until() == before


def test_a_first_attempt_that_got_lost_can_be_made_by_hand_after_ten_minutes(
    booked: Reminder, receiver: Receiver, api: Client, time: Time
) -> None:
    path = f"/v1/webhooks/{booked.endpoint_id}/deliveries/{booked.event_id}/redeliver"
    time.now += 10 * MINUTE - 1
    answer = api.post(path)
    assert (answer.status, answer.code) == (409, "delivery_in_progress")
    time.now += 1
    assert api.post(path).status == 200
    # As long again for the attempt that was asked for, which may get lost, too.
    time.now += 10 * MINUTE - 1
    assert api.post(path).status == 409
    time.now += 1
    assert api.post(path).status == 200
    for chain in (1, 2):  # what was lost comes after all
        work(booked, chain=chain)
    assert receiver.requests == 0
    receiver.statuses = {1: 200}
    work(booked, chain=3)
    assert delivery(booked)["state"] == "delivered"


def test_the_refusal_of_a_redelivery_says_what_is_true_of_each_delivery_it_is_for(
    booked: Reminder, receiver: Receiver, api: Client, time: Time
) -> None:
    path = f"/v1/webhooks/{booked.endpoint_id}/deliveries/{booked.event_id}/redeliver"
    text = (
        "An attempt to send this event is under way, or due and not begun yet. Look at its delivery, and try again "
        "when the attempt is over, or 10 minutes after it was due."
    )
    told: list[str] = [api.post(path).body["error"]["message"]]  # due and not begun
    receiver.meanwhile[1] = lambda: told.append(api.post(path).body["error"]["message"])  # under way
    work(booked)
    assert told == [text, text]
    assert clock.now_ms() == time.now
    assert api.post(path).status == 200
