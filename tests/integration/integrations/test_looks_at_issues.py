"""The nightly look at issues, where GitHub shows many changes, or for a while none at all."""

from datetime import UTC, datetime, timedelta

import pytest

from helpdesk.integrations.github import issue_looks
from scripts.services.codehost import CodeHost
from scripts.services.repositories import Installation, Repository
from scripts.services.server import Said, Services
from tests.support.api import Client, function
from tests.support.integrations import pass_hours
from tests.support.issues import acme, connection, file, later, opening, repository, signal, workers
from tests.support.workers import LongContext, Workers

__all__ = ["acme", "connection", "opening", "repository", "workers"]

DAY = 86_400


def night(workers: Workers) -> None:
    """Let every connection be looked at."""
    assert function("integration_worker").handler({"run": "connections"}, LongContext()) is None
    workers.run()


def closed(repository: Repository, number: int, seconds: float) -> None:
    """Close an issue in some seconds. No hook comes."""
    at = (datetime.now(UTC) + timedelta(seconds=seconds)).timestamp()
    repository.change_issue(number, {"state": "closed", "state_reason": "completed"}, at)


@pytest.mark.usefixtures("opening")
def test_more_changes_than_one_look_reads_are_read_by_the_next_ones(
    api: Client, repository: Repository, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(issue_looks, "MAX_PAGES", 2)
    monkeypatch.setattr(issue_looks, "_ON_A_PAGE", 2)
    filed = file(api)
    workers.run()
    night(workers)
    for number in range(12):  # within one day
        repository.open_issue(f"Other {number}", None, "mona", datetime.now(UTC).timestamp() + 10 + number)
    closed(repository, signal(api, filed)["codehost"]["number"], 60)
    for days in range(1, 6):
        with later(days * DAY):
            night(workers)

    assert signal(api, filed)["status"] == "done"


@pytest.mark.usefixtures("opening")
@pytest.mark.parametrize("status", [403, 404, 410])
def test_changes_of_a_week_in_which_issues_could_not_be_read_are_found(
    api: Client, repository: Repository, services: Services, workers: Workers, status: int
) -> None:
    filed = file(api)
    workers.run()
    night(workers)
    said = {"message": "Resource not accessible by integration"}
    services.fail("GET", "/shop/issues", said=Said(status, said), left=99)
    closed(repository, signal(api, filed)["codehost"]["number"], 60)
    for days in (1, 4, 7):
        with later(days * DAY):
            night(workers)
    assert signal(api, filed)["status"] == "open"
    services.faults.clear()
    with later(8 * DAY):
        night(workers)

    assert signal(api, filed)["status"] == "done"


@pytest.mark.usefixtures("opening")
@pytest.mark.parametrize("is_another", [True, False])
def test_an_issue_whose_transfer_was_not_sent_is_unlinked_as_its_signal_moves_and_one_of_a_renamed_repository_is_not(
    api: Client, repository: Repository, services: Services, workers: Workers, is_another: bool
) -> None:
    filed = file(api)
    workers.run()
    night(workers)
    url = f"https://api.github.com/repositories/{7 if is_another else repository.id}/issues/5"
    said = {"message": "Moved Permanently", "url": url, "documentation_url": "https://docs.github.com/rest"}
    services.fail("GET", "/issues/1", said=Said(301, said, headers={"location": url}))
    api.patch(f"/v1/signals/{filed}", {"status": "done"})
    workers.run()

    assert (signal(api, filed)["codehost"] is None) == is_another


@pytest.mark.usefixtures("opening")
def test_an_issue_stays_its_signals_where_a_former_name_leads_to_another_repository(
    api: Client, github: CodeHost, acme: Installation, repository: Repository, workers: Workers
) -> None:
    filed = file(api)
    workers.run()
    night(workers)
    github.rename("acme/shop", "acme/store")  # and no hook comes
    github.add(acme, "shop")
    github.rename("acme/shop", "acme/other")
    api.patch(f"/v1/signals/{filed}", {"status": "done"})
    workers.run()
    assert signal(api, filed)["codehost"] is not None
    for days in (1, 2):
        with later(days * DAY):
            night(workers)

    assert signal(api, filed)["codehost"]["url"] == "https://github.com/acme/store/issues/1"
    assert repository.issues[1]["state"] == "closed"


@pytest.mark.usefixtures("opening")
def test_a_page_of_the_longest_issues_is_read(api: Client, repository: Repository, workers: Workers) -> None:
    filed = file(api)
    workers.run()
    for number in range(98):
        repository.open_issue(f"Log {number}", "é" * 65_536, "mona", datetime.now(UTC).timestamp())
    closed(repository, signal(api, filed)["codehost"]["number"], 60)
    with later(DAY):
        night(workers)

    assert signal(api, filed)["status"] == "done"


@pytest.mark.usefixtures("opening")
def test_a_pull_request_that_quotes_an_issue_is_not_taken_for_it(
    api: Client, repository: Repository, services: Services, workers: Workers
) -> None:
    services.fail("POST", "/issues", said=Said(502), works=True)
    filed = file(api)
    workers.run()
    pull = repository.open_issue("A fix", repository.issues[1]["body"], "mona", datetime.now(UTC).timestamp())
    pull["pull_request"] = {"url": None, "html_url": None, "diff_url": None, "patch_url": None}
    pass_hours(workers)

    assert signal(api, filed)["codehost"]["number"] == 1


@pytest.mark.usefixtures("opening")
def test_a_first_look_after_a_week_without_the_account_finds_what_changed_in_it(
    api: Client, acme: Installation, repository: Repository, workers: Workers
) -> None:
    filed = file(api)
    workers.run()
    acme.suspended = True
    closed(repository, signal(api, filed)["codehost"]["number"], 60)
    for days in (1, 6):
        with later(days * DAY):
            night(workers)
    acme.suspended = False
    with later(7 * DAY):
        night(workers)

    assert signal(api, filed)["status"] == "done"
