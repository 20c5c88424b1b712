"""An inbox to search, and an empty index cache for each test."""

from collections.abc import Iterator

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.search import index
from helpdesk.search.s3_index import cache
from tests.support.searched import Inbox


@pytest.fixture(autouse=True)
def no_copies() -> Iterator[None]:
    index.clear_cache()
    yield
    index.clear_cache()


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "PAUSE_SECONDS", 0)


@pytest.fixture
def inbox(organization: NewOrganization) -> Inbox:
    return Inbox(organization.organization_id)
