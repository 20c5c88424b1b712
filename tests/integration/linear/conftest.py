"""A deployment that has Linear set up, and a workspace of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.integration_jobs import App
from helpdesk.integrations.linear import service
from helpdesk.integrations.linear.api import LINEAR
from helpdesk.integrations.record import Connection, Tokens
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from scripts.services import tracker as fake
from scripts.services.server import Services
from scripts.services.tracker import Tracker, Workspace
from tests.support import integrations
from tests.support.api import Client, function
from tests.support.integrations import Send
from tests.support.workers import LongContext, Workers


def file(api: Client, title: str = "The export stops", **more: Any) -> str:
    """File a signal; return its id."""
    return str(api.post("/v1/signals", {"kind": "bug", "title": title, **more}).body["id"])


def signal(api: Client, signal_id: str) -> dict[str, Any]:
    """Return a signal."""
    return dict(api.get(f"/v1/signals/{signal_id}").body["signal"])


def look_again(workers: Workers) -> None:
    """Let the night come: every connection is looked at."""
    assert function("integration_worker").handler({"run": "connections"}, LongContext()) is None
    workers.run()


@dataclass(frozen=True)
class Issues:
    """The organization's signals, their issues in the workspace, and the workers between both."""

    api: Client
    linear: Tracker
    acme: Workspace
    services: Services
    workers: Workers
    send: Send

    def file(self, title: str = "The export stops", **more: Any) -> str:
        """File a signal; return its id."""
        return file(self.api, title, **more)

    def filed(self, title: str = "The export stops", **more: Any) -> str:
        """File a signal, and do what follows, such as opening its issue; return its id."""
        made = self.file(title, **more)
        self.run()
        return made

    def signal(self, signal_id: str) -> dict[str, Any]:
        """Return a signal."""
        return signal(self.api, signal_id)

    def status(self, signal_id: str) -> str:
        """Return the status of a signal."""
        return str(self.signal(signal_id)["status"])

    def move(self, signal_id: str, status: str) -> None:
        """Move a signal, and do what follows."""
        self.api.patch(f"/v1/signals/{signal_id}", {"status": status})
        self.run()

    def state(self, identifier: str = "ENG-1") -> str:
        """Return the name of an issue's state."""
        return self.acme.shown()[identifier][1]

    def moved(self, identifier: str, state: str) -> tuple[dict[str, str], str]:
        """Move an issue as a person does at Linear; return the hook."""
        return self.linear.move(self.acme, identifier, state)

    def hear(self, sent: tuple[dict[str, str], str]) -> None:
        """Let Linear send a hook, and do what follows."""
        assert self.send(sent).status == 200
        self.run()

    def problem(self) -> str | None:
        """Return what the team reads about the tracker."""
        said: str | None = self.api.get("/v1/integrations/tracker").body["problem"]
        return said

    def run(self) -> None:
        """Do all that waits."""
        self.workers.run()

    def look_again(self) -> None:
        """Let the night come: every connection is looked at."""
        look_again(self.workers)


@pytest.fixture
def issues(
    api: Client, linear: Tracker, acme: Workspace, services: Services, workers: Workers, send: Send
) -> Issues:
    """Signals and their issues."""
    return Issues(api, linear, acme, services, workers, send)


@pytest.fixture
def linear() -> Tracker:
    """Linear."""
    return Tracker()


@pytest.fixture
def services(linear: Tracker) -> Iterator[Services]:
    """The service, and what it was asked."""
    with Services(linear) as running:
        yield running


@pytest.fixture(autouse=True)
def _deployment(monkeypatch: pytest.MonkeyPatch, aws: None, services: Services) -> None:
    integrations.deploy(monkeypatch, services, App.LINEAR, fake.credentials())


@pytest.fixture
def workers() -> Workers:
    """What follows from signals, without the indexes."""
    return Workers("search", "knowledge")


@pytest.fixture
def acme(linear: Tracker) -> Workspace:
    """A workspace with the team ENG."""
    return linear.workspace("Acme")


@pytest.fixture
def connect(linear: Tracker, organization: NewOrganization) -> Callable[..., Connection]:
    """Connect the organization, or another one, to a workspace, and list its teams."""

    def run(workspace: Workspace, of: str = organization.organization_id) -> Connection:
        tokens = Tokens(linear.tokens_for(workspace), clock.now_ms() + DAY_MS)
        details = {"bot": workspace.bot}
        made = integrations.connect(of, App.LINEAR, workspace.id, workspace.name, tokens, details)
        service.refresh_directory(LINEAR.open(made))
        return made

    return run


@pytest.fixture
def connection(connect: Callable[..., Connection], acme: Workspace) -> Connection:
    """The organization's connection to the workspace."""
    return connect(acme)


@pytest.fixture
def admin(organization: NewOrganization) -> Client:
    """An admin of the organization."""
    return integrations.admin_of(organization.organization_id)


@pytest.fixture
def opening(admin: Client, connection: Connection) -> None:
    """Open an issue for each signal."""
    answer = admin.patch("/v1/integrations/tracker", {"team": "ENG", "autoCreate": True})
    assert answer.status == 200, answer


@pytest.fixture
def send() -> Send:
    """Send what Linear sends."""
    return integrations.sender(App.LINEAR)
