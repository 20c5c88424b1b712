"""Times on the command line."""

import re
import time
from collections.abc import Iterator
from datetime import datetime

import pytest

from helpdesk_cli.times import instant

# A Wednesday.
NOW = datetime.fromisoformat("2026-10-21T15:30:00+02:00").timestamp()


@pytest.fixture(autouse=True)
def _berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("30m", "2026-10-21T16:00:00+02:00"),
        ("3h", "2026-10-21T18:30:00+02:00"),
        ("1h30m", "2026-10-21T17:00:00+02:00"),
        ("1w", "2026-10-28T14:30:00+01:00"),  # 168 hours; summer time ends on the way
        (" 2D ", "2026-10-23T15:30:00+02:00"),
        ("18:00", "2026-10-21T18:00:00+02:00"),
        ("9:00", "2026-10-22T09:00:00+02:00"),
        ("15:30", "2026-10-22T15:30:00+02:00"),
        ("18:00Z", "2026-10-21T20:00:00+02:00"),
        ("today 18:00:30", "2026-10-21T18:00:30+02:00"),
        ("tomorrow", "2026-10-22T09:00:00+02:00"),
        ("tomorrow 9:00", "2026-10-22T09:00:00+02:00"),
        ("Monday 14:30", "2026-10-26T14:30:00+01:00"),
        ("wednesday", "2026-10-28T09:00:00+01:00"),
        ("2026-12-01", "2026-12-01T09:00:00+01:00"),
        ("2026-12-01 14:30", "2026-12-01T14:30:00+01:00"),
        ("2026-12-01T14:30Z", "2026-12-01T14:30:00+00:00"),
        ("2026-12-01 14:30 UTC", "2026-12-01T14:30:00+00:00"),
        ("2026-12-01 14:30 -0530", "2026-12-01T14:30:00-05:30"),
    ],
)
def test_a_time_is_a_duration_or_a_day_and_an_hour(given: str, meant: str) -> None:
    assert instant(given, NOW) == datetime.fromisoformat(meant).timestamp() * 1000


@pytest.mark.parametrize(
    "given",
    [
        "",
        " ",
        "soon",
        "3",
        "h",
        "-3h",
        "1.5h",
        "3h 2d",
        "today",
        "Z",
        "25:00",
        "9:61",
        "tomorrow9:00",
        "2026-02-30",
        "2026-12-01 14:30 +99:00",
        "9999-12-31 23:59 -23:00 x",
        "999999999999w",
        "٣h",
    ],
)
def test_an_invalid_time_is_an_error(given: str) -> None:
    with pytest.raises(ValueError, match=re.compile(".*", re.DOTALL)):
        instant(given, NOW)
