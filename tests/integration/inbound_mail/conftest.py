"""The mail of tests that receive mail."""

from collections.abc import Iterator

import pytest

from tests.support.api import Client
from tests.support.mail import Sent, post_office


@pytest.fixture
def mails(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Sent]]:
    """The mails that SES took."""
    with post_office(monkeypatch) as taken:
        yield taken


@pytest.fixture
def slug(api: Client) -> str:
    """What the organization's address begins with."""
    return str(api.get("/v1/organization").body["slug"])
