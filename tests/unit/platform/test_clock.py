"""The one source of time."""

import time

import pytest

from helpdesk.platform import clock


def test_the_time_is_the_system_time_in_milliseconds() -> None:
    before = time.time_ns() // 1_000_000

    now = clock.now_ms()

    assert before <= now <= time.time_ns() // 1_000_000


def test_a_frozen_clock_shows_one_instant_in_every_unit() -> None:
    with clock.frozen(lambda: 1_700_000_000_123_456):
        assert clock.now_us() == 1_700_000_000_123_456
        assert clock.now_ms() == 1_700_000_000_123
        assert clock.seconds_from_now(60) == 1_700_000_060


def test_the_clock_runs_again_after_an_exception_in_the_block() -> None:
    with pytest.raises(RuntimeError), clock.frozen(lambda: 0):
        raise RuntimeError

    assert clock.now_ms() > 1_700_000_000_000
