"""Teams, office hours, targets and what is read, on the command line."""

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from tests.support.api import Client
from tests.support.cli import Cli
from tests.support.people import make_person


def test_a_team_is_created_changed_listed_and_deleted(owner: Cli, organization: NewOrganization) -> None:
    make_person(organization.organization_id, role="member", name="Ada Admin", email="ada@example.com")
    assert owner.ok("teams") == "There are no teams yet. Create one: helpdesk teams create NAME\n"

    assert owner.ok("teams", "create", "Billing", "--member", "ada@example.com").startswith(
        "Created Billing (team_"
    )
    assert "Ada Admin" in owner.ok("teams").splitlines()[1]
    assert owner.ok("teams", "change", "billing", "--name", "Invoices", "--no-members").startswith(
        "Changed Invoices"
    )
    assert owner.json("teams")["teams"][0]["memberIds"] == []

    taken = owner.run("teams", "create", "INVOICES")
    assert "team_exists" in taken.stderr
    assert owner.run("teams", "change", "Invoices").exit_code == 2
    assert "No team is called Sales." in owner.run("teams", "delete", "Sales", "--yes").stderr
    assert owner.run("teams", "delete", "Invoices", stdin="n\n").exit_code == 1
    assert owner.ok("teams", "delete", "Invoices", "--yes") == "Deleted Invoices.\n"
    assert owner.json("teams") == {"teams": []}


def test_office_hours_and_targets_are_set_and_shown(owner: Cli) -> None:
    shown = owner.ok(
        *("hours", "set", "--time-zone", "Europe/Berlin", "--day", "friday=09:00-12:30,13:30-15:00"),
        *("--day", "sunday=closed", "--close", "2026-12-25", "--close", "2027-01-01"),
    )
    assert "Europe/Berlin" in shown
    assert "09:00-12:30, 13:30-15:00" in shown
    assert owner.json("hours", "set", "--no-close", "2026-12-25")["closed"] == ["2027-01-01"]
    days = owner.json("hours")["days"]
    assert (days["sunday"], days["monday"]) == ([], [{"from": "00:00", "to": "24:00"}])

    assert owner.ok("targets", "set", "--first-response", "60", "--next-response", "240") == (
        "First response: 60 minutes\nNext response: 240 minutes\n"
    )
    assert owner.ok("targets", "set", "--first-response", "none").startswith("First response: no target\n")


@pytest.mark.parametrize(
    "words",
    [
        ("hours", "set"),
        ("hours", "set", "--day", "friday"),
        ("hours", "set", "--day", "someday=09:00-17:00"),
        ("targets", "set"),
        ("targets", "set", "--first-response", "soon"),
    ],
)
def test_settings_that_say_nothing_exit_with_2(owner: Cli, words: tuple[str, ...]) -> None:
    assert owner.run(*words).exit_code == 2


def test_a_conversation_is_marked_as_read(owner: Cli, api: Client) -> None:
    written = api.post("/v1/messages", {"session": "session-of-vera", "body": "Hello"}).body["conversationId"]
    assert "open (unread)" in owner.ok("conversations")

    assert owner.ok("conversations", "read", written) == f"Marked {written} as read.\n"

    assert "unread" not in owner.ok("conversations")
