"""Every worker of a queue or a schedule: what it cannot read fails alone, and the rest of its batch is done."""

import copy
import json
from typing import Any

import pytest

from helpdesk.accounts.organizations.record import Organization
from helpdesk.accounts.organizations.repository import organizations
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.conversations import snoozes
from helpdesk.conversations.record import Snooze
from helpdesk.integrations import worker as integrations
from helpdesk.integrations.linear import repository as linear
from helpdesk.integrations.linear.record import LinearIssue
from helpdesk.integrations.record import Connection
from helpdesk.platform import clock
from helpdesk.platform.settings import settings
from helpdesk.privacy import retention
from helpdesk.signals.kinds import SignalStatus
from helpdesk.storage import shards, table
from helpdesk.storage.table import Item
from tests.integration.fanout.test_fan_out import received
from tests.support import workers
from tests.support.api import Client, Context, function
from tests.support.integrations import connect_tracker
from tests.support.template import ROOT

BAD_BODIES = ["not json", "null", "[]", "5", '"text"', "{}", '{"organization": 5}', '{"kind": "moon"}']
WORKERS = {
    "agent_worker": "agent-worker-queue",
    "knowledge_indexer": "knowledge-indexer-queue",
    "mailer": "mailer-queue",
    "timers": "timers-queue",
    "eraser": "eraser-queue",
    "search_indexer": "search-indexer-queue",
    "delivery": "delivery-queue",
    "integration_worker": "integration-worker-queue",
    "signal_worker": "signal-worker-queue",
    "mail_receiver": "mail-receiver-queue",
}


@pytest.mark.parametrize("worker", WORKERS)
def test_messages_that_cannot_be_read_fail_alone(worker: str, organization: NewOrganization) -> None:
    sample = json.loads((ROOT / "events" / f"{WORKERS[worker]}.json").read_text())["Records"][0]
    queue = next(name for name, each in workers.WORKERS.items() if each == worker)
    sample["eventSourceARN"] = (
        f"arn:aws:sqs:eu-west-1:123456789012:{settings().queue_url(queue).rpartition('/')[2]}"
    )
    records = []
    for number, body in enumerate([*BAD_BODIES, sample["body"]]):
        record = copy.deepcopy(sample) | {"messageId": str(number), "body": body}
        record["attributes"]["MessageGroupId"] = f"group {number}"
        records.append(record)

    answer: Any = function(worker).handler({"Records": records}, Context())

    failed = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
    assert failed == {str(number) for number in range(len(BAD_BODIES))}


def _snoozed(home: str, conversation: str, **changed: Any) -> Item:
    item = {
        **Snooze.key_for(home, conversation).attributes(),
        "GSI1PK": Snooze.partition_for(str(shards.shard_of("one shard")), index="GSI1"),
        "GSI1SK": f"{clock.now_ms() - 1:013d}",
        "until": clock.now_ms() - 1,
        **changed,
    }
    return {name: value for name, value in item.items() if value != "removed"}


def test_a_reminder_that_cannot_be_read_holds_up_no_other_snooze(
    organization: NewOrganization, other_organization: NewOrganization, caplog: pytest.LogCaptureFixture
) -> None:
    bad: list[Any] = ["removed", None, "x", True, [], {"x": 1}]
    for number, value in enumerate(bad):
        table.put_new(_snoozed(organization.organization_id, f"conv_{number}", until=value))
    table.put_new(_snoozed(other_organization.organization_id, "conv_good"))

    assert snoozes.queue_due(clock.now_ms() + 60_000) == 1

    assert [work["conversationId"] for work in received(settings().timer_queue_url)] == ["conv_good"]
    assert [record.msg for record in caplog.records].count("record_unreadable") == len(bad)


def test_an_organization_that_cannot_be_read_holds_up_no_other_retention(
    organization: NewOrganization, other_organization: NewOrganization, api: Client
) -> None:
    shard = Organization.partition_for("7", index="GSI1")
    readable = organizations.get(organization.organization_id).to_item() | {"retentionDays": 30}
    for number, (name, value) in enumerate(
        [("retentionDays", "x"), ("retentionDays", None), ("plan", "moon"), ("name", None), ("slug", 7)]
    ):
        place = {"GSI1PK": shard, "GSI1SK": f"0{number}", name: value}
        table.put_new({**readable, **Organization.key_for(f"org_bad{number}").attributes(), **place})
    table.update(
        Organization.key_for(other_organization.organization_id),
        "SET GSI1PK = :pk, GSI1SK = :sk, retentionDays = :days",
        values={":pk": shard, ":sk": "9", ":days": 30},
    )

    assert retention.start_daily_jobs(clock.now_ms() + 60_000) == 1


def test_a_connection_that_cannot_be_read_holds_up_no_other_nightly_look(
    organization: NewOrganization, other_organization: NewOrganization
) -> None:
    for of in (organization, other_organization):
        connect_tracker(of.organization_id)
    key = Connection.key_for(organization.organization_id, "tracker", "one")
    for name, value in (("status", "moon"), ("app", "moon"), ("accountId", None), ("connectedAt", "x")):
        table.update(key, "SET #name = :value", names={"#name": name}, values={":value": value})
        assert integrations.check_all(clock.now_ms() + 60_000) == 1

    looked = {work["organization"] for work in received(settings().integration_queue_url)}
    assert looked == {other_organization.organization_id}


def test_an_issue_that_cannot_be_read_holds_up_no_other_in_the_nightly_look(
    organization: NewOrganization,
) -> None:
    connection = connect_tracker(organization.organization_id)
    for number in range(3):
        linear.begin(
            LinearIssue(
                organization=connection.organization,
                account_id=connection.account_id,
                id=f"issue-{number}",
                signal_id=f"signal-{number}",
                team_id="team",
                said=SignalStatus.OPEN,
            )
        )
    key = LinearIssue.key_for(connection.organization, connection.account_id, "issue-2")
    table.update(key, "SET said = :value", values={":value": "moon"})

    found, after = linear.issues(connection, 2, None)
    assert ([each.id for each in found], after) == (["issue-0", "issue-1"], "issue-1")
    assert linear.issues(connection, 2, after) == ([], None)
