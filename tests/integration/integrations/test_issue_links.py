"""Issues that are there and become a signal's, through merges too, and commits that name them."""

from typing import Any

import pytest

from scripts.services import codehost_hooks as hooks
from scripts.services.codehost import CodeHost
from scripts.services.repositories import Repository
from scripts.services.server import Said, Services
from tests.support import table
from tests.support.api import Client
from tests.support.integrations import pass_hours
from tests.support.issues import (
    acme,
    change,
    connection,
    deliver,
    file,
    later,
    opening,
    repository,
    signal,
    workers,
)
from tests.support.workers import Workers

LATER = "2100-01-01T00:00:00Z"
__all__ = ["acme", "connection", "opening", "repository", "workers"]


@pytest.fixture
def chosen(api: Client) -> None:
    """Set the repository of issues; nothing is opened by itself."""
    api.post("/v1/integrations/issue-repo", {"repo": "acme/shop"})


def opened(repository: Repository, number: int = 1) -> None:
    """Let a person open issues at GitHub."""
    while len(repository.issues) < number:
        repository.open_issue("The export stops", None, "ada", 1_700_000_000)


def link(api: Client, signal_id: str, number: int = 1) -> Any:
    return api.post(f"/v1/signals/{signal_id}/codehost", {"number": number})


def openings(signal_id: str) -> list[dict[str, Any]]:
    """Return what is stored about the opening of a signal's issue."""
    return [item for item in table.everything() if item["PK"].endswith(f"#ISSUE#{signal_id}")]


@pytest.mark.usefixtures("chosen")
def test_an_issue_that_is_there_becomes_the_signals_and_moves_neither(
    api: Client, repository: Repository, services: Services, workers: Workers
) -> None:
    opened(repository)
    repository.change_issue(1, {"state": "closed", "state_reason": "completed"}, 1_700_000_000)
    filed = file(api)
    asked = link(api, filed)
    workers.run()

    assert (asked.status, asked.body) == (202, {"codehost": None})
    found = signal(api, filed)
    assert found["codehost"] == {"number": 1, "url": "https://github.com/acme/shop/issues/1"}
    assert found["status"] == "open"
    assert services.said_to("PATCH", "/issues") == []
    again = link(api, filed)
    assert (again.status, again.body) == (202, {"codehost": found["codehost"]})


@pytest.mark.usefixtures("chosen")
def test_a_linked_issue_and_its_signal_move_together(
    api: Client, repository: Repository, github: CodeHost, workers: Workers
) -> None:
    opened(repository)
    filed = file(api)
    link(api, filed)
    workers.run()
    with later(2):
        change(github, repository, 1, state="closed", state_reason="not_planned")
        workers.run()
    assert signal(api, filed)["status"] == "declined"
    api.patch(f"/v1/signals/{filed}", {"status": "planned"})
    workers.run()
    assert repository.issues[1]["state"] == "open"


@pytest.mark.usefixtures("opening")
def test_another_issue_takes_the_place_of_the_first_which_leads_to_nothing_then(
    api: Client, repository: Repository, github: CodeHost, workers: Workers
) -> None:
    filed = file(api)
    workers.run()
    opened(repository, 2)
    link(api, filed, 2)
    workers.run()
    assert signal(api, filed)["codehost"]["number"] == 2

    with later(2):
        change(github, repository, 1, state="closed", state_reason="completed")
        workers.run()
        assert signal(api, filed)["status"] == "open"
        change(github, repository, 2, state="closed", state_reason="completed")
        workers.run()
        assert signal(api, filed)["status"] == "done"


