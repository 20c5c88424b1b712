"""A deployment that has Slack set up, and a workspace of it."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations.record import Conversation
from helpdesk.events.integration_jobs import App
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.record import Connection, Tokens
from helpdesk.integrations.slack import receiver, threads
from helpdesk.integrations.slack.api import SLACK, TOKEN
from scripts.services import chatmirror as fake
from scripts.services.chatmirror import Channel, ChatMirror, Workspace
from scripts.services.server import Asked, Said, Services
from tests.support import integrations
from tests.support.api import Client
from tests.support.approvals import conversation_of
from tests.support.integrations import Send, later
from tests.support.people import make_person
from tests.support.slack_description import description
from tests.support.workers import Workers

PATH = "/v1/integrations/chatmirror"
HAS_IT = "You have this conversation."


def job_of(channel: Channel, message: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    """Return the job about a message of a thread, the latest of the channel if none is given."""
    found = receiver.in_thread(channel.id, channel.messages[-1] if message is None else message)
    assert found is not None
    return found


type Sent = tuple[dict[str, str], str]


@dataclass(frozen=True)
class Thread:
    """A conversation as a thread of the channel. What people do there arrives with `deliver`."""

    conversation: Conversation
    slack: ChatMirror
    acme: Workspace
    channel: Channel
    api: Client
    admin: Client
    workers: Workers
    deliver: Send

    @property
    def first(self) -> dict[str, Any]:
        """The message that begins the thread, with its buttons."""
        return self.channel.messages[0]

    def write(self, person: str, text: str, **how: Any) -> Sent:
        """Write in the thread; return the event about it."""
        return self.slack.say(self.acme, self.channel, self.first["ts"], person, text, **how)

    def mention(self, person: str, text: str, **how: Any) -> Sent:
        """Write to the customer, which is what a mention of the bot does; return the event about it."""
        return self.write(person, f"<@{self.acme.bot}> {text}", **how)

    def click(self, person: str, action: str, message: dict[str, Any] | None = None) -> Sent:
        """Press a button, of the first message unless another is named; return what Slack sends."""
        return self.slack.click(
            self.acme, self.channel, self.first if message is None else message, person, action
        )

    def say(self, person: str, text: str) -> None:
        """Write in the thread, and let the work for it be done when no click can be on its way any more."""
        self.deliver(self.write(person, text))
        with later(10):
            self.workers.run()

    def reply(self, person: str, text: str) -> None:
        """Write to the customer, and let the work for it be done."""
        self.say(person, f"<@{self.acme.bot}> {text}")

    def press(self, person: str, action: str, message: dict[str, Any] | None = None) -> None:
        """Press a button, and let the work for it be done."""
        self.deliver(self.click(person, action, message))
        self.workers.run()

    def move(self, transition: str) -> None:
        """Do something with the conversation over the API."""
        assert self.admin.post(f"/v1/conversations/{self.conversation.id}/{transition}").status == 200

    @property
    def shown(self) -> dict[str, Any]:
        """The conversation as the API shows it."""
        return dict(self.api.get(f"/v1/conversations/{self.conversation.id}").body["conversation"])

    @property
    def replies(self) -> list[tuple[str, str]]:
        """What people wrote to the visitor: name and text."""
        found = self.api.get(f"/v1/conversations/{self.conversation.id}").body["messages"]
        people = [each for each in found if (each.get("agent") or {}).get("kind") == "human"]
        return [(each["agent"]["name"], each["body"]) for each in people]

    @property
    def hints(self) -> list[tuple[str, str]]:
        """Who alone reads what in the thread, other than that they have the conversation."""
        shown = [(each["user"], each["text"]) for each in self.channel.ephemeral]
        return [(user, text) for user, text in shown if not text.startswith(HAS_IT)]


@pytest.fixture
def conversation(support: Channel, api: Client, organization: NewOrganization) -> Conversation:
    """A conversation with the agent, which is to appear in the channel."""
    return conversation_of(api, organization.organization_id)


@pytest.fixture
def thread(
    conversation: Conversation,
    slack: ChatMirror,
    acme: Workspace,
    support: Channel,
    api: Client,
    admin: Client,
    workers: Workers,
    send: Send,
) -> Thread:
    """The conversation in the channel, both ways."""
    workers.run()
    return Thread(conversation, slack, acme, support, api, admin, workers, send)


@pytest.fixture
def slack() -> ChatMirror:
    """Slack."""
    return ChatMirror()


@pytest.fixture
def services(slack: ChatMirror, monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    """The service, and what it was asked. All that is asked, answered and sent is as Slack describes it."""
    wrong: list[str] = []
    answer, event, click = slack.answer, slack.event, slack.click

    def checked_answer(asked: Asked) -> Said:
        said = answer(asked)
        wrong.extend(description().mismatches(asked, said))
        return said

    def checked_event(*about: Any, **how: Any) -> tuple[dict[str, str], str]:
        headers, body = event(*about, **how)
        wrong.extend(description().misfits_of_body(json.loads(body)))
        return headers, body

    def checked_click(*about: Any) -> tuple[dict[str, str], str]:
        headers, body = click(*about)
        wrong.extend(description().misfits_of_body(json.loads(parse_qs(body)["payload"][0])))
        return headers, body

    monkeypatch.setattr(slack, "answer", checked_answer)
    monkeypatch.setattr(slack, "event", checked_event)
    monkeypatch.setattr(slack, "click", checked_click)
    with Services(slack) as running:
        yield running
    assert wrong == []


@pytest.fixture(autouse=True)
def _deployment(monkeypatch: pytest.MonkeyPatch, aws: None, services: Services) -> None:
    integrations.deploy(monkeypatch, services, App.SLACK, fake.credentials())


@pytest.fixture
def workers() -> Workers:
    """The service behind the API."""
    return Workers("search")


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
        return integrations.connect(of, App.SLACK, workspace.id, workspace.name, tokens, details)

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
def noor(slack: ChatMirror, acme: Workspace, organization: NewOrganization) -> str:
    """Another member who is in the workspace."""
    make_person(organization.organization_id, role="member", name="Noor", email="noor@example.com")
    return slack.person(acme, "Noor", "noor@example.com")


@pytest.fixture
def account(connection: Connection) -> Account:
    """The workspace, as the worker uses it."""
    return SLACK.open(connection)


@pytest.fixture
def admin(organization: NewOrganization) -> Client:
    """An admin of the organization."""
    return integrations.admin_of(organization.organization_id)


@pytest.fixture
def send() -> Send:
    """Send what Slack sends."""
    return integrations.sender(App.SLACK)
