"""Issues that are there and become a signal's, through merges too, and commits that name them."""

from typing import Any

import pytest

from scripts.services import codehost_hooks as hooks
from scripts.services.repositories import Repository
from scripts.services.server import Said
from tests.support import table
from tests.support.api import Client
from tests.support.integrations import pass_hours
from tests.support.issues import (
    Issues,
    acme,
    connection,
    deliver,
    issues,
    later,
    opening,
    repository,
    workers,
)

LATER = "2100-01-01T00:00:00Z"
__all__ = ["acme", "connection", "issues", "opening", "repository", "workers"]


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
def test_an_issue_that_is_there_becomes_the_signals_and_moves_neither(issues: Issues) -> None:
    opened(issues.repository)
    issues.repository.change_issue(1, {"state": "closed", "state_reason": "completed"}, 1_700_000_000)
    filed = issues.file()
    asked = link(issues.api, filed)
    issues.run()

    assert (asked.status, asked.body) == (202, {"codehost": None})
    found = issues.signal(filed)
    assert found["codehost"] == {"number": 1, "url": "https://github.com/acme/shop/issues/1"}
    assert found["status"] == "open"
    assert issues.services.said_to("PATCH", "/issues") == []
    again = link(issues.api, filed)
    assert (again.status, again.body) == (202, {"codehost": found["codehost"]})


@pytest.mark.usefixtures("chosen")
def test_a_linked_issue_and_its_signal_move_together(issues: Issues) -> None:
    opened(issues.repository)
    filed = issues.file()
    link(issues.api, filed)
    issues.run()
    with later(2):
        issues.close(1, "not_planned")
    assert issues.status(filed) == "declined"
    issues.move(filed, "planned")
    assert issues.repository.issues[1]["state"] == "open"


@pytest.mark.usefixtures("opening")
def test_another_issue_takes_the_place_of_the_first_which_leads_to_nothing_then(issues: Issues) -> None:
    filed = issues.filed()
    opened(issues.repository, 2)
    link(issues.api, filed, 2)
    issues.run()
    assert issues.number(filed) == 2

    with later(2):
        issues.close(1, "completed")
        assert issues.status(filed) == "open"
        issues.close(2, "completed")
        assert issues.status(filed) == "done"


@pytest.mark.usefixtures("chosen")
@pytest.mark.parametrize("what", ["nothing", "a pull request"])
def test_a_number_that_is_no_issues_is_said_with_the_next_try(issues: Issues, what: str) -> None:
    if what == "a pull request":
        opened(issues.repository)
        page = "https://github.com/acme/shop/pull/1"
        issues.repository.issues[1]["pull_request"] = {
            "url": "https://api.github.com/repos/acme/shop/pulls/1",
            "html_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
        }
    filed = issues.file()
    assert link(issues.api, filed).status == 202
    issues.run()

    again = link(issues.api, filed)
    assert (again.status, again.code) == (404, "issue_not_found")
    said = "was not found" if what == "nothing" else "is a pull request"
    assert f"Issue 1 of acme/shop {said}." in again.body["error"]["message"]
    issues.repository.issues.pop(1, None)
    opened(issues.repository)
    issues.run()
    assert issues.number(filed) == 1
    assert link(issues.api, filed).status == 202


@pytest.mark.usefixtures("chosen")
def test_an_issue_of_another_signal_is_refused(issues: Issues) -> None:
    opened(issues.repository)
    first, second = issues.file("One"), issues.file("Two")
    link(issues.api, first)
    link(issues.api, second)  # before the worker has the first
    issues.run()

    assert sorted(issues.signal(each)["codehost"] is None for each in (first, second)) == [False, True]
    owner = next(each for each in (first, second) if issues.signal(each)["codehost"] is not None)
    refused = link(issues.api, second if owner == first else first)
    assert (refused.status, refused.code) == (400, "invalid_request")
    assert owner in refused.body["error"]["message"]


def test_what_cannot_be_linked_is_refused(issues: Issues, stranger: Client) -> None:
    filed = issues.file()
    assert link(issues.api, filed).code == "issue_repo_missing"
    issues.api.post("/v1/integrations/issue-repo", {"repo": "acme/shop"})
    assert link(issues.api, "sig_none").code == "signal_not_found"
    assert link(stranger, filed).code == "signal_not_found"
    assert [link(issues.api, filed, number).code for number in (0, -1, 10**9)] == ["invalid_request"] * 3
    issues.api.delete("/v1/integrations/codehost")
    assert link(issues.api, filed).code == "codehost_not_connected"


