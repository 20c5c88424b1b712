"""Late results: none is lost from the history, and none is reported twice."""

import asyncio
from collections.abc import Callable, Mapping
from copy import replace
from dataclasses import dataclass, field
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.outbound.outcome import Failure, Outcome
from helpdesk.outbound.sender import Sender
from helpdesk.platform import clock
from helpdesk.storage import table
from helpdesk.storage.stored import Key, Stored
from helpdesk.storage.table import Item
from helpdesk.webhooks.delivery import repository
from helpdesk.webhooks.delivery import service as history
from helpdesk.webhooks.delivery.attempts import DeliveryState
from helpdesk.webhooks.delivery.queue import DeliveryTask
from helpdesk.webhooks.delivery.repository import ContextKeys, Result
from helpdesk.webhooks.errors import DeliveryInProgress
from tests.integration.delivery.happening import Time, add, fan_out, happened, time
from tests.integration.delivery.test_worker import batch, handle_beside
from tests.support.api import Client
from tests.support.table import everything, of_kind

__all__ = ["time"]  # the fixture

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
CLAIM_OVER = 41 * SECOND


@dataclass
class Receiver:
    """Answers 500 by default; `meanwhile` is what happens elsewhere during the request of a number."""

    statuses: dict[int, int] = field(default_factory=dict)
    meanwhile: dict[int, Callable[[], None]] = field(default_factory=dict)
    requests: int = 0

    async def send(self, _url: str, _body: bytes, _headers: Mapping[str, str], _endpoint: str) -> Outcome:
        self.requests += 1
        number = self.requests
        if number in self.meanwhile:
            await asyncio.to_thread(self.meanwhile[number])
        status = self.statuses.get(number, 500)
        return Outcome(status, None if status < 300 else Failure.STATUS, 100)


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Receiver:
    made = Receiver()

    async def send(
        _self: Sender, url: str, body: bytes, headers: Mapping[str, str], endpoint: str
    ) -> Outcome:
        return await made.send(url, body, headers, endpoint)

    monkeypatch.setattr(Sender, "send", send)
    return made


@pytest.fixture
def task(organization: NewOrganization, api: Client, time: Time) -> DeliveryTask:
    """A delivery without an attempt yet, by its first task."""
    endpoint_id = add(api, "message.created")
    event = happened(organization)
    fan_out(event)
    key_id = api.get("/v1/webhooks").body["webhooks"][0]["keyId"]
    return DeliveryTask(organization.organization_id, endpoint_id, event.id, key_id, 1, 0)


def work(task: DeliveryTask, attempt: int = 1, run: int = 1) -> None:
    """Handle a task in a separate worker."""
    body = replace(task, attempt=attempt, run=run).to_json()
    assert handle_beside(batch(body)) == {"batchItemFailures": []}


def delivery(task: DeliveryTask) -> Item:
    item = table.get(task.delivery.key)
    assert item is not None
    return item


def attempts(task: DeliveryTask) -> list[tuple[int, int | None]]:
    """Return the attempts of the history: number, and status of the answer."""
    return [(entry["attempt"], entry["status"]) for entry in delivery(task)["attempts"]]


def dropped(caplog: pytest.LogCaptureFixture) -> int:
    return sum(record.message == "event_dropped" for record in caplog.records)


def fail_four_times(task: DeliveryTask, time: Time) -> None:
    for attempt in range(1, 5):
        work(task, attempt)
        time.now += 3 * HOUR


def found_dead(task: DeliveryTask, time: Time, attempt: int = 1) -> Callable[[], None]:
    """Return what happens when a worker is thought dead: its claim runs out, and another takes note of it."""

    def taken_over() -> None:
        time.now += CLAIM_OVER
        work(task, attempt)

    return taken_over


def test_an_event_is_reported_dropped_once_although_its_last_worker_returns_late(
    task: DeliveryTask, receiver: Receiver, time: Time, caplog: pytest.LogCaptureFixture
) -> None:
    fail_four_times(task, time)
    receiver.meanwhile[5] = found_dead(task, time, 5)
    work(task, 5)
    assert delivery(task)["state"] == "dropped"
    assert dropped(caplog) == 1


