import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.webhooks.delivery import schedule
from tests.support.template import template

MOMENTS = st.integers(min_value=0, max_value=4_102_444_800_000)
DELAYS = st.tuples(*[st.integers(min_value=0, max_value=86_400)] * 4)


def test_the_schedule_of_the_specification_is_thirty_seconds_five_minutes_half_an_hour_two_hours() -> None:
    delays = schedule.parse_delays("30,300,1800,7200")

    due = [schedule.next_due(attempt, 1_000_000, delays) for attempt in (1, 2, 3, 4, 5)]

    assert due == [1_030_000, 1_300_000, 2_800_000, 8_200_000, None]


def test_the_default_schedule_is_that_of_the_specification() -> None:
    default = template()["Parameters"]["RetryDelaysSeconds"]["Default"]

    assert schedule.parse_delays(default) == (30, 300, 1800, 7200)


def test_spaces_in_the_setting_are_ignored() -> None:
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
def test_attempts_are_numbered_one_to_five(attempt: int) -> None:
    with pytest.raises(ValueError, match="no attempt"):
        schedule.next_due(attempt, 0, (30, 300, 1800, 7200))


@given(attempt=st.integers(1, 5), finished=MOMENTS, delays=DELAYS)
def test_a_next_attempt_is_never_due_before_the_end_of_the_last(
    attempt: int, finished: int, delays: schedule.Delays
) -> None:
    due = schedule.next_due(attempt, finished, delays)

    assert (due is None) == (attempt == 5)
    assert due is None or due >= finished


@given(delays=DELAYS)
def test_every_valid_setting_is_parsed(delays: schedule.Delays) -> None:
    assert schedule.parse_delays(",".join(str(delay) for delay in delays)) == delays
