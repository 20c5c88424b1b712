"""A deployment that has Slack set up, and a workspace of it."""

from collections.abc import Callable, Iterator

import pytest

from helpdesk.chatmirror import thread_repository as threads
from helpdesk.chatmirror.slack import TOKEN
from helpdesk.integrations import credentials
from helpdesk.integrations.apps import App
from helpdesk.integrations.record import Connection, Tokens
from helpdesk.organizations.schemas import NewOrganization
from helpdesk.platform.settings import settings
from scripts.services import chatmirror as fake
from scripts.services.chatmirror import Channel, ChatMirror, Workspace
from scripts.services.server import Services
from tests.support import integrations
from tests.support.api import Answer, Client, function
from tests.support.people import issue_token, make_person
from tests.support.workers import LongContext, Workers, received

BASE_URL = "https://support.example.com"
PATH = "/v1/integrations/chatmirror"

type Send = Callable[[tuple[dict[str, str], str]], Answer]


def run_twice(workers: Workers) -> None:
    """Hand the one job that waits to its worker twice, as a queue that delivers at least once may."""
    workers.fan_out()
    records = received(settings().integration_queue_url)
    assert len(records) == 1
    for _ in range(2):
        answer = function("integration_worker").handler({"Records": records}, LongContext())
        assert answer == {"batchItemFailures": []}


@pytest.fixture
def slack() -> ChatMirror:
    """Slack."""
    return ChatMirror()


@pytest.fixture
def services(slack: ChatMirror) -> Iterator[Services]:
    """The service, and what it was asked."""
    with Services(slack) as running:
        yield running


@pytest.fixture(autouse=True)
def _deployment(monkeypatch: pytest.MonkeyPatch, aws: None, services: Services) -> None:
    monkeypatch.setenv("STAGE", "local")
    monkeypatch.setenv("BASE_URL", BASE_URL)
    monkeypatch.setenv("SERVICES_URL", services.url)
    settings.cache_clear()
    credentials.forget()
    integrations.set_app(App.CHATMIRROR, fake.credentials())


@pytest.fixture
def workers() -> Workers:
    """The service behind the API."""
    return Workers()


@pytest.fixture
def acme(slack: ChatMirror) -> Workspace:
    """A workspace with two channels."""
    return slack.workspace("Acme", "general", "support")


@pytest.fixture
def connect(slack: ChatMirror, organization: NewOrganization) -> Callable[..., Connection]:
    """Connect the organization, or another one, to a workspace."""

    def run(workspace: Workspace, of: str = organization.organization_id) -> Connection:
        tokens = Tokens({TOKEN: slack.token_for(workspace)})
        details = {"bot": workspace.bot, "appId": fake.APP_ID}
        return integrations.connect(of, App.CHATMIRROR, workspace.id, workspace.name, tokens, details)

    return run


@pytest.fixture
def connection(connect: Callable[..., Connection], acme: Workspace) -> Connection:
    """The organization's connection to the workspace."""
    return connect(acme)


@pytest.fixture
def channel(connection: Connection, admin: Client, acme: Workspace, workers: Workers) -> Channel:
    """The channel that conversations go to, in the mode alerts."""
    admin.patch(PATH, {"channel": "support"})
    workers.run()
    assert admin.patch(PATH, {"channel": "support"}).status == 200
    workers.run()
    return acme.named("support")


@pytest.fixture
def support(channel: Channel, admin: Client, workers: Workers, monkeypatch: pytest.MonkeyPatch) -> Channel:
    """The channel that conversations go to, both ways, without a pause between messages."""
    monkeypatch.setattr(threads, "PACE_MS", 0)
    assert admin.patch(PATH, {"mode": "two_way"}).status == 200
    return channel


@pytest.fixture
def mira(slack: ChatMirror, acme: Workspace, organization: NewOrganization) -> str:
    """A member who is in the workspace, too."""
    make_person(organization.organization_id, role="member", name="Mira", email="mira@example.com")
    return slack.person(acme, "Mira", "Mira@example.com")


@pytest.fixture
def admin(organization: NewOrganization) -> Client:
    """An admin of the organization."""
    return Client(issue_token(organization.organization_id, role="admin", name="Ada Admin"))


@pytest.fixture
def send() -> Send:
    """Send what Slack sends."""

    def run(sent: tuple[dict[str, str], str]) -> Answer:
        headers, body = sent
        return Client(headers=headers).request("POST", "/v1/hooks/chatmirror", body)

    return run
