"""No token or secret of a service is in a log, an event, an error, a page of the log or what a job leaves behind."""

import json
import re
from collections.abc import Iterator

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.integration_jobs import App
from helpdesk.integrations.record import Connection, Tokens
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from scripts.services import chatcommunity, chatmirror, codehost, tracker
from scripts.services.chatcommunity import ChatCommunity
from scripts.services.chatmirror import ChatMirror
from scripts.services.codehost import CodeHost
from scripts.services.server import Said, Services
from scripts.services.tracker import Tracker
from tests.support import integrations, table
from tests.support.api import Client
from tests.support.people import issue_token
from tests.support.traces import logged
from tests.support.workers import Workers

CHANGES = {
    "/chatmirror": {"channel": "support", "mode": "two_way"},
    "/chatcommunity": {"channel": "staff"},
    "/tracker": {"team": "ENG", "autoCreate": True},
    "/issue-repo": {"repo": "acme/shop", "autoCreate": True},
}
SECRET_PARTITIONS = re.compile(r"^APPSECRET#|#TOKENS$")


class Town:
    """The four services, each with an account."""

    def __init__(self) -> None:
        self.github, self.slack, self.discord, self.linear = (
            CodeHost(),
            ChatMirror(),
            ChatCommunity(),
            Tracker(),
        )
        self.installation = self.github.install("acme", "shop")
        self.workspace = self.slack.workspace("Acme", "support")
        self.server = self.discord.server("Acme", "general", "staff")
        self.teams = self.linear.workspace("Acme")
        self.apps = {
            App.GITHUB: codehost.credentials(self.github.key),
            App.SLACK: chatmirror.credentials(),
            App.DISCORD: chatcommunity.credentials(),
            App.LINEAR: tracker.credentials(),
        }

    def secrets(self) -> list[str]:
        """Return what nobody may read: the apps' secrets, and every token that was given out."""
        entered = [
            text.splitlines()[1] if name == "private_key" else text
            for values in self.apps.values()
            for name, text in values.items()
            if name not in {"client_id", "app_id", "slug", "public_key"}
        ]
        return [*entered, *self.slack.tokens, *self.linear.tokens, *self.linear.refresh, *self.github.tokens]

    def revoke(self) -> None:
        """Let every service accept the apps no longer."""
        self.slack.revoke(self.workspace)
        self.linear.revoke(self.teams)
        self.discord.bot_token = "another one"
        self.github.installations.clear()
        self.github.tokens.clear()

    def connect(self, organization: str) -> list[Connection]:
        """Connect an organization to all of them."""
        for app, values in self.apps.items():
            integrations.set_app(app, values)
        slack = Tokens({"token": self.slack.token_for(self.workspace)})
        linear = Tokens(self.linear.tokens_for(self.teams), clock.now_ms() + DAY_MS)
        github = str(self.installation.id)
        return [
            integrations.connect(organization, App.GITHUB, github, "acme", Tokens({}, ends_at=0)),
            integrations.connect(
                organization, App.SLACK, self.workspace.id, "Acme", slack, {"bot": self.workspace.bot}
            ),
            integrations.connect(organization, App.DISCORD, self.server.id, "Acme", Tokens({})),
            integrations.connect(organization, App.LINEAR, self.teams.id, "Acme", linear),
        ]


@pytest.fixture
def town() -> Town:
    """The services."""
    return Town()


@pytest.fixture
def services(town: Town) -> Iterator[Services]:
    """All of them, running."""
    with Services(town.github, town.slack, town.discord, town.linear) as running:
        yield running


def test_no_secret_of_a_service_is_in_what_anybody_reads(
    town: Town,
    services: Services,
    api: Client,
    organization: NewOrganization,
    workers: Workers,
) -> None:
    town.connect(organization.organization_id)
    admin = Client(issue_token(organization.organization_id, role="admin", name="Ada Admin"))
    read: list[object] = []

    def settle(number: int) -> None:
        for route, change in CHANGES.items():
            method = "POST" if route == "/issue-repo" else "PATCH"
            read.append(admin.request(method, f"/v1/integrations{route}", change).body)
        api.post("/v1/messages", {"session": f"session-{number}", "body": "I want a human"})
        read.append(api.post("/v1/signals", {"kind": "bug", "title": f"The export stops, {number}"}).body)
        headers, body = town.discord.command(town.server, town.server.named("general"), "ask", "Where is it?")
        read.append(Client(headers=headers).request("POST", "/v1/hooks/chatcommunity", body).body)
        workers.run()
        read.extend(admin.get(f"/v1/integrations{route}").body for route in ("", *CHANGES))

    with logged() as log:
        for number in range(2):  # at first nothing is listed
            settle(number)
        for status in (500, 403):
            services.fail(said=Said(status, {"message": "No", "error": "no"}), left=200)
            settle(status)
            services.faults.clear()
        secrets = town.secrets()
        town.revoke()
        settle(2)
    rows = admin.get("/v1/integrations").body["integrations"]
    assert [each["status"] for each in rows] == ["broken"] * 4
    read.append(admin.get("/v1/logs").body)

    kept = [each for each in table.everything() if not SECRET_PARTITIONS.search(each["PK"])]
    everything = json.dumps([read, kept, log.sent], default=str) + log.text
    assert "integration_worked" in log.text
    assert len(secrets) > 10
    assert [each for each in secrets if each in everything] == []
    # The token of a response waits with its command, for the worker, and is in nothing else.
    assert [each for each in town.discord.responses if each in json.dumps(read) + log.text] == []
