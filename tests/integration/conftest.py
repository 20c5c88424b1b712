"""moto in place of AWS, the deployed table, an organization to act for."""

import os
from collections.abc import Callable, Iterator
from itertools import count
from typing import Final

import pytest

from helpdesk.accounts import provisioning
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission import allowance, waits
from helpdesk.api.admission.limits import Plan
from helpdesk.platform import clients, clock
from helpdesk.platform.settings import settings
from tests.support import effort, permissions, stand_in
from tests.support.api import Client
from tests.support.embedded import embedded_once
from tests.support.people import issue_token

REGION: Final = stand_in.REGION
_numbers = count(1)


@pytest.fixture(scope="session", autouse=True)
def _clients() -> Iterator[None]:
    """Keep one set of clients for all tests of a process: making them takes longer than most tests."""
    clients.forget()
    with permissions.enforced(), embedded_once():
        yield
    clients.forget()


@pytest.fixture(scope="module", autouse=True)
def _emulated() -> Iterator[None]:
    """Stand in for AWS with the table that template.yaml describes, its buckets and queues."""
    with pytest.MonkeyPatch.context() as environment:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            environment.delenv(name)
        for variable, value in stand_in.ENVIRONMENT.items():
            environment.setenv(variable, value)
        with stand_in.emulated():
            yield


@pytest.fixture(autouse=True)
def aws(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Begin with an empty table, empty buckets and empty queues.

    The table is in memory, which takes a sixteenth of moto's time for a request. Tests marked `moto`, and all tests of
    `make test-all`, have moto's.
    """
    monkeypatch.setattr(clock, "sleep", lambda _: None)
    moto = effort.whole() or request.node.get_closest_marker("moto") is not None
    with stand_in.empty(in_memory=not moto):
        settings.cache_clear()
        allowance.forget()
        waits.forget()
        yield
    settings.cache_clear()
    permissions.require_allowed()


@pytest.fixture
def ticking(aws: None) -> Iterator[None]:
    """Let a millisecond pass with each look at the clock, so that what follows another thing is later than it."""
    instants = count(clock.now_us(), 1_000)
    with clock.frozen(lambda: next(instants)):
        yield


@pytest.fixture
def make_organization() -> Callable[..., NewOrganization]:
    """Make organizations; by default on the highest tier, so that no test meets a limit it does not mean."""

    def make(
        plan: Plan = Plan.PRO, *, api_limits: bool = True, unlimited_api: bool = False
    ) -> NewOrganization:
        number = next(_numbers)
        return provisioning.create_organization(
            name=f"Organization {number}",
            slug=f"organization-{number}",
            owner_name="Olga Owner",
            owner_email=f"olga{number}@example.com",
            plan=plan,
            api_limits=api_limits,
            unlimited_api=unlimited_api,
        )

    return make


@pytest.fixture
def organization(make_organization: Callable[..., NewOrganization]) -> NewOrganization:
    """The organization that a test acts for."""
    return make_organization()


@pytest.fixture
def other_organization(make_organization: Callable[..., NewOrganization]) -> NewOrganization:
    """An organization whose data the first must never see."""
    return make_organization()


@pytest.fixture
def api(organization: NewOrganization) -> Client:
    """The API as the organization's secret key sees it."""
    return Client(organization.secret_key)


@pytest.fixture
def stranger(other_organization: NewOrganization) -> Client:
    """The API as the other organization's secret key sees it."""
    return Client(other_organization.secret_key)


@pytest.fixture
def anonymous() -> Client:
    """The API without a credential."""
    return Client()


@pytest.fixture
def admin(organization: NewOrganization) -> Client:
    """The API as an admin's access token sees it."""
    return Client(issue_token(organization.organization_id, role="admin", name="Ada Admin"))


@pytest.fixture
def member(organization: NewOrganization) -> Client:
    """The API as a member's access token sees it."""
    return Client(issue_token(organization.organization_id, role="member", name="Max Member"))
