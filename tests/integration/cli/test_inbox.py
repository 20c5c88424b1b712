"""The command line runs an inbox, and administers members and deliveries, on the real handlers."""

import time
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.events.outbox import Event
from helpdesk.platform import clock
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.cli import Cli
from tests.support.deliveries import attempted, first_tasks
from tests.support.people import make_person
from tests.support.workers import Workers


@pytest.fixture(autouse=True)
def _now(owner: Cli) -> None:
    owner.clock.at = clock.now_ms() / 1000


def write(api: Client, text: str, session: str, **user: str) -> str:
    answer = api.post("/v1/messages", {"session": session, "body": text, "user": user})
    assert answer.status == 200
    return str(answer.body["conversationId"])


def state(api: Client, conversation: str) -> Any:
    return api.get(f"/v1/conversations/{conversation}").body["conversation"]


def listed(owner: Cli, *words: str) -> list[str]:
    return [one["id"] for one in owner.json("conversations", *words)["conversations"]]


def test_every_filter_lists_what_the_api_lists(
    owner: Cli, api: Client, organization: NewOrganization
) -> None:
    ada = make_person(
        organization.organization_id, role="admin", name="Ada Admin", email="ada.admin@example.com"
    )
    parcel = write(api, "Where is my parcel?", "visitor-0001", name="Vera")
    invoice = write(api, "An invoice, please", "visitor-0002", name="Victor")
    refund = write(api, "A refund", "visitor-0003", name="Viola")

    owner.ok("conversations", "take-over", parcel)
    owner.ok("conversations", "assign", parcel, "me")
    owner.ok("conversations", "assign", invoice, "Ada.Admin@example.com")
    owner.ok("conversations", "snooze", invoice, "--until", "3h")
    owner.ok("conversations", "archive", refund)
    Workers("agent").run()

    assert listed(owner) == [invoice, parcel]
    assert listed(owner, "--waiting") == [parcel]
    assert listed(owner, "--not-waiting") == [invoice]
    assert listed(owner, "--mine") == [parcel]
    assert listed(owner, "--assignee", "me") == [parcel]
    assert listed(owner, "--assignee", ada) == [invoice]
    assert listed(owner, "--assignee", "ada.admin@example.com", "--snoozed") == [invoice]
    assert listed(owner, "--assignee", "none") == []
    assert listed(owner, "--snoozed") == [invoice]
    assert listed(owner, "--not-snoozed") == [parcel]
    assert listed(owner, "--archived") == [refund]
    assert listed(owner, "--search", "parcel where") == [parcel]
    assert listed(owner, "--status", "resolved") == []
    customer = state(api, invoice)["customer"]["id"]
    assert listed(owner, "--customer", customer, "--status", "open") == [invoice]

    rows = {row.split()[0]: row for row in owner.ok("conversations").splitlines()}
    assert "Ada Admin" in rows[invoice]
    assert "open (unread, snoozed)" in rows[invoice]
    assert "Olga Owner" in rows[parcel]
    assert owner.ok("conversations", "--search", "nonsense") == "No conversations match.\n"


def test_a_conversation_runs_through_its_states(owner: Cli, api: Client) -> None:
    one = write(api, "Where is my parcel?", "visitor-0001", name="Vera")

    owner.ok("conversations", "take-over", one)
    assert state(api, one)["handledBy"] == "team"
    owner.ok("conversations", "hand-back", one)
    assert state(api, one)["handledBy"] == "agent"
    for ending in ("resolve", "close"):
        owner.ok("conversations", ending, one)
        assert state(api, one)["status"] == "resolved"
        owner.ok("conversations", "reopen", one)
        assert state(api, one)["status"] == "open"

    owner.ok("conversations", "snooze", one, "--until", "2d")
    assert abs(state(api, one)["snoozedUntil"] - (time.time() + 2 * 86_400) * 1000) < 60_000
    owner.ok("conversations", "wake", one)
    assert state(api, one)["snoozedUntil"] is None

    owner.ok("conversations", "assign", one, "me")
    owner.ok("conversations", "assign", one, "none")
    assert state(api, one)["assignee"] is None

    owner.ok("conversations", "archive", one)
    refused = owner.run("conversations", "note", one, "Too late")
    assert refused.exit_code == 1
    assert refused.stderr.startswith("Error: conversation_archived: ")
    assert "helpdesk conversations unarchive ID" in refused.stderr
    owner.ok("conversations", "unarchive", one)
    again = owner.run("conversations", "unarchive", one)
    assert again.stderr.startswith("Error: not_archived: ")


def test_members_get_roles_and_are_removed(owner: Cli, organization: NewOrganization) -> None:
    max_ = make_person(organization.organization_id, role="member", name="Max", email="max@example.com")
    owner.ok("members", "role", "max@example.com", "admin")
    roles = {one["userId"]: one["role"] for one in owner.json("members")["members"]}
    assert roles[max_] == "admin"
    owner.ok("members", "remove", max_, "--yes")
    assert max_ not in {one["userId"] for one in owner.json("members")["members"]}
    refused = owner.run("members", "role", organization.owner_id, "admin")
    assert refused.stderr.startswith("Error: cannot_manage_self: ")
    assert "Ask another admin or owner" in refused.stderr


def test_deliveries_are_tested_listed_and_sent_again(owner: Cli) -> None:
    made = owner.json("webhooks", "add", "https://203.0.114.7/hooks", "--event", "message.created")
    endpoint = made["id"]
    event = owner.json("webhooks", "test", endpoint)["id"]
    [item] = [each for each in whole_table.outbox() if each["id"] == event]
    [task] = first_tasks(Event.from_item(item))
    attempted(Event.from_item(item), task, status=None)
    history = owner.json("webhooks", "history", endpoint)
    assert [one["eventId"] for one in history["deliveries"]] == [event]
    assert "webhook.test" in owner.ok("webhooks", "history", endpoint)
    refused = owner.run("webhooks", "redeliver", endpoint, event)
    assert refused.stderr.startswith("Error: delivery_in_progress: ")
    assert "helpdesk webhooks history ID" in refused.stderr
    missing = owner.run("webhooks", "redeliver", endpoint, "evt_" + "0" * 32)
    assert missing.stderr.startswith("Error: delivery_not_found: ")
