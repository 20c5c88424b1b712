"""Who follows whom where a signal and its issue are compared."""

import pytest

from helpdesk.integrations.github.issue_store import SignalIssue
from helpdesk.integrations.github.status_sync import Follow, Found, decide
from helpdesk.signals.kinds import SignalStatus

SECOND = 1_700_000_000_000
OPEN, DONE, PLANNED, DECLINED = (
    SignalStatus.OPEN,
    SignalStatus.DONE,
    SignalStatus.PLANNED,
    SignalStatus.DECLINED,
)


def issue(*, closed: bool, said: SignalStatus, **noted: bool | str) -> SignalIssue:
    """Return an issue as it was when it and its signal agreed last."""
    known = {"organization": "org_1", "signal_id": "sig_1", "repo": "acme/shop", "number": 1, "since": 0}
    return SignalIssue(closed=closed, said=said.value, **known, **noted)  # type: ignore[arg-type] # a test's shorthand


@pytest.mark.parametrize(
    ("known", "status", "changed_at", "found", "follow"),
    [
        # both agree
        (
            issue(closed=False, said=OPEN),
            PLANNED,
            SECOND,
            Found(closed=False, reason=None, at=0),
            Follow.AGREE,
        ),
        (issue(closed=False, said=OPEN), DONE, SECOND, Found(closed=True, reason=None, at=0), Follow.AGREE),
        # one has moved, whatever the time
        (
            issue(closed=True, said=DONE),
            DONE,
            SECOND + 900,
            Found(closed=False, reason=None, at=SECOND),
            Follow.TAKE,
        ),
        (
            issue(closed=True, said=DONE),
            DONE,
            SECOND + 9_000,
            Found(closed=False, reason=None, at=0),
            Follow.TAKE,
        ),
        (
            issue(closed=False, said=OPEN),
            DONE,
            SECOND,
            Found(closed=False, reason=None, at=SECOND + 9_000),
            Follow.PUSH,
        ),
        # both have moved
        (
            issue(closed=False, said=OPEN),
            PLANNED,
            SECOND + 1_000,
            Found(closed=True, reason=None, at=SECOND),
            Follow.PUSH,
        ),
        (
            issue(closed=False, said=OPEN),
            PLANNED,
            SECOND + 999,
            Found(closed=True, reason=None, at=SECOND),
            Follow.TAKE,
        ),
        (
            issue(closed=True, said=DONE),
            DECLINED,
            SECOND,
            Found(closed=False, reason=None, at=SECOND),
            Follow.TAKE,
        ),
        # a worker died: after it closed the issue, after it moved the signal
        (
            issue(closed=False, said=OPEN, pushing=True),
            OPEN,
            SECOND,
            Found(closed=True, reason=None, at=SECOND),
            Follow.PUSH,
        ),
        (
            issue(closed=True, said=DONE, taking="open"),
            OPEN,
            SECOND,
            Found(closed=True, reason=None, at=0),
            Follow.TAKE,
        ),
        # they were linked like that
        (
            issue(closed=True, said=OPEN),
            OPEN,
            SECOND,
            Found(closed=True, reason=None, at=SECOND),
            Follow.LEAVE,
        ),
    ],
)
def test_the_one_that_moved_is_followed_and_of_both_the_later_one(
    known: SignalIssue, status: SignalStatus, changed_at: int, found: Found, follow: Follow
) -> None:
    assert decide(known, status, changed_at, found) is follow
