"""The nightly look at issues, where GitHub shows many changes, or for a while none at all."""

from datetime import UTC, datetime, timedelta

import pytest

from helpdesk.integrations.github import issue_looks
from scripts.services.repositories import Repository
from scripts.services.server import Said
from tests.support.integrations import pass_hours
from tests.support.issues import Issues, acme, connection, issues, later, opening, repository, workers

__all__ = ["acme", "connection", "issues", "opening", "repository", "workers"]

DAY = 86_400


def closed(repository: Repository, number: int, seconds: float) -> None:
    """Close an issue in some seconds. No hook comes."""
    at = (datetime.now(UTC) + timedelta(seconds=seconds)).timestamp()
    repository.change_issue(number, {"state": "closed", "state_reason": "completed"}, at)


@pytest.mark.usefixtures("opening")
def test_more_changes_than_one_look_reads_are_read_by_the_next_ones(
    issues: Issues, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(issue_looks, "MAX_PAGES", 2)
    monkeypatch.setattr(issue_looks, "_ON_A_PAGE", 2)
    filed = issues.filed()
    issues.look_again()
    for number in range(12):  # within one day
        issues.repository.open_issue(
            f"Other {number}", None, "mona", datetime.now(UTC).timestamp() + 10 + number
        )
    closed(issues.repository, issues.number(filed), 60)
    for days in range(1, 6):
        with later(days * DAY):
            issues.look_again()

    assert issues.status(filed) == "done"


@pytest.mark.usefixtures("opening")
@pytest.mark.parametrize("status", [403, 404, 410])
def test_changes_of_a_week_in_which_issues_could_not_be_read_are_found(issues: Issues, status: int) -> None:
    filed = issues.filed()
    issues.look_again()
    said = {"message": "Resource not accessible by integration"}
    issues.services.fail("GET", "/shop/issues", said=Said(status, said), left=99)
    closed(issues.repository, issues.number(filed), 60)
    for days in (1, 4, 7):
        with later(days * DAY):
            issues.look_again()
    assert issues.status(filed) == "open"
    issues.services.faults.clear()
    with later(8 * DAY):
        issues.look_again()

    assert issues.status(filed) == "done"


@pytest.mark.usefixtures("opening")
@pytest.mark.parametrize("is_another", [True, False])
def test_an_issue_whose_transfer_was_not_sent_is_unlinked_as_its_signal_moves_and_one_of_a_renamed_repository_is_not(
    issues: Issues, is_another: bool
) -> None:
    filed = issues.filed()
    issues.look_again()
    url = f"https://api.github.com/repositories/{7 if is_another else issues.repository.id}/issues/5"
    said = {"message": "Moved Permanently", "url": url, "documentation_url": "https://docs.github.com/rest"}
    issues.services.fail("GET", "/issues/1", said=Said(301, said, headers={"location": url}))
    issues.move(filed, "done")

    assert (issues.signal(filed)["codehost"] is None) == is_another


@pytest.mark.usefixtures("opening")
def test_an_issue_stays_its_signals_where_a_former_name_leads_to_another_repository(issues: Issues) -> None:
    filed = issues.filed()
    issues.look_again()
    issues.github.rename("acme/shop", "acme/store")  # and no hook comes
    issues.github.add(issues.acme, "shop")
    issues.github.rename("acme/shop", "acme/other")
    issues.move(filed, "done")
    assert issues.signal(filed)["codehost"] is not None
    for days in (1, 2):
        with later(days * DAY):
            issues.look_again()

    assert issues.signal(filed)["codehost"]["url"] == "https://github.com/acme/store/issues/1"
    assert issues.repository.issues[1]["state"] == "closed"


@pytest.mark.usefixtures("opening")
def test_a_page_of_the_longest_issues_is_read(issues: Issues) -> None:
    filed = issues.filed()
    for number in range(98):
        issues.repository.open_issue(f"Log {number}", "é" * 65_536, "mona", datetime.now(UTC).timestamp())
    closed(issues.repository, issues.number(filed), 60)
    with later(DAY):
        issues.look_again()

    assert issues.status(filed) == "done"


@pytest.mark.usefixtures("opening")
def test_a_pull_request_that_quotes_an_issue_is_not_taken_for_it(issues: Issues) -> None:
    issues.services.fail("POST", "/issues", said=Said(502), works=True)
    filed = issues.filed()
    pull = issues.repository.open_issue(
        "A fix", issues.repository.issues[1]["body"], "mona", datetime.now(UTC).timestamp()
    )
    pull["pull_request"] = {"url": None, "html_url": None, "diff_url": None, "patch_url": None}
    pass_hours(issues.workers)

    assert issues.number(filed) == 1


@pytest.mark.usefixtures("opening")
def test_a_first_look_after_a_week_without_the_account_finds_what_changed_in_it(issues: Issues) -> None:
    filed = issues.filed()
    issues.acme.suspended = True
    closed(issues.repository, issues.number(filed), 60)
    for days in (1, 6):
        with later(days * DAY):
            issues.look_again()
    issues.acme.suspended = False
    with later(7 * DAY):
        issues.look_again()

    assert issues.status(filed) == "done"
