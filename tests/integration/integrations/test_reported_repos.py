"""Reports of commits that name repositories: any without a connected account, with one only those of an account."""

from collections.abc import Callable

import pytest

from helpdesk.events.integration_jobs import App
from helpdesk.integrations.record import Connection
from helpdesk.integrations.service import mark_broken
from scripts.services.codehost import CodeHost
from tests.support.api import Client

Connect = Callable[..., Connection]


@pytest.fixture(params=["/v1/commits", "/v1/tasks/{task}/commits"])
def route(request: pytest.FixtureRequest, api: Client) -> str:
    """The routes that take reports."""
    task = api.post("/v1/tasks", {"title": "A card"}).body["id"]
    return str(request.param).format(task=task)


def report(api: Client, route: str, repo: str) -> tuple[int, str | None]:
    commits = [{"sha": "ab" * 20, "message": "fixes ORG-1"}]
    answer = api.post(route, {"repo": repo, "default": True, "commits": commits})
    return answer.status, answer.code if answer.status >= 400 else None


def test_any_repository_is_taken_while_no_account_is_connected(api: Client, route: str) -> None:
    assert report(api, route, "a monorepo of ours") == (200, None)


def test_only_repositories_of_connected_accounts_are_taken(
    api: Client, stranger: Client, route: str, connect_codehost: Connect, github: CodeHost
) -> None:
    connect_codehost(github.install("acme", "shop"))
    broken = connect_codehost(github.install("Acme-Labs", "lab"))
    mark_broken(broken, "Connect it again.")
    refused = (404, "commit_repo_not_found")

    for foreign in ("other/shop", "acme", "acme/", "https://github.com/acme/shop", "acmeother/shop"):
        assert report(api, route, foreign) == refused, foreign
    assert api.get("/v1/tasks").body["tasks"][0]["status"] != "done"
    message = api.post(route, {"repo": "other/shop"}).body["error"]["message"]
    assert "Connected: Acme-Labs, acme." in message
    assert report(api, route, " ACME/shop ") == (200, None)
    assert report(api, route, "acme-labs/lab") == (200, None)
    assert report(stranger, "/v1/commits", "other/shop") == (200, None)

    api.delete(f"/v1/integrations/{App.GITHUB}")
    assert report(api, route, "other/shop") == (200, None)
