"""The invariants that hold at the end of a run, and the figures that it reports."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from helpdesk.storage import table
from helpdesk.webhooks.delivery.record import Delivery
from tests.chaos.kills import KillReport, Moment
from tests.chaos.receivers import ChaoticReceiver, Kind

MIN_IN_FLIGHT_KILLS = 20
"""With fewer workers killed while a request is in flight, a run proves nothing."""


class ChaosError(Exception):
    """An invariant is violated, or the run could not have violated one. The message says which."""


@dataclass
class Endpoint:
    """A receiver with the organization that it belongs to, and the events meant for it."""

    organization: str
    id: str
    receiver: ChaoticReceiver
    events: list[str]


def check(endpoints: list[Endpoint], kills: KillReport) -> dict[str, object]:
    """Check every event and every kill; return the report. Raises ChaosError."""
    report: Counter[str] = Counter()
    states: Counter[str] = Counter()
    duplicates: Counter[str] = Counter()
    interrupted: set[str] = set()
    for endpoint in endpoints:
        items = {
            item["SK"]: item
            for item in table.query_all(Delivery.partition_for(endpoint.organization, endpoint.id))
        }
        if items.keys() != set(endpoint.events):
            raise ChaosError(f"{len(items)} deliveries of {len(endpoint.events)} events were created")
        for event_id, item in items.items():
            receiver, requests = endpoint.receiver, endpoint.receiver.requests[event_id]
            _check_history(event_id, item, requests)
            _check_arrival(event_id, item, receiver)
            lost = sum(entry["error"] == "interrupted" for entry in item["attempts"])
            more = max(0, requests - receiver.needed(event_id)) if receiver.kind.gets_everything else 0
            if more > lost:
                raise ChaosError(f"{event_id} was sent {more} times too often after {lost} deaths")
            if lost:
                interrupted.add(event_id)
            if more:
                duplicates[receiver.kind.value] += more
            states[item["state"]] += 1
            report["requests"] += requests
            report["attempts counted"] += item["made"]
            report["attempts interrupted"] += lost
    _check_kills(kills, interrupted)
    return {
        "events": sum(states.values()),
        "states": dict(states),
        **report,
        "killed after the answer and before its record": sum(
            event_id in interrupted for event_id in kills.answered
        ),
        "duplicates": sum(duplicates.values()),
        "duplicates by receiver": dict(duplicates),
    }


def _check_history(event_id: str, item: dict[str, Any], requests: int) -> None:
    """Five attempts at most, numbered without a gap, and each request that arrived is one of them."""
    numbers = [entry["attempt"] for entry in item["attempts"]]
    answered = sum(entry["status"] is not None for entry in item["attempts"])
    if item["made"] > 5 or requests > 5 or len(numbers) > 5:
        raise ChaosError(f"{event_id} was attempted {item['made']} times and sent {requests} times")
    if sorted(numbers) != list(range(1, item["made"] + 1)):
        raise ChaosError(f"{event_id} has the attempts {numbers}, and {item['made']} were made")
    if not answered <= requests <= item["made"]:
        raise ChaosError(
            f"{event_id} was sent {requests} times; {answered} of {item['made']} have a response"
        )


def _check_arrival(event_id: str, item: dict[str, Any], receiver: ChaoticReceiver) -> None:
    """A receiver that responds has got the event, whatever was killed. One that does not was tried five times."""
    if receiver.kind.gets_everything and event_id not in receiver.answered:
        raise ChaosError(f"{event_id} never reached a receiver that {receiver.kind.value}")
    if receiver.kind is not Kind.BROKEN and receiver.kind is not Kind.CLOSED:
        return
    if (item["state"], item["made"]) != ("dropped", 5):
        raise ChaosError(f"{event_id} is {item['state']} at a receiver that {receiver.kind.value}")


def _check_kills(kills: KillReport, interrupted: set[str]) -> None:
    """Each worker killed before the response left an interrupted attempt, and enough were killed."""
    for event_id in kills.in_flight:
        if event_id not in interrupted:
            raise ChaosError(
                f"a worker died while it sent {event_id}, without an interrupted attempt in its history"
            )
    if kills.moments[Moment.IN_FLIGHT] < MIN_IN_FLIGHT_KILLS:
        raise ChaosError(
            f"the run proves nothing: {kills.moments[Moment.IN_FLIGHT]} workers died with a request in flight, "
            f"and {MIN_IN_FLIGHT_KILLS} are wanted"
        )