@pytest.mark.usefixtures("opening")
def test_a_merge_moves_the_issue_of_the_duplicate_which_then_follows_the_signal_that_stays(
    issues: Issues,
) -> None:
    duplicate = issues.filed("Two")
    issues.switch_off()
    stays = issues.file("One")
    issues.api.patch(f"/v1/signals/{stays}", {"status": "done"})
    issues.merge(stays, duplicate)
    assert issues.number(stays) == 1  # at once
    issues.run()

    assert issues.repository.issues[1]["state"] == "closed"
    with later(2):
        issues.change(1, state="open", state_reason="reopened", updated_at=LATER)
        issues.run()
    assert issues.status(stays) == "open"


@pytest.mark.usefixtures("opening")
def test_a_change_of_an_issue_between_a_merge_and_its_work_moves_the_signal_that_stays(
    issues: Issues,
) -> None:
    duplicate = issues.filed("Two")
    issues.switch_off()
    stays = issues.file("One")
    issues.workers.holding.add("signal")
    issues.merge(stays, duplicate)
    with later(2):
        issues.close(1, "completed")

    assert issues.status(stays) == "done"


@pytest.mark.usefixtures("opening")
def test_a_signal_that_stays_keeps_its_own_issue_and_the_other_one_leads_to_nothing(issues: Issues) -> None:
    stays, duplicate = issues.file("One"), issues.file("Two")
    issues.run()
    own = issues.signal(stays)["codehost"]
    of_duplicate = issues.number(duplicate)
    issues.merge(stays, duplicate)
    issues.run()
    with later(2):
        issues.close(of_duplicate, "duplicate")

    assert issues.signal(stays)["codehost"] == own
    assert issues.status(stays) == "open"
    other = issues.file("Three")
    issues.switch_off()
    link(issues.api, other, of_duplicate)  # it is free for another
    issues.run()
    assert issues.number(other) == of_duplicate


@pytest.mark.usefixtures("opening")
@pytest.mark.parametrize("reached", [True, False])
def test_an_issue_that_is_being_opened_while_its_signal_is_merged_is_not_opened_twice(
    issues: Issues, reached: bool
) -> None:
    issues.services.fail("POST", "/issues", said=Said(502), works=reached)
    duplicate = issues.filed("Two")
    issues.switch_off()
    stays = issues.file("One")
    issues.merge(stays, duplicate)
    pass_hours(issues.workers)

    assert not openings(duplicate)
    assert len(issues.repository.issues) == int(reached)
    assert issues.signal(stays)["codehost"] == (
        {"number": 1, "url": "https://github.com/acme/shop/issues/1"} if reached else None
    )


@pytest.mark.usefixtures("opening")
def test_a_pushed_commit_that_names_an_issue_is_offered_to_its_signal_once(issues: Issues) -> None:
    filed = issues.filed()
    sha = issues.repository.push({"main.py": "print()"})
    sent = issues.sent(hooks.push, "0" * 40, "Write every row.\n\nFixes #1, see #99")
    deliver(sent)
    headers, body = sent
    issues.hear(({**headers, "x-github-delivery": "again"}, body))

    [commit] = issues.api.get(f"/v1/signals/{filed}").body["commits"]
    assert commit == {
        "id": commit["id"],
        "sha": sha,
        "message": "Write every row.\n\nFixes #1, see #99",
        "url": f"https://github.com/acme/shop/commit/{sha}",
        "author": "Mona",
        "why": "The commit says that it finishes issue #1 of acme/shop.",
        "applied": False,
    }
    assert issues.status(filed) == "open"  # a person applies it, or GitHub closes the issue
    applied = issues.api.post(f"/v1/signals/{filed}/commits/{commit['id']}/apply", {})
    assert applied.body["signal"]["status"] == "done"


@pytest.mark.usefixtures("opening")
def test_commits_of_one_push_name_the_repository_in_any_case(issues: Issues) -> None:
    filed = issues.filed()
    issues.repository.push({"a.txt": "a"})
    issues.hear(issues.sent(hooks.push, "0" * 40, "see acme/shop#1", "fixes Acme/Shop#1", "fixes #1"))

    commits = issues.api.get(f"/v1/signals/{filed}").body["commits"]
    assert sorted(each["message"] for each in commits) == ["fixes #1", "fixes Acme/Shop#1", "see acme/shop#1"]


@pytest.mark.usefixtures("opening")
@pytest.mark.parametrize("action", ["deleted", "transferred"])
def test_an_issue_that_is_deleted_or_transferred_is_its_signals_no_more(issues: Issues, action: str) -> None:
    filed = issues.filed()
    issues.hear(issues.sent(hooks.issue, 1, action))

    assert issues.signal(filed)["codehost"] is None
    assert table.of_kind("ISSUEOF") == []


@pytest.mark.usefixtures("opening")
def test_an_issue_whose_deletion_was_not_sent_is_unlinked_as_its_signal_moves(issues: Issues) -> None:
    filed = issues.filed()
    issues.services.fail("GET", "/issues/1", said=Said(410, {"message": "This issue was deleted"}))
    issues.move(filed, "done")

    assert issues.signal(filed)["codehost"] is None
