"""Runs of the agent with a scripted model and a tool server on loopback."""

from collections.abc import Iterator

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.knowledge import index
from tests.support.agent_runs import Runs, runs, with_a_model
from tests.support.api import Client


@pytest.fixture(autouse=True)
def _model(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    index.clear_cache()
    with_a_model(monkeypatch)
    yield
    index.clear_cache()


@pytest.fixture
def desk(api: Client, organization: NewOrganization) -> Iterator[Runs]:
    with runs(api, organization) as found:
        yield found
