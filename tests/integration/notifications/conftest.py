"""The mail of tests that notify the team."""

from collections.abc import Iterator

import pytest

from helpdesk.platform import clock
from helpdesk.platform.settings import settings
from tests.support.mail import Sent, post_office
from tests.support.team_mail import Team


@pytest.fixture
def mails(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Sent]]:
    """The mails that SES took, of a deployment with an address."""
    monkeypatch.setenv("BASE_URL", "https://support.example.com")
    settings.cache_clear()
    with post_office(monkeypatch) as taken:
        yield taken


@pytest.fixture
def team(mails: list[Sent]) -> Iterator[Team]:
    """What the team is mailed, and the clock, which starts at the present."""
    found = Team(mails)
    with clock.frozen(lambda: found.now * 1_000):
        yield found
