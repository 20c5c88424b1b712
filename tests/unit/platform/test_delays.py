"""Hops of a queue towards a time that is further ahead than it holds a message back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.platform.queues import hop_delay_seconds

MOMENTS = st.integers(min_value=0, max_value=4_102_444_800_000)


@pytest.mark.parametrize(
    ("due_in_ms", "expected"),
    [
        (-5000, 0),
        (-1, 0),
        (0, 0),
        (1, 1),
        (999, 1),
        (1000, 1),
        (1001, 2),
        (899_001, 900),
        (900_000, 900),
        (900_001, 900),
        (7_200_000, 900),
    ],
)
def test_a_hop_is_the_seconds_that_remain_and_at_most_fifteen_minutes(due_in_ms: int, expected: int) -> None:
    assert hop_delay_seconds(1_763_683_200_000 + due_in_ms, 1_763_683_200_000) == expected


@pytest.mark.parametrize(("longest", "expected"), [(5, 5), (20, 20), (21, 20), (900, 20), (0, 1), (-1, 1)])
def test_a_local_stack_may_have_shorter_hops_but_not_of_zero_length(longest: int, expected: int) -> None:
    assert hop_delay_seconds(1_020_000, 1_000_000, longest) == expected


def test_a_hop_is_no_longer_than_sqs_allows_whatever_the_setting_says() -> None:
    assert hop_delay_seconds(7_200_000, 0, 3_600) == 900


@given(due=MOMENTS, now=MOMENTS)
def test_every_hop_is_one_that_sqs_accepts(due: int, now: int) -> None:
    assert 0 <= hop_delay_seconds(due, now) <= 900


@given(wait_ms=st.integers(0, 86_400_000), now=MOMENTS, lateness_ms=st.integers(0, 60_000))
def test_hops_arrive_at_the_due_time_and_never_before_it(wait_ms: int, now: int, lateness_ms: int) -> None:
    due, hops = now + wait_ms, 0

    while (delay := hop_delay_seconds(due, now)) > 0:
        now += delay * 1000 + lateness_ms
        hops += 1

    assert now >= due
    assert hops <= wait_ms // 900_000 + 1
