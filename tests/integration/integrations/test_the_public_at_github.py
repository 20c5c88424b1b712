"""What strangers do in a public repository moves no card and no signal. What the team does there moves both."""

import json
from typing import Any

import pytest

from helpdesk.platform.clock import now_us
from scripts.services import codehost_hooks as hooks
from scripts.services.codehost import CodeHost
from scripts.services.repositories import Repository
from scripts.services.server import Services
from tests.support.api import Client, function
from tests.support.integrations import later
from tests.support.issues import acme, change, connection, deliver, file, repository, signal, workers
from tests.support.workers import LongContext, Workers

__all__ = ["acme", "connection", "repository", "workers"]
STRANGER, TEAM = "eve", "mona"


@pytest.fixture
def key(api: Client, repository: Repository) -> str:
    """A planned card of a connected organization."""
    return str(api.post("/v1/tasks", {"title": "Pack faster", "status": "planned"}).body["key"])


def column(api: Client) -> str:
    return str(api.get("/v1/tasks").body["tasks"][0]["status"])


@pytest.mark.parametrize(
    ("author", "role", "fork", "moves"),
    [
        (STRANGER, None, True, False),
        (STRANGER, "read", True, False),
        (STRANGER, "triage", True, True),  # a member whose membership is private
        (STRANGER, "admin", True, True),
        (STRANGER, None, False, True),  # only who may write makes a branch of the repository
        (TEAM, None, True, True),
        ("renovate[bot]", None, True, True),
    ],
)
def test_a_pull_request_moves_its_cards_if_it_is_the_teams(
    api: Client,
    repository: Repository,
    github: CodeHost,
    workers: Workers,
    key: str,
    author: str,
    role: str | None,
    fork: bool,
    moves: bool,
) -> None:
    github.roles |= {author: role} if role else {}
    deliver(hooks.pull_request(github, repository, 7, f"See {key}", author=author, fork=fork))
    workers.run()

    assert column(api) == ("in_review" if moves else "planned")


def test_a_strangers_pull_request_counts_when_the_team_merges_it_and_not_for_its_later_title(
    api: Client, repository: Repository, github: CodeHost, workers: Workers, key: str
) -> None:
    merged = hooks.pull_request(github, repository, 7, "A typo", author=STRANGER, fork=True, merged=True)
    payload = json.loads(merged[1])
    payload["pull_request"]["title"] = f"Fixes {key}"
    headers, body = github.hook("pull_request", payload)
    edited = json.dumps({**payload, "action": "edited"})
    deliver(({**headers, **github.sign(edited), "x-github-delivery": "edited"}, edited))
    workers.run()
    assert column(api) == "planned"

    deliver((headers, body))
    workers.run()
    assert column(api) == "done"


def test_a_strangers_pull_request_that_names_no_card_asks_github_nothing(
    repository: Repository, github: CodeHost, workers: Workers, services: Services, key: str
) -> None:
    deliver(hooks.pull_request(github, repository, 7, "A typo", author=STRANGER, fork=True))
    workers.run()

    assert [each.path for each in services.asked] == []


@pytest.fixture
def linked(api: Client, repository: Repository, workers: Workers) -> str:
    """A signal with an issue that a stranger opened."""
    api.post("/v1/integrations/issue-repo", {"repo": "acme/shop"})
    repository.open_issue("It crashes", None, STRANGER, 1_700_000_000)
    filed = file(api)
    assert api.post(f"/v1/signals/{filed}/codehost", {"number": 1}).status == 202
    workers.run()
    return filed


def status(api: Client, filed: str) -> Any:
    return signal(api, filed)["status"]


CLOSED = {"state": "closed", "state_reason": "completed"}


@pytest.mark.parametrize(
    ("by", "role", "after"), [(STRANGER, None, "open"), (STRANGER, "triage", "done"), (TEAM, None, "done")]
)
def test_an_issue_that_its_author_closes_moves_its_signal_if_the_author_is_of_the_team(
    api: Client,
    repository: Repository,
    github: CodeHost,
    workers: Workers,
    linked: str,
    by: str,
    role: str | None,
    after: str,
) -> None:
    github.roles |= {STRANGER: role} if role else {}
    with later(2):
        change(github, repository, 1, by=by, **CLOSED)
        workers.run()

    assert status(api, linked) == after


def test_the_nightly_look_does_not_take_a_strangers_close_either(
    api: Client, repository: Repository, workers: Workers, linked: str
) -> None:
    repository.change_issue(1, CLOSED, now_us() / 1_000_000, by=STRANGER)
    assert function("integration_worker").handler({"run": "connections"}, LongContext()) is None
    workers.run()

    assert status(api, linked) == "open"


def test_a_stranger_who_opens_their_issue_again_does_not_open_its_signal(
    api: Client, repository: Repository, github: CodeHost, workers: Workers, linked: str
) -> None:
    with later(2):
        change(github, repository, 1, by=STRANGER, **CLOSED)
        workers.run()
        api.patch(f"/v1/signals/{linked}", {"status": "done"})
        workers.run()
    with later(4):
        change(github, repository, 1, by=STRANGER, state="open", state_reason="reopened")
        workers.run()
        assert status(api, linked) == "done"
        change(github, repository, 1, by=TEAM, **CLOSED)
        change(github, repository, 1, by=TEAM, state="open", state_reason="reopened")
        workers.run()

    assert status(api, linked) == "open"
