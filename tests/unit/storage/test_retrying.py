"""Work that lost against another change is done again, a bounded number of times."""

import pytest

from helpdesk.storage.retrying import MOST_TRIES, repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Conflict


class Stale(ConditionFailed):
    """What was read has changed."""


def test_an_attempt_is_repeated_until_it_succeeds() -> None:
    made: list[int] = []

    def attempt() -> int:
        made.append(1)
        if len(made) < 4:
            raise Stale(None)
        return len(made)

    assert repeat_when_stale(attempt, Stale, KeyError) == 4


@pytest.mark.parametrize(("most", "expected"), [(None, MOST_TRIES), (3, 3), (0, 0)])
def test_the_attempts_are_bounded(most: int | None, expected: int) -> None:
    made: list[int] = []

    def attempt() -> None:
        made.append(1)
        raise Stale(None)

    with pytest.raises(Conflict):
        repeat_when_stale(attempt, ConditionFailed, **({} if most is None else {"most": most}))
    assert len(made) == expected


def test_another_exception_is_raised_at_once() -> None:
    made: list[int] = []

    def attempt() -> None:
        made.append(1)
        raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 - it is raised above
        repeat_when_stale(attempt, Stale)
    assert made == [1]
