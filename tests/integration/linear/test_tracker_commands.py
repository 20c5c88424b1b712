"""The issue tracker on the command line: the team of issues, and the issue of one signal."""

from collections.abc import Callable
from pathlib import Path

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.integrations.record import Connection
from scripts.services.workspaces import Workspace
from tests.integration.linear.conftest import file
from tests.support.api import Client
from tests.support.cli import Cli, Handlers
from tests.support.people import token_of
from tests.support.workers import Workers


@pytest.fixture
def owner(organization: NewOrganization, tmp_path: Path) -> Cli:
    """The organization's owner at a terminal."""
    token = token_of(organization.owner_id, organization.organization_id)
    return Cli(Handlers(), tmp_path, environment={"HELPDESK_TOKEN": token})


def hint(owner: Cli, *words: str) -> str:
    """Return what a command that is refused says to do."""
    result = owner.run(*words)
    assert result.exit_code == 1, result.stdout
    return str(result.stderr)


def test_the_team_of_issues_is_shown_and_set(
    owner: Cli, connect: Callable[..., Connection], acme: Workspace
) -> None:
    assert "integrations connect tracker" in hint(owner, "integrations", "tracker", "show")
    connect(acme)
    assert "ENG (Engineering)" in owner.ok("integrations", "tracker")
    words = ("--team", "ENG", "--auto-create", "on", "--state", "inReview=Done")
    assert owner.ok("integrations", "tracker", "set", *words) == "Issues go to ENG.\n"

    shown = owner.ok("integrations", "tracker", "show")
    assert "as a signal is filed" in shown
    assert "inReview=Done" in shown
    assert owner.json("integrations", "tracker", "show")["team"] == "ENG"
    assert "integrations tracker show" in hint(owner, "integrations", "tracker", "set", "--team", "OPS")
    for wrong in ((), ("--state", "Done")):
        assert owner.run("integrations", "tracker", "set", *wrong).exit_code == 2


def test_an_issue_is_opened_for_a_signal_and_shown(
    owner: Cli, api: Client, connection: Connection, acme: Workspace, workers: Workers
) -> None:
    filed = file(api)
    assert "integrations tracker show" in hint(owner, "signals", "track", filed)
    assert "appears in seconds" in owner.ok("signals", "track", filed, "--team", "ENG")
    workers.run()

    url = "https://linear.app/acme/issue/ENG-1/a-title"
    assert url in owner.ok("signals", "show", filed)
    assert owner.ok("signals", "track", filed) == f"{filed} has the issue ENG-1: {url}\n"
    assert owner.json("signals", "track", filed) == {"tracker": {"identifier": "ENG-1", "url": url}}


def test_what_linear_refuses_is_said_with_its_words(
    owner: Cli, api: Client, connection: Connection, workers: Workers
) -> None:
    filed = file(api)
    owner.ok("signals", "track", filed, "--issue", "ENG-7")
    workers.run()

    said = hint(owner, "signals", "track", filed, "--issue", "ENG-7")
    assert "Could not find referenced Issue." in said
    assert "signals show" in said
