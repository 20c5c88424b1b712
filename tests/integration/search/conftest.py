"""An inbox to search, and no copies of an index from one test to the next."""

from collections.abc import Iterator

import pytest

from helpdesk.organizations.schemas import NewOrganization
from helpdesk.search import index
from tests.support.searched import Inbox


@pytest.fixture(autouse=True)
def no_copies() -> Iterator[None]:
    index.forget_copies()
    yield
    index.forget_copies()


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "PAUSE_SECONDS", 0)


@pytest.fixture
def inbox(organization: NewOrganization) -> Inbox:
    return Inbox(organization.organization_id)
