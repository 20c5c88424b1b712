"""Issues of signals at the stand-in of GitHub: an account with a repository, and an organization connected to it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import pytest

from helpdesk.integrations.record import Connection
from scripts.services import codehost_hooks as hooks
from scripts.services import codehost_shapes as shapes
from scripts.services.codehost import CodeHost
from scripts.services.repositories import Installation, Repository
from scripts.services.server import Services
from tests.support.api import Client, function
from tests.support.integrations import later
from tests.support.workers import LongContext, Workers

__all__ = ["later"]  # and everything below


@pytest.fixture
def acme(github: CodeHost) -> Installation:
    """An account with a repository."""
    return github.install("acme", "shop")


@pytest.fixture
def repository(github: CodeHost, acme: Installation) -> Repository:
    """The repository."""
    return github.repositories["acme/shop"]


@pytest.fixture(autouse=True)
def connection(connect_codehost: Callable[..., Connection], acme: Installation) -> Connection:
    """The organization's connection to the account."""
    return connect_codehost(acme)


@pytest.fixture
def workers() -> Workers:
    """What follows from signals, without the indexes."""
    return Workers("search", "knowledge")


@dataclass(frozen=True)
class Issues:
    """The organization's signals, their issues in the repository, and the workers between both."""

    api: Client
    github: CodeHost
    acme: Installation
    repository: Repository
    services: Services
    workers: Workers

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

    def number(self, signal_id: str) -> int:
        """Return the number of a signal's issue."""
        return int(self.signal(signal_id)["codehost"]["number"])

    def move(self, signal_id: str, status: str) -> None:
        """Move a signal, and do what follows."""
        self.api.patch(f"/v1/signals/{signal_id}", {"status": status})
        self.run()

    def merge(self, stays: str, duplicate: str) -> None:
        """Merge a signal into another one; nothing that follows is done."""
        assert self.api.post(f"/v1/signals/{stays}/merge", {"duplicateId": duplicate}).status == 200

    def switch_off(self) -> None:
        """Open no more issues for signals."""
        self.api.post("/v1/integrations/issue-repo", {"autoCreate": False})

    def sent(self, hook: Callable[..., hooks.Sent], *about: Any, **how: Any) -> hooks.Sent:
        """Return what GitHub sends of the repository."""
        return hook(self.github, self.repository, *about, **how)

    def hear(self, sent: hooks.Sent) -> None:
        """Let GitHub send a hook, and do what follows."""
        deliver(sent)
        self.run()

    def change(self, number: int, **changed: Any) -> None:
        """Let a person close or open an issue, and GitHub send it."""
        change(self.github, self.repository, number, **changed)

    def close(self, number: int, reason: str | None) -> None:
        """Let a person close an issue, and do what follows."""
        self.change(number, state="closed", state_reason=reason)
        self.run()

    def reopen(self, number: int) -> None:
        """Let a person open an issue again, and do what follows."""
        self.change(number, state="open", state_reason="reopened")
        self.run()

    def run(self) -> None:
        """Do all that waits."""
        self.workers.run()

    def look_again(self) -> None:
        """Let the night come: every connection is looked at."""
        assert function("integration_worker").handler({"run": "connections"}, LongContext()) is None
        self.run()


@pytest.fixture
def issues(
    api: Client,
    github: CodeHost,
    acme: Installation,
    repository: Repository,
    services: Services,
    workers: Workers,
) -> Issues:
    """Signals and their issues."""
    return Issues(api, github, acme, repository, services, workers)


@pytest.fixture
def opening(api: Client) -> None:
    """Open an issue for each signal."""
    answer = api.post("/v1/integrations/issue-repo", {"repo": "acme/shop", "autoCreate": True})
    assert answer.body == {"repo": "acme/shop"}


def file(api: Client, title: str = "The export stops", **more: Any) -> str:
    return str(api.post("/v1/signals", {"kind": "bug", "title": title, **more}).body["id"])


def signal(api: Client, signal_id: str) -> dict[str, Any]:
    return dict(api.get(f"/v1/signals/{signal_id}").body["signal"])


def change(
    github: CodeHost, repository: Repository, number: int, *, by: str = hooks.PERSON, **changed: Any
) -> None:
    """Let a person close or open an issue, and GitHub send it."""
    issue = repository.issues[number]
    issue |= {"updated_at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"), **changed}
    closed = issue["state"] == "closed"
    issue["closed_at"], issue["closed_by"] = (
        (issue["updated_at"], shapes.account(by)) if closed else (None, None)
    )
    deliver(hooks.issue(github, repository, number, "closed" if closed else "reopened", sender=by))


def deliver(sent: hooks.Sent) -> None:
    """Let GitHub send an event."""
    headers, body = sent
    assert Client(headers=headers).request("POST", "/v1/hooks/codehost", body).status == 200
