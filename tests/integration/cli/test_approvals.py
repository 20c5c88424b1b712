"""Approvals on the command line."""

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations import service as conversations
from helpdesk.tools.approvals.record import Approval
from tests.support.api import Client
from tests.support.approvals import ask, conversation_of
from tests.support.cli import Cli


@pytest.fixture
def approval(api: Client, organization: NewOrganization) -> Approval:
    """An approval that waits."""
    return ask(conversation_of(api, organization.organization_id))


def test_approvals_are_listed_and_shown(owner: Cli, approval: Approval) -> None:
    listed = owner.ok("approvals", "list", "--status", "pending")
    assert listed.splitlines()[0].split() == [
        "ID",
        "STATUS",
        "OUTCOME",
        "TOOL",
        "CUSTOMER",
        "REQUESTED",
        "INPUT",
    ]
    assert '{"order": "A-17", "amount": 12.5}' in listed
    assert owner.ok("approvals", "list", "--status", "denied") == "There are no denied approvals.\n"
    shown = owner.ok("approvals", "show", approval.id)
    assert "Tool          refund" in shown
    assert "Customer      Alice\nTheir ID      alice-1\nTheir e-mail  alice@example.com (verified)\n" in shown
    assert shown.endswith('{\n  "order": "A-17",\n  "amount": 12.5\n}\n')
    assert owner.json("approvals", "show", approval.id)["approval"]["id"] == approval.id


def test_the_conversation_of_a_call_that_waits_is_among_those_that_wait(
    owner: Cli, approval: Approval
) -> None:
    [row] = [line.split() for line in owner.ok("conversations", "list", "--waiting").splitlines()[1:]]
    assert (row[0], row[2] != "no") == (approval.conversation_id, True)
    assert "Pending calls   1" in owner.ok("conversations", "show", approval.conversation_id)


def test_deciding(owner: Cli, approval: Approval) -> None:
    said = owner.ok("approvals", "approve", approval.id, "--note", "Once.")
    assert said == f"Approved {approval.id}. The agent makes the call now.\n"
    assert owner.json("approvals", "show", approval.id)["approval"]["note"] == "Once."
    again = owner.run("approvals", "deny", approval.id)
    assert again.exit_code == 1
    assert "See the decision: helpdesk approvals show ID" in again.stderr
    unknown = owner.run("approvals", "deny", "apr_01jd3v1s6m2r8x4c7k0n5q9t3w")
    assert "List them: helpdesk approvals list" in unknown.stderr


def test_denying(owner: Cli, approval: Approval) -> None:
    assert owner.ok("approvals", "deny", approval.id) == f"Denied {approval.id}. The call is not made.\n"


def test_watching_prints_each_call_once(owner: Cli, approval: Approval) -> None:
    newer: list[Approval] = []

    def meanwhile(seconds: float) -> None:
        if len(owner.clock.slept) == 1:
            newer.append(ask(conversations.get(approval.organization, approval.conversation_id)))
        elif len(owner.clock.slept) == 2:
            raise KeyboardInterrupt

    owner.clock.before_sleep = meanwhile
    said = owner.ok("approvals", "watch").splitlines()

    assert [line.split()[0] for line in said] == [approval.id, newer[0].id]
    whom = "Alice (alice-1, alice@example.com (verified))"
    assert f'refund {{"order": "A-17", "amount": 12.5}}  {whom}, until ' in said[0]
    assert owner.clock.slept == [0.0, 5.0]
