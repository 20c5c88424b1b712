"""The clock of tests that read the inbox."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.platform import clock

START_MS = 1_800_000_000_000


type At = Callable[[int], Any]


@pytest.fixture
def at() -> At:
    """The clock, so many milliseconds after the start of the test's time."""
    return lambda ms: clock.frozen(lambda: (START_MS + ms) * 1_000)
