"""A deployment that has Discord set up, and a server of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.integration_jobs import App
from helpdesk.integrations.discord import outgoing
from helpdesk.integrations.record import Connection, Tokens
from scripts.services import chatcommunity as fake
from scripts.services.chatcommunity import ChatCommunity
from scripts.services.community import Channel, Response, Server
from scripts.services.server import Asked, Said, Services
from tests.support import integrations
from tests.support.api import Client
from tests.support.discord_description import description
from tests.support.integrations import Send
from tests.support.workers import Workers

PATH = "/v1/integrations/chatcommunity"


@pytest.fixture
def discord() -> ChatCommunity:
    """Discord."""
    return ChatCommunity()


@pytest.fixture
def services(discord: ChatCommunity) -> Iterator[Services]:
    """The service, and what it was asked. Each request and answer is as Discord describes it."""
    wrong: list[str] = []
    answer = discord.answer

    def checked(asked: Asked) -> Said:
        said = answer(asked)
        wrong.extend(description().mismatches(asked, said))
        return said

    discord.answer = checked  # type: ignore[method-assign] # around the stand-in's own
    with Services(discord) as running:
        yield running
    assert wrong == []


@pytest.fixture(autouse=True)
def _deployment(monkeypatch: pytest.MonkeyPatch, aws: None, services: Services) -> None:
    integrations.deploy(monkeypatch, services, App.DISCORD, fake.credentials())


@pytest.fixture
def workers() -> Workers:
    """The service behind the API."""
    return Workers("search")


@pytest.fixture
def acme(discord: ChatCommunity) -> Server:
    """A server with two channels and a role."""
    made = discord.server("Acme", "general", "staff")
    discord.role(made, "Support")
    return made


@pytest.fixture
def connect(organization: NewOrganization) -> Callable[..., Connection]:
    """Connect the organization, or another one, to a server."""

    def run(server: Server, of: str = organization.organization_id) -> Connection:
        return integrations.connect(of, App.DISCORD, server.id, server.name, Tokens({}))

    return run


@pytest.fixture
def connection(connect: Callable[..., Connection], acme: Server) -> Connection:
    """The organization's connection to the server."""
    return connect(acme)


@pytest.fixture
def admin(organization: NewOrganization) -> Client:
    """An admin of the organization."""
    return integrations.admin_of(organization.organization_id)


@pytest.fixture
def send() -> Send:
    """Send what Discord sends."""
    return integrations.sender(App.DISCORD)


@pytest.fixture
def listed(connection: Connection, admin: Client, workers: Workers) -> Connection:
    """A connection whose channels and roles are known."""
    assert admin.patch(PATH, {"channel": "staff"}).code == "chatcommunity_bot_timeout"
    workers.run()
    return connection


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let channels take messages without a pause."""
    monkeypatch.setattr(outgoing, "PACE_MS", 0)


@pytest.fixture
def type_in(discord: ChatCommunity, acme: Server, send: Send, workers: Workers) -> Callable[..., Response]:
    """Let a person type a command, and do what follows; return the response to it."""

    def run(channel: Channel, name: str, text: str | None = None, **how: Any) -> Response:
        sent = discord.command(acme, channel, name, text, **how)
        assert send(sent).status == 200
        workers.run()
        return discord.response(sent)

    return run


@pytest.fixture
def general(acme: Server) -> Channel:
    """The channel in which people ask."""
    return acme.named("general")


@dataclass(frozen=True)
class Guild:
    """A server of Discord where people ask, the organization that answers, and the workers between both."""

    discord: ChatCommunity
    acme: Server
    general: Channel
    services: Services
    api: Client
    admin: Client
    workers: Workers
    send: Send
    type_in: Callable[..., Response]

    def ask(self, text: str, **how: Any) -> Response:
        """Let a person ask in #general, and do what follows; return the response to it."""
        return self.type_in(self.general, "ask", text, **how)

    def threads(self) -> list[Channel]:
        """Return the threads of the server."""
        return self.acme.threads()

    def conversations(self) -> list[dict[str, Any]]:
        """Return the organization's conversations, the newest first."""
        return list(self.api.get("/v1/conversations").body["conversations"])

    def entries(self, conversation: str) -> list[tuple[str, str]]:
        """Return a thread as the team sees it: the kind and the text of each entry."""
        found = self.api.get(f"/v1/conversations/{conversation}").body["messages"]
        return [(each["kind"], each["body"]) for each in found]

    def reply(self, conversation: str, text: str) -> None:
        """Let an admin take over with a reply, and do what follows."""
        self.admin.post(f"/v1/conversations/{conversation}/reply", {"body": text, "takeOver": True})
        self.run()

    def run(self) -> None:
        """Do all that waits."""
        self.workers.run()


@pytest.fixture
def guild(
    discord: ChatCommunity,
    acme: Server,
    general: Channel,
    services: Services,
    api: Client,
    admin: Client,
    workers: Workers,
    send: Send,
    type_in: Callable[..., Response],
) -> Guild:
    """The server, and the organization."""
    return Guild(discord, acme, general, services, api, admin, workers, send, type_in)
