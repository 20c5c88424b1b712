"""The mail of tests that write to customers."""

from collections.abc import Iterator

import pytest

from helpdesk.platform import clock
from tests.support.mail import Sent, post_office
from tests.support.unread import Time


@pytest.fixture
def mails(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Sent]]:
    """The mails that SES took."""
    with post_office(monkeypatch) as taken:
        yield taken


@pytest.fixture
def time() -> Iterator[Time]:
    """The clock, which starts at the present."""
    moving = Time()
    with clock.frozen(lambda: moving.now * 1_000):
        yield moving