def test_an_event_is_reported_dropped_although_the_response_to_its_record_is_lost(
    task: DeliveryTask,
    receiver: Receiver,
    time: Time,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fail_four_times(task, time)
    update = table.update

    def twice(key: Key, expression: str, **how: Any) -> Any:
        if "list_append" in expression and "write_token" not in expression:
            update(key, expression, **how)  # its answer is lost, so the client writes again
        return update(key, expression, **how)

    monkeypatch.setattr(table, "update", twice)
    work(task, 5)
    assert attempts(task) == [(1, 500), (2, 500), (3, 500), (4, 500), (5, 500)]
    assert dropped(caplog) == 1


@pytest.mark.parametrize("status", [200, 503])
def test_the_result_of_an_attempt_is_in_the_history_although_a_redelivery_began_before_its_end(
    task: DeliveryTask, receiver: Receiver, time: Time, status: int
) -> None:
    begun_at = time.now

    def redeliver() -> None:
        time.now += CLAIM_OVER
        history.redeliver(task.organization, task.endpoint_id, task.event_id)

    receiver.meanwhile[1] = redeliver
    receiver.statuses = {1: status, 2: 201}
    work(task)
    assert attempts(task) == [(1, status)]
    assert delivery(task)["attempts"][0]["at"] == begun_at
    # The run that began goes on, whatever the one before came to.
    assert (delivery(task)["state"], delivery(task)["run"], delivery(task)["made"]) == (
        "pending",
        2,
        0,
    )
    work(task, run=2)
    assert attempts(task) == [(1, status), (1, 201)]
    assert delivery(task)["state"] == "delivered"


def test_a_late_success_ends_the_delivery_and_adds_one_entry_to_the_history(
    task: DeliveryTask, receiver: Receiver, time: Time
) -> None:
    receiver.meanwhile[1] = found_dead(task, time)
    receiver.statuses = {1: 200}
    work(task)
    assert attempts(task) == [(1, 200)]
    assert delivery(task)["state"] == "delivered"
    time.now += HOUR
    work(task, 2)
    assert receiver.requests == 1


def test_a_late_success_of_the_fifth_attempt_makes_a_failed_delivery_delivered(
    task: DeliveryTask, receiver: Receiver, api: Client, time: Time
) -> None:
    fail_four_times(task, time)
    receiver.meanwhile[5] = found_dead(task, time, 5)
    receiver.statuses = {5: 204}
    work(task, 5)
    (shown,) = api.get(f"/v1/webhooks/{task.endpoint_id}/deliveries").body["deliveries"]
    assert (shown["status"], shown["nextAttemptAt"]) == ("delivered", None)
    assert attempts(task)[3:] == [(4, 500), (5, 204)]


def test_a_late_failure_records_the_response_and_changes_nothing_else(
    task: DeliveryTask, receiver: Receiver, time: Time
) -> None:
    taken_over: list[Item] = []

    def meanwhile() -> None:
        found_dead(task, time)()
        taken_over.append(delivery(task))

    receiver.meanwhile[1] = meanwhile
    work(task)
    assert taken_over[0]["attempts"][0]["error"] == "interrupted"
    now = delivery(task)
    (entry,) = now.pop("attempts")
    assert (entry["status"], entry["error"], entry["durationMs"]) == (500, "status", 100)
    assert now == {name: value for name, value in taken_over[0].items() if name != "attempts"}


def test_an_endpoint_that_was_removed_during_the_attempt_leaves_the_delivery_cancelled(
    task: DeliveryTask, receiver: Receiver, api: Client, time: Time
) -> None:
    def meanwhile() -> None:
        found_dead(task, time)()
        time.now += MINUTE
        api.delete(f"/v1/webhooks/{task.endpoint_id}")
        work(task, 2)

    receiver.meanwhile[1] = meanwhile
    receiver.statuses = {1: 200}
    work(task)
    assert delivery(task)["state"] == "cancelled"
    assert attempts(task) == [(1, 200)]


def test_no_redelivery_starts_during_an_attempt_that_a_late_success_found_under_way(
    task: DeliveryTask, time: Time
) -> None:
    keys = ContextKeys.of(task.delivery, None)

    def claim(attempt: int) -> int:
        context = repository.context_of(keys, repository.load([keys]))
        assert context.event is not None
        repository.claim(task.delivery, context.event, context.progress, attempt, time.now)
        return time.now

    def result(attempt: int, at: int, status: int) -> bool:
        good = status == 200
        outcome = Outcome(status, None if good else Failure.STATUS, 5)
        state = DeliveryState.DELIVERED if good else DeliveryState.PENDING
        next_at = None if good else time.now + HOUR
        return repository.record(task.delivery, Result(1, attempt, at, outcome, state, next_at))

    first = claim(1)
    time.now += CLAIM_OVER
    second = claim(2)
    assert result(1, first, 200) is True
    assert delivery(task)["state"] == "delivered"
    with pytest.raises(DeliveryInProgress):
        history.redeliver(task.organization, task.endpoint_id, task.event_id)
    assert result(2, second, 500) is False  # it changes the history, and not the delivery's state
    assert attempts(task) == [(1, 200), (2, 500)]
    assert delivery(task)["state"] == "delivered"
    history.redeliver(task.organization, task.endpoint_id, task.event_id)
    assert delivery(task)["state"] == "pending"


def test_a_result_of_a_deleted_delivery_does_not_restore_it(task: DeliveryTask, time: Time) -> None:
    table.delete(task.delivery.key)
    outcome = Outcome(200, None, 5)
    late = Result(1, 1, time.now, outcome, DeliveryState.DELIVERED, None)
    assert repository.record(task.delivery, late) is False
    assert table.get(task.delivery.key) is None


def remove_expired(now: int) -> None:
    """Remove what is over its time, as DynamoDB does."""
    for item in everything():
        if item.get("expiresAt", now) * 1000 <= now:
            table.delete(Key(item["PK"], item["SK"], Stored))


def test_a_redelivery_on_the_last_day_completes_with_its_history(
    task: DeliveryTask, receiver: Receiver, api: Client, time: Time
) -> None:
    work(task)
    path = f"/v1/webhooks/{task.endpoint_id}/deliveries"
    time.now += 30 * DAY - 2 * MINUTE
    assert api.post(f"{path}/{task.event_id}/redeliver").status == 200
    for attempt in range(1, 6):
        work(task, attempt, run=2)
        time.now += 3 * HOUR
        remove_expired(time.now)
    assert receiver.requests == 6
    assert delivery(task)["state"] == "dropped"
    assert attempts(task) == [(1, 500), (1, 500), (2, 500), (3, 500), (4, 500), (5, 500)]
    # What was kept for the run's sake is as old as it is, and begins no further one.
    assert api.get(path).body["deliveries"] == []
    answer = api.post(f"{path}/{task.event_id}/redeliver")
    assert (answer.status, answer.code) == (404, "delivery_not_found")
    time.now += 2 * DAY
    remove_expired(time.now)
    assert of_kind(task.event_id) == []


def test_a_redelivery_never_shortens_the_retention(
    task: DeliveryTask, receiver: Receiver, time: Time
) -> None:
    work(task)

    def kept_until() -> dict[str, int]:
        return {
            item["PK"]: item["expiresAt"] for item in everything() if task.event_id in item["PK"] + item["SK"]
        }

    before = kept_until()
    assert len(before) == 2
    time.now += DAY
    history.redeliver(task.organization, task.endpoint_id, task.event_id)
    assert kept_until() == before


def test_a_first_attempt_that_is_lost_can_be_asked_for_at_once_and_a_redelivery_after_ten_minutes(
    task: DeliveryTask, receiver: Receiver, api: Client, time: Time
) -> None:
    path = f"/v1/webhooks/{task.endpoint_id}/deliveries/{task.event_id}/redeliver"
    assert api.post(path).status == 200  # asks for the first attempt once more
    work(task)
    time.now += MINUTE
    assert api.post(path).status == 200
    # For ten minutes the requested attempt may still come; then it counts as lost.
    time.now += 10 * MINUTE - 1
    answer = api.post(path)
    assert (answer.status, answer.code) == (409, "delivery_in_progress")
    time.now += 1
    assert api.post(path).status == 200
    for run in (1, 2):  # what was lost comes after all
        work(task, run=run)
    assert receiver.requests == 1
    receiver.statuses = {2: 200}
    work(task, run=3)
    assert delivery(task)["state"] == "delivered"


def test_the_refusal_of_a_redelivery_is_correct_for_each_delivery(
    task: DeliveryTask, receiver: Receiver, api: Client, time: Time
) -> None:
    path = f"/v1/webhooks/{task.endpoint_id}/deliveries/{task.event_id}/redeliver"
    text = (
        "An attempt to send this event is running or about to start. Try again when it has ended, or 10 minutes after "
        "it was due."
    )
    messages: list[str] = []
    receiver.meanwhile[1] = lambda: messages.append(api.post(path).body["error"]["message"])  # under way
    work(task)
    assert api.post(path).status == 200
    messages.append(api.post(path).body["error"]["message"])  # due and not begun
    assert messages == [text, text]
    assert clock.now_ms() == time.now
