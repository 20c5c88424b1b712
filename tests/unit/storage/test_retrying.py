"""Work that lost against another change is done again, after pauses, until a deadline."""

import time
from collections.abc import Callable, Iterator

import pytest

from helpdesk.platform import clock, deadline
from helpdesk.storage.retrying import Conflict, Pauses, Stale, repeat_when_stale
from helpdesk.storage.table import ConditionFailed

START_US = 1_800_000_000_000_000


class Changed(ConditionFailed):
    """What was read has changed."""


class Time:
    """A clock that only pauses and work move."""

    def __init__(self) -> None:
        self.us = START_US
        self.pauses: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.us += int(seconds * 1_000_000)

    @property
    def seconds(self) -> float:
        return (self.us - START_US) / 1_000_000


@pytest.fixture
def passing(monkeypatch: pytest.MonkeyPatch) -> Iterator[Time]:
    held = Time()
    monkeypatch.setattr(clock, "sleep", held.sleep)
    with clock.frozen(lambda: held.us):
        yield held


def losing(times: int | None, passing: Time, seconds: float = 0) -> Callable[[], str]:
    """Return an attempt that takes a time and loses so often, None for ever."""
    made: list[int] = []

    def attempt() -> str:
        made.append(1)
        passing.us += int(seconds * 1_000_000)
        if times is None or len(made) <= times:
            raise Changed(None)
        return f"written by attempt {len(made)}"

    return attempt


def test_an_attempt_is_repeated_until_it_succeeds(passing: Time) -> None:
    assert repeat_when_stale(losing(40, passing), Changed, KeyError) == "written by attempt 41"


def test_an_attempt_may_say_itself_that_it_read_something_stale(passing: Time) -> None:
    answers = iter([Stale, None])

    def attempt() -> str:
        if (problem := next(answers)) is not None:
            raise problem
        return "written"

    assert repeat_when_stale(attempt) == "written"


def test_an_attempt_that_succeeds_at_once_pauses_for_nothing(passing: Time) -> None:
    repeat_when_stale(losing(0, passing), Changed)

    assert passing.pauses == []


def test_it_is_given_up_after_ten_seconds(passing: Time) -> None:
    with pytest.raises(Conflict):
        repeat_when_stale(losing(None, passing), ConditionFailed)

    assert 9.5 < passing.seconds <= 10


def test_slow_attempts_are_given_up_after_ten_seconds_too(passing: Time) -> None:
    with pytest.raises(Conflict):
        repeat_when_stale(losing(None, passing, seconds=4), ConditionFailed)

    assert len(passing.pauses) == 2


def test_attempts_that_take_longer_are_made_three_times(passing: Time) -> None:
    with pytest.raises(Conflict):
        repeat_when_stale(losing(None, passing, seconds=30), ConditionFailed)

    assert 90 <= passing.seconds < 91


class FiveSecondsLeft:
    """The context of an invocation."""

    def get_remaining_time_in_millis(self) -> int:
        return 5_000


def test_it_is_given_up_two_seconds_before_the_invocation_ends(passing: Time) -> None:
    with deadline.of(FiveSecondsLeft()), pytest.raises(Conflict):
        repeat_when_stale(losing(None, passing), ConditionFailed)

    assert 2.5 < passing.seconds <= 3


def test_no_attempt_begins_that_would_not_end_before_the_invocation_does(passing: Time) -> None:
    with deadline.of(FiveSecondsLeft()), pytest.raises(Conflict):
        repeat_when_stale(losing(None, passing, seconds=1.2), ConditionFailed)

    assert 2.4 <= passing.seconds <= 3


def test_without_time_there_is_one_attempt(passing: Time) -> None:
    with deadline.at(START_US // 1_000), pytest.raises(Conflict):
        repeat_when_stale(losing(None, passing), ConditionFailed)

    assert passing.pauses == []


def test_a_deadline_inside_another_is_never_later(passing: Time) -> None:
    with deadline.at(START_US // 1_000 + 3_000), deadline.at(START_US // 1_000 + 9_000):
        assert deadline.left_ms() == 3_000


def test_a_clock_that_stands_still_does_not_make_the_tries_endless(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "sleep", lambda _: None)

    with clock.frozen(lambda: START_US), pytest.raises(Conflict):
        repeat_when_stale(losing(None, Time()), ConditionFailed)


def test_pauses_become_longer_up_to_four_tenths_of_a_second(
    passing: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("random.uniform", lambda _, longest: longest)
    pauses = Pauses()

    while pauses.wait():
        pass

    assert passing.pauses[:6] == pytest.approx([0.02, 0.04, 0.08, 0.16, 0.32, 0.4])
    assert max(passing.pauses) == pytest.approx(0.4)


def test_two_that_met_do_not_pause_alike(passing: Time) -> None:
    for _ in range(20):
        Pauses().wait()

    assert len(set(passing.pauses)) == 20


def test_another_exception_is_raised_at_once(passing: Time) -> None:
    def attempt() -> None:
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 - it is raised above
        repeat_when_stale(attempt, Changed)
    assert passing.pauses == []


def test_the_clock_of_production_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)

    clock.sleep(0.25)

    assert slept == [0.25]
