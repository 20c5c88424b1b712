"""A run of `make chaos` notices a violated invariant. Each one is violated here once."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from helpdesk.storage import table
from tests.chaos import invariants
from tests.chaos.in_flight import InFlightRequests
from tests.chaos.invariants import ChaosError, Endpoint
from tests.chaos.kills import MOST_KILLS, KillReport, Moment
from tests.chaos.receivers import ChaoticReceiver, Kind
from tests.support.template import template

EVENT = "evt_" + "0" * 31 + "1"


def entry(attempt: int, status: int | None = 200, error: str | None = None) -> dict[str, Any]:
    return {"attempt": attempt, "status": status, "error": error}


def interrupted(attempt: int) -> dict[str, Any]:
    return entry(attempt, None, "interrupted")


def refused(count: int) -> list[dict[str, Any]]:
    return [entry(attempt, 500, "status") for attempt in range(1, count + 1)]


@pytest.fixture
def receivers() -> Iterator[list[ChaoticReceiver]]:
    made: list[ChaoticReceiver] = []
    yield made
    for receiver in made:
        receiver.close()


@pytest.fixture
def check(receivers: list[ChaoticReceiver], monkeypatch: pytest.MonkeyPatch) -> Any:
    def checked(
        attempts: Sequence[dict[str, Any]],
        *,
        requests: int,
        made: int | None = None,
        state: str = "delivered",
        kind: Kind = Kind.HEALTHY,
        arrived: bool = True,
        died: tuple[str, ...] = (),
        deaths: int = 20,
    ) -> dict[str, object]:
        receiver = ChaoticReceiver(kind, InFlightRequests())
        receivers.append(receiver)
        receiver.requests[EVENT] = requests
        receiver.answered |= {EVENT} if arrived else set()
        kills = KillReport()
        kills.moments[Moment.IN_FLIGHT] = deaths
        kills.in_flight += died
        number = len(attempts) if made is None else made
        item = {"SK": EVENT, "attempts": attempts, "made": number, "state": state}
        monkeypatch.setattr(table, "query_all", lambda _: [item] if attempts else [])
        return invariants.check([Endpoint("org_1", "wh_1", receiver, [EVENT])], kills)

    return checked


def test_a_duplicate_after_a_death_is_counted_and_breaks_nothing(check: Any) -> None:
    report = check([interrupted(1), entry(2)], requests=2, died=(EVENT,))
    assert report["duplicates by receiver"] == {"answers at once": 1}
    assert (report["attempts interrupted"], report["states"]) == (1, {"delivered": 1})


@pytest.mark.parametrize(
    ("run", "broken"),
    [
        ({"attempts": [], "requests": 0}, "0 deliveries of 1 events were created"),
        ({"attempts": [entry(1)], "requests": 1, "arrived": False}, "never reached"),
        ({"attempts": refused(5), "requests": 6, "state": "dropped", "kind": Kind.BROKEN}, "sent 6 times"),
        ({"attempts": refused(6), "requests": 5, "state": "dropped", "kind": Kind.BROKEN}, "attempted 6"),
        ({"attempts": refused(4), "requests": 4, "state": "dropped", "kind": Kind.BROKEN}, "is dropped at"),
        ({"attempts": [interrupted(1), entry(1)], "requests": 2, "made": 1}, r"has the attempts \[1, 1\]"),
        ({"attempts": [interrupted(1), entry(3)], "requests": 2, "made": 3}, r"has the attempts \[1, 3\]"),
        ({"attempts": [entry(1)], "requests": 2}, "was sent 2 times; 1 of 1 have"),
        ({"attempts": [entry(1), entry(2)], "requests": 1}, "was sent 1 times; 2 of 2 have"),
        ({"attempts": [entry(1), entry(2)], "requests": 2}, "1 times too often after 0 deaths"),
        ({"attempts": [entry(1)], "requests": 1, "died": (EVENT,)}, "without an interrupted attempt"),
        ({"attempts": [entry(1)], "requests": 1, "deaths": 19}, "proves nothing: 19 workers"),
    ],
)
def test_a_violated_invariant_ends_the_run(run: dict[str, Any], broken: str, check: Any) -> None:
    with pytest.raises(ChaosError, match=broken):
        check(run.pop("attempts"), **run)


def test_the_functions_that_are_killed_are_the_templates() -> None:
    resources = template()["Resources"].values()
    functions = {
        each["Properties"]["FunctionName"].rpartition("-")[2]
        for each in resources
        if each["Type"] == "AWS::Serverless::Function"
    }
    assert MOST_KILLS.keys() <= functions
