"""What strangers do in a public repository moves no card and no signal. What the team does there moves both."""

import json
from typing import Any

import pytest

from helpdesk.platform.clock import now_us
from scripts.services import codehost_hooks as hooks
from scripts.services.repositories import Repository
from tests.support.api import Client
from tests.support.issues import (
    Issues,
    acme,
    connection,
    deliver,
    file,
    issues,
    later,
    repository,
    signal,
    workers,
)
from tests.support.workers import Workers

__all__ = ["acme", "connection", "issues", "repository", "workers"]
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
    issues: Issues, key: str, author: str, role: str | None, fork: bool, moves: bool
) -> None:
    issues.github.roles |= {author: role} if role else {}
    issues.hear(issues.sent(hooks.pull_request, 7, f"See {key}", author=author, fork=fork))

    assert column(issues.api) == ("in_review" if moves else "planned")


def test_a_strangers_pull_request_counts_when_the_team_merges_it_and_not_for_its_later_title(
    issues: Issues, key: str
) -> None:
    merged = issues.sent(hooks.pull_request, 7, "A typo", author=STRANGER, fork=True, merged=True)
    payload = json.loads(merged[1])
    payload["pull_request"]["title"] = f"Fixes {key}"
    headers, body = issues.github.hook("pull_request", payload)
    edited = json.dumps({**payload, "action": "edited"})
    issues.hear(({**headers, **issues.github.sign(edited), "x-github-delivery": "edited"}, edited))
    assert column(issues.api) == "planned"

    issues.hear((headers, body))
    assert column(issues.api) == "done"


def test_a_strangers_pull_request_that_names_no_card_asks_github_nothing(issues: Issues, key: str) -> None:
    deliver(issues.sent(hooks.pull_request, 7, "A typo", author=STRANGER, fork=True))
    issues.run()

    assert [each.path for each in issues.services.asked] == []


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
    issues: Issues, linked: str, by: str, role: str | None, after: str
) -> None:
    issues.github.roles |= {STRANGER: role} if role else {}
    with later(2):
        issues.change(1, by=by, **CLOSED)
        issues.run()

    assert status(issues.api, linked) == after


def test_the_nightly_look_does_not_take_a_strangers_close_either(issues: Issues, linked: str) -> None:
    issues.repository.change_issue(1, CLOSED, now_us() / 1_000_000, by=STRANGER)
    issues.look_again()

    assert status(issues.api, linked) == "open"


def test_a_stranger_who_opens_their_issue_again_does_not_open_its_signal(issues: Issues, linked: str) -> None:
    with later(2):
        issues.change(1, by=STRANGER, **CLOSED)
        issues.run()
        issues.move(linked, "done")
    with later(4):
        issues.change(1, by=STRANGER, state="open", state_reason="reopened")
        issues.run()
        assert status(issues.api, linked) == "done"
        issues.change(1, by=TEAM, **CLOSED)
        issues.change(1, by=TEAM, state="open", state_reason="reopened")
        issues.run()

    assert status(issues.api, linked) == "open"
