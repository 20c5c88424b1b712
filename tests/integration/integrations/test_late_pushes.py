"""Commits and pull requests that GitHub sends late count as of when they happened (Specification: POST /commits)."""

import json
from datetime import UTC, datetime

import pytest

from helpdesk.platform.clock import frozen, now_us
from scripts.services import codehost_hooks as hooks
from scripts.services.codehost import CodeHost
from tests.support.api import Client
from tests.support.issues import Issues, acme, connection, issues, opening, repository, workers

__all__ = ["acme", "connection", "issues", "opening", "repository", "workers"]


def card(api: Client) -> tuple[str, str]:
    """Make a card; return its id and key."""
    made = api.post("/v1/tasks", {"title": "Mend the export"}).body["id"]
    return str(made), str(api.get(f"/v1/tasks/{made}").body["task"]["key"])


def column(api: Client, made: str) -> str:
    return str(api.get(f"/v1/tasks/{made}").body["task"]["status"])


def at(sent: hooks.Sent, github: CodeHost, **changed: str) -> hooks.Sent:
    """Return an event of a pull request with another state or time."""
    payload = json.loads(sent[1])
    payload["pull_request"] |= changed
    return github.hook("pull_request", payload)


@pytest.mark.parametrize(("minutes", "after"), [(-40, "in_progress"), (1, "done")])
def test_a_push_that_comes_late_does_not_move_a_card_that_a_person_moved_since(
    issues: Issues, minutes: int, after: str
) -> None:
    made, key = card(issues.api)
    moved = now_us()
    issues.github.clock = lambda: moved / 1_000_000 + minutes * 60
    with frozen(lambda: moved):
        issues.api.patch(f"/v1/tasks/{made}", {"status": "in_progress"})
    with frozen(lambda: moved + 120_000_000):
        issues.hear(issues.sent(hooks.push, "0" * 40, f"Fixes {key}"))

    assert column(issues.api, made) == after


def test_an_older_state_of_a_pull_request_that_comes_late_changes_nothing(issues: Issues) -> None:
    made, key = card(issues.api)
    opened, closed, reopened = (
        datetime.fromtimestamp(now_us() / 1_000_000 - ago, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        for ago in (300, 200, 100)
    )
    first = issues.sent(hooks.pull_request, 7, f"Fixes {key}")
    issues.hear(at(first, issues.github, state="closed", updated_at=closed))
    issues.hear(at(first, issues.github, state="open", updated_at=opened))
    before = column(issues.api, made)
    [pull] = issues.api.get(f"/v1/tasks/{made}").body["pullRequests"]
    assert pull["state"] == "closed"
    assert before != "in_review"

    issues.hear(at(first, issues.github, state="open", updated_at=reopened))
    [pull] = issues.api.get(f"/v1/tasks/{made}").body["pullRequests"]
    assert (pull["state"], column(issues.api, made)) == ("open", "in_review")


@pytest.mark.usefixtures("opening")
def test_a_commit_with_a_long_message_is_offered_to_its_signal(issues: Issues) -> None:
    filed = issues.filed()
    issues.hear(issues.sent(hooks.push, "0" * 40, "Mends #1. " + "x" * 5_000))

    [commit] = issues.api.get(f"/v1/signals/{filed}").body["commits"]
    assert len(commit["message"]) == 2_000
    assert issues.number(filed) == 1