@pytest.mark.usefixtures("chosen")
@pytest.mark.parametrize("what", ["nothing", "a pull request"])
def test_a_number_that_is_no_issues_is_said_with_the_next_try(
    api: Client, repository: Repository, workers: Workers, what: str
) -> None:
    if what == "a pull request":
        opened(repository)
        page = "https://github.com/acme/shop/pull/1"
        repository.issues[1]["pull_request"] = {
            "url": "https://api.github.com/repos/acme/shop/pulls/1",
            "html_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
        }
    filed = file(api)
    assert link(api, filed).status == 202
    workers.run()

    again = link(api, filed)
    assert (again.status, again.code) == (404, "issue_not_found")
    said = "was not found" if what == "nothing" else "is a pull request"
    assert f"Issue 1 of acme/shop {said}." in again.body["error"]["message"]
    repository.issues.pop(1, None)
    opened(repository)
    workers.run()
    assert signal(api, filed)["codehost"]["number"] == 1
    assert link(api, filed).status == 202


@pytest.mark.usefixtures("chosen")
def test_an_issue_of_another_signal_is_refused(api: Client, repository: Repository, workers: Workers) -> None:
    opened(repository)
    first, second = file(api, "One"), file(api, "Two")
    link(api, first)
    link(api, second)  # before the worker has the first
    workers.run()

    assert sorted(signal(api, each)["codehost"] is None for each in (first, second)) == [False, True]
    owner = next(each for each in (first, second) if signal(api, each)["codehost"] is not None)
    refused = link(api, second if owner == first else first)
    assert (refused.status, refused.code) == (400, "invalid_request")
    assert owner in refused.body["error"]["message"]


def test_what_cannot_be_linked_is_refused(api: Client, stranger: Client, github: CodeHost) -> None:
    filed = file(api)
    assert link(api, filed).code == "issue_repo_missing"
    api.post("/v1/integrations/issue-repo", {"repo": "acme/shop"})
    assert link(api, "sig_none").code == "signal_not_found"
    assert link(stranger, filed).code == "signal_not_found"
    assert [link(api, filed, number).code for number in (0, -1, 10**9)] == ["invalid_request"] * 3
    api.delete("/v1/integrations/codehost")
    assert link(api, filed).code == "codehost_not_connected"


@pytest.mark.usefixtures("opening")
def test_a_merge_moves_the_issue_of_the_duplicate_which_then_follows_the_signal_that_stays(
    api: Client, repository: Repository, github: CodeHost, workers: Workers
) -> None:
    duplicate = file(api, "Two")
    workers.run()
    api.post("/v1/integrations/issue-repo", {"autoCreate": False})
    stays = file(api, "One")
    api.patch(f"/v1/signals/{stays}", {"status": "done"})
    api.post(f"/v1/signals/{stays}/merge", {"duplicateId": duplicate})
    assert signal(api, stays)["codehost"]["number"] == 1  # at once
    workers.run()

    assert repository.issues[1]["state"] == "closed"
    with later(2):
        change(github, repository, 1, state="open", state_reason="reopened", updated_at=LATER)
        workers.run()
    assert signal(api, stays)["status"] == "open"


@pytest.mark.usefixtures("opening")
def test_a_change_of_an_issue_between_a_merge_and_its_work_moves_the_signal_that_stays(
    api: Client, repository: Repository, github: CodeHost, workers: Workers
) -> None:
    duplicate = file(api, "Two")
    workers.run()
    api.post("/v1/integrations/issue-repo", {"autoCreate": False})
    stays = file(api, "One")
    workers.holding.add("signal")
    api.post(f"/v1/signals/{stays}/merge", {"duplicateId": duplicate})
    with later(2):
        change(github, repository, 1, state="closed", state_reason="completed")
        workers.run()

    assert signal(api, stays)["status"] == "done"


@pytest.mark.usefixtures("opening")
def test_a_signal_that_stays_keeps_its_own_issue_and_the_other_one_leads_to_nothing(
    api: Client, repository: Repository, github: CodeHost, workers: Workers
) -> None:
    stays, duplicate = file(api, "One"), file(api, "Two")
    workers.run()
    own = signal(api, stays)["codehost"]
    of_duplicate = signal(api, duplicate)["codehost"]["number"]
    api.post(f"/v1/signals/{stays}/merge", {"duplicateId": duplicate})
    workers.run()
    with later(2):
        change(github, repository, of_duplicate, state="closed", state_reason="duplicate")
        workers.run()

    assert signal(api, stays)["codehost"] == own
    assert signal(api, stays)["status"] == "open"
    other = file(api, "Three")
    api.post("/v1/integrations/issue-repo", {"autoCreate": False})
    link(api, other, of_duplicate)  # it is free for another
    workers.run()
    assert signal(api, other)["codehost"]["number"] == of_duplicate


