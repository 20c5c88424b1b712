"""Issues of merged signals, whose workers die at every step: one signal has the issue, and both move together."""

from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.integration_jobs import App
from helpdesk.integrations.errors import TryLater
from helpdesk.integrations.github import issue_store, issues
from helpdesk.integrations.record import Connection
from scripts.seeding.memory_table import MemoryTable, answering
from scripts.services.codehost import CodeHost, credentials
from scripts.services.repositories import Repository
from tests.integration.integrations.conftest import _deployment, connect_codehost, github, services
from tests.support import table
from tests.support.api import Client
from tests.support.dying import Died, dying
from tests.support.integrations import set_app
from tests.support.issues import acme, file, later, repository, signal

__all__ = ["_deployment", "acme", "connect_codehost", "github", "repository", "services"]


@pytest.fixture(autouse=True)
def memory(_deployment: None) -> Iterator[MemoryTable]:
    """Let the table in memory answer: it is faster than moto."""
    with answering(MemoryTable()) as memory_table:
        set_app(App.GITHUB, credentials())
        yield memory_table


def test_wherever_a_worker_dies_the_issue_of_a_duplicate_becomes_that_of_the_signal_that_stays_once(
    api: Client,
    github: CodeHost,
    repository: Repository,
    organization: NewOrganization,
    connect_codehost: Callable[..., Connection],
) -> None:
    connect_codehost(github.installations[min(github.installations)])
    api.post("/v1/integrations/issue-repo", {"repo": "acme/shop", "autoCreate": True})
    home, at, dies = organization.organization_id, 0, True
    while dies:
        stays, duplicate = file(api, f"One {at}"), file(api, f"Two {at}")
        assert issues.follow(home, duplicate, filed=True) == "opened"
        api.patch(f"/v1/signals/{stays}", {"status": "done"})
        api.post(f"/v1/signals/{stays}/merge", {"duplicateId": duplicate})
        try:
            with dying(at):
                issues.follow(home, duplicate, filed=False)
            dies = False
        except Died:
            at += 1
        number = max(repository.issues)
        assert issues.follow(home, duplicate, filed=False) == "in_line" or dies
        assert signal(api, stays)["codehost"]["number"] == number
        assert repository.issues[number]["state"] == "closed"
        assert issue_store.signal_of(home, "acme/shop", number) == stays
        of_duplicate = [one for one in table.everything() if one["PK"].endswith(f"#ISSUE#{duplicate}")]
        assert of_duplicate == []
    assert at > 8


def test_wherever_an_opening_dies_while_its_signal_is_merged_there_is_one_issue_and_one_signal_has_it(
    api: Client,
    github: CodeHost,
    repository: Repository,
    organization: NewOrganization,
    connect_codehost: Callable[..., Connection],
) -> None:
    connect_codehost(github.installations[min(github.installations)])
    api.post("/v1/integrations/issue-repo", {"repo": "acme/shop", "autoCreate": True})
    home, at, dies, opened = organization.organization_id, 0, True, 0
    assert issues.follow(home, file(api, "The first, with which a token comes"), filed=True) == "opened"
    while dies:
        stays, duplicate = file(api, f"One {at}"), file(api, f"Two {at}")
        before = len(repository.issues)
        try:
            with dying(at):
                issues.follow(home, duplicate, filed=True)
            dies = False
        except Died:
            at += 1
        api.post(f"/v1/signals/{stays}/merge", {"duplicateId": duplicate})
        for minutes in (10, 20):  # the job comes again, and what it queues
            with later(minutes * 60), suppress(TryLater):
                issues.follow(home, duplicate, filed=True)
                issues.follow(home, stays, filed=False)
        made = len(repository.issues) - before
        link = signal(api, stays)["codehost"]
        assert made == (0 if link is None else 1)
        opened += made
        of_duplicate = [one for one in table.everything() if one["PK"].endswith(f"#ISSUE#{duplicate}")]
        assert of_duplicate == []
    assert opened > 2
