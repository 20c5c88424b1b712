import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.delivery import schedule

MOMENTS = st.integers(min_value=0, max_value=4_102_444_800_000)
DELAYS = st.tuples(*[st.integers(min_value=0, max_value=86_400)] * 4)


def test_the_schedule_of_the_specification_is_thirty_seconds_five_minutes_half_an_hour_two_hours() -> None:
    delays = schedule.parse_delays("30,300,1800,7200")

    due = [schedule.next_due(attempt, 1_000_000, delays) for attempt in (1, 2, 3, 4, 5)]

    assert due == [1_030_000, 1_300_000, 2_800_000, 8_200_000, None]


def test_the_default_schedule_is_that_of_the_specification() -> None:
    assert schedule.DEFAULT_DELAYS == (30, 300, 1800, 7200)


def test_spaces_in_the_setting_are_forgiven() -> None:
    assert schedule.parse_delays(" 1, 1,1 ,1") == (1, 1, 1, 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "30",
        "30,300,1800",
        "30,300,1800,7200,1",
        "30,300,1800,-1",
        "30,300,1800,1.5",
        "a,b,c,d",
        "30,,1800,7200",
        "30;300;1800;7200",
        "30,300,1800,７２００",
        "30,300,1800,1e3",
        "30,300,1800,²",
    ],
)
def test_any_other_setting_is_refused_by_its_name(text: str) -> None:
    with pytest.raises(ValueError, match="RetryDelaysSeconds"):
        schedule.parse_delays(text)


@pytest.mark.parametrize("attempt", [-1, 0, 6])
def test_there_are_no_attempts_but_one_to_five(attempt: int) -> None:
    with pytest.raises(ValueError, match="no attempt"):
        schedule.next_due(attempt, 0)


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
    assert schedule.hop_delay_seconds(1_763_683_200_000 + due_in_ms, 1_763_683_200_000) == expected


@pytest.mark.parametrize(("longest", "expected"), [(5, 5), (20, 20), (21, 20), (900, 20), (0, 1), (-1, 1)])
def test_a_local_stack_may_have_shorter_hops_but_none_of_no_length(longest: int, expected: int) -> None:
    assert schedule.hop_delay_seconds(1_020_000, 1_000_000, longest) == expected


def test_a_hop_is_no_longer_than_sqs_allows_whatever_the_setting_says() -> None:
    assert schedule.hop_delay_seconds(7_200_000, 0, 3_600) == 900


@given(attempt=st.integers(1, 5), finished=MOMENTS, delays=DELAYS)
def test_a_next_attempt_is_never_due_before_the_end_of_the_last(
    attempt: int, finished: int, delays: schedule.Delays
) -> None:
    due = schedule.next_due(attempt, finished, delays)

    assert (due is None) == (attempt == 5)
    assert due is None or due >= finished


@given(due=MOMENTS, now=MOMENTS)
def test_every_hop_is_one_that_sqs_accepts(due: int, now: int) -> None:
    assert 0 <= schedule.hop_delay_seconds(due, now) <= 900


@given(wait_ms=st.integers(0, 86_400_000), now=MOMENTS, lateness_ms=st.integers(0, 60_000))
def test_hops_arrive_at_the_due_time_and_never_before_it(wait_ms: int, now: int, lateness_ms: int) -> None:
    due, hops = now + wait_ms, 0

    while (delay := schedule.hop_delay_seconds(due, now)) > 0:
        now += delay * 1000 + lateness_ms
        hops += 1

    assert now >= due
    assert hops <= wait_ms // 900_000 + 1


@given(delays=DELAYS)
def test_a_setting_is_read_as_it_is_written(delays: schedule.Delays) -> None:
    assert schedule.parse_delays(",".join(str(delay) for delay in delays)) == delays
