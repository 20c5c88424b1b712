"""The mail of tests that notify the team."""

from collections.abc import Iterator

import pytest

from helpdesk.platform import clock
from tests.support.mail import Sent, post_office
from tests.support.team_mail import Team


@pytest.fixture
def mails(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Sent]]:
    """The mails that SES took."""
    with post_office(monkeypatch) as taken:
        yield taken


@pytest.fixture
def team(mails: list[Sent]) -> Iterator[Team]:
    """What the team is mailed, and the clock, which starts at the present."""
    found = Team(mails)
    with clock.frozen(lambda: found.now * 1_000):
        yield found
