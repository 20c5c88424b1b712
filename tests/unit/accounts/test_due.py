"""When a response target is over: office hours, weekends, closed dates and daylight saving time."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from helpdesk.accounts.hours.due import due_at
from helpdesk.accounts.hours.record import WEEKDAYS, OfficeHours, Opening

BERLIN = ZoneInfo("Europe/Berlin")


def at(text: str) -> int:
    """Return an instant in ms; without an offset it is Berlin's time."""
    read = datetime.fromisoformat(text)
    return int((read if read.tzinfo else read.replace(tzinfo=BERLIN)).timestamp() * 1_000)


def hours(**settings: object) -> OfficeHours:
    """Return hours in Berlin: Monday to Friday from 9 to 12:30 and from 13:30 to 17, with a target of an hour."""
    day = (Opening(9 * 60, 12 * 60 + 30), Opening(13 * 60 + 30, 17 * 60))
    known = {
        "days": {name: day if number < 5 else () for number, name in enumerate(WEEKDAYS)},
        "time_zone": "Europe/Berlin",
        "first_response_minutes": 60,
    }
    return OfficeHours(organization="org_1", **known | settings)  # type: ignore[arg-type] # by name


@pytest.mark.parametrize(
    ("since", "due"),
    [
        ("2026-11-25T10:00", "2026-11-25T11:00"),  # a Wednesday
        ("2026-11-25T08:00", "2026-11-25T10:00"),  # before the hours
        ("2026-11-25T11:30", "2026-11-25T12:30"),  # to the end of an opening
        ("2026-11-25T12:00", "2026-11-25T14:00"),  # over noon
        ("2026-11-25T16:59:30", "2026-11-26T09:59:30"),  # over night
        ("2026-11-27T17:00", "2026-11-30T10:00"),  # over a weekend
        ("2026-11-28T03:00", "2026-11-30T10:00"),  # from a weekend
    ],
)
def test_only_office_hours_count(since: str, due: str) -> None:
    assert due_at(hours(), at(since), answered=False) == at(due)


def test_a_closed_date_does_not_count() -> None:
    closed = hours(closed=("2026-12-25", "2026-12-28"))  # a Friday and the Monday after it

    assert due_at(closed, at("2026-12-24T16:30"), answered=False) == at("2026-12-29T09:30")


def test_without_settings_every_minute_counts() -> None:
    always = OfficeHours(organization="org_1", first_response_minutes=3 * 24 * 60)

    assert due_at(always, at("2026-11-25T10:00:01+00:00"), answered=False) == at("2026-11-28T10:00:01+00:00")


@pytest.mark.parametrize(("answered", "minutes"), [(False, 60), (True, 90)])
def test_the_target_depends_on_whether_the_team_has_answered_before(answered: bool, minutes: int) -> None:
    both = hours(next_response_minutes=90)

    assert (
        due_at(both, at("2026-11-25T10:00"), answered=answered) == at("2026-11-25T10:00") + minutes * 60_000
    )


def test_without_a_target_nothing_is_due() -> None:
    assert due_at(hours(), at("2026-11-25T10:00"), answered=True) is None


def test_in_hours_that_never_come_nothing_is_due() -> None:
    assert due_at(hours(days=dict.fromkeys(WEEKDAYS, ())), at("2026-11-25T10:00"), answered=False) is None


@pytest.mark.parametrize(
    ("since", "due"),
    [
        ("2026-03-29T00:30:00+00:00", "2026-03-29T03:30:00+02:00"),  # the hour from 2 to 3 does not exist
        ("2026-10-25T00:30:00+00:00", "2026-10-25T02:30:00+01:00"),  # the hour from 2 to 3 comes twice
    ],
)
def test_an_hour_is_an_hour_when_the_clocks_change(since: str, due: str) -> None:
    night = hours(days=dict.fromkeys(WEEKDAYS, (Opening(0, 24 * 60),)))

    assert due_at(night, at(since), answered=False) == at(due)


def test_the_opening_hours_of_a_day_follow_daylight_saving_time() -> None:
    # Saturday is in winter time, Sunday at 9 in summer time.
    every_day = hours(days=dict.fromkeys(WEEKDAYS, (Opening(9 * 60, 10 * 60),)))

    due = due_at(every_day, at("2026-03-28T09:30"), answered=False)

    assert due == at("2026-03-29T07:30:00+00:00")