@pytest.mark.usefixtures("opening")
@pytest.mark.parametrize("reached", [True, False])
def test_an_issue_that_is_being_opened_while_its_signal_is_merged_is_not_opened_twice(
    api: Client, repository: Repository, services: Services, workers: Workers, reached: bool
) -> None:
    services.fail("POST", "/issues", said=Said(502), works=reached)
    duplicate = file(api, "Two")
    workers.run()
    api.post("/v1/integrations/issue-repo", {"autoCreate": False})
    stays = file(api, "One")
    api.post(f"/v1/signals/{stays}/merge", {"duplicateId": duplicate})
    pass_hours(workers)

    assert not openings(duplicate)
    assert len(repository.issues) == int(reached)
    assert signal(api, stays)["codehost"] == (
        {"number": 1, "url": "https://github.com/acme/shop/issues/1"} if reached else None
    )


@pytest.mark.usefixtures("opening")
def test_a_pushed_commit_that_names_an_issue_is_offered_to_its_signal_once(
    api: Client, repository: Repository, github: CodeHost, workers: Workers
) -> None:
    filed = file(api)
    workers.run()
    sha = repository.push({"main.py": "print()"})
    sent = hooks.push(github, repository, "0" * 40, "Write every row.\n\nFixes #1, see #99")
    deliver(sent)
    headers, body = sent
    deliver(({**headers, "x-github-delivery": "again"}, body))
    workers.run()

    [commit] = api.get(f"/v1/signals/{filed}").body["commits"]
    assert commit == {
        "id": commit["id"],
        "sha": sha,
        "message": "Write every row.\n\nFixes #1, see #99",
        "url": f"https://github.com/acme/shop/commit/{sha}",
        "author": "Mona",
        "why": "The commit says that it finishes issue #1 of acme/shop.",
        "applied": False,
    }
    assert signal(api, filed)["status"] == "open"  # a person applies it, or GitHub closes the issue
    applied = api.post(f"/v1/signals/{filed}/commits/{commit['id']}/apply", {})
    assert applied.body["signal"]["status"] == "done"


@pytest.mark.usefixtures("opening")
def test_commits_of_one_push_name_the_repository_in_any_case(
    api: Client, github: CodeHost, repository: Repository, workers: Workers
) -> None:
    filed = file(api)
    workers.run()
    repository.push({"a.txt": "a"})
    deliver(hooks.push(github, repository, "0" * 40, "see acme/shop#1", "fixes Acme/Shop#1", "fixes #1"))
    workers.run()

    commits = api.get(f"/v1/signals/{filed}").body["commits"]
    assert sorted(each["message"] for each in commits) == ["fixes #1", "fixes Acme/Shop#1", "see acme/shop#1"]


@pytest.mark.usefixtures("opening")
@pytest.mark.parametrize("action", ["deleted", "transferred"])
def test_an_issue_that_is_deleted_or_transferred_is_its_signals_no_more(
    api: Client, repository: Repository, github: CodeHost, workers: Workers, action: str
) -> None:
    filed = file(api)
    workers.run()
    deliver(hooks.issue(github, repository, 1, action))
    workers.run()

    assert signal(api, filed)["codehost"] is None
    assert table.of_kind("ISSUEOF") == []


@pytest.mark.usefixtures("opening")
def test_an_issue_whose_deletion_was_not_sent_is_unlinked_as_its_signal_moves(
    api: Client, repository: Repository, services: Services, workers: Workers
) -> None:
    filed = file(api)
    workers.run()
    services.fail("GET", "/issues/1", said=Said(410, {"message": "This issue was deleted"}))
    api.patch(f"/v1/signals/{filed}", {"status": "done"})
    workers.run()

    assert signal(api, filed)["codehost"] is None
