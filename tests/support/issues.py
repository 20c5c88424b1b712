"""Issues of signals at the stand-in of GitHub: an account with a repository, and an organization connected to it."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from helpdesk.integrations.record import Connection
from scripts.services import codehost_hooks as hooks
from scripts.services import codehost_shapes as shapes
from scripts.services.codehost import CodeHost
from scripts.services.repositories import Installation, Repository
from tests.support.api import Client
from tests.support.integrations import later
from tests.support.workers import Workers

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
