"""What the work of the tracker costs: calls to AWS, and requests to Linear."""

import pytest

from helpdesk.integrations.adapter import Hook
from helpdesk.integrations.linear import receiver, status_sync, worker
from helpdesk.integrations.linear.worker import LinearAdapter
from helpdesk.integrations.record import Connection
from tests.integration.linear.conftest import Issues
from tests.support.api import Client
from tests.support.aws import recorded_calls

pytestmark = pytest.mark.usefixtures("opening")


def test_a_signal_without_an_issue_costs_one_read_when_it_moves(
    issues: Issues, admin: Client, connection: Connection
) -> None:
    filed = issues.file()
    issues.services.asked.clear()
    with recorded_calls() as calls:
        assert LinearAdapter().on_signal(connection.organization, filed, filed=False) == "no_issue"
    assert (len(calls), len(issues.services.asked)) == (1, 0)


def test_an_issue_that_is_moved_costs_two_requests_and_a_hook_none(
    issues: Issues, connection: Connection
) -> None:
    filed = issues.filed()
    issues.workers.holding.add("integration")
    issues.api.patch(f"/v1/signals/{filed}", {"status": "planned"})
    issues.services.asked.clear()
    with recorded_calls() as calls:
        assert LinearAdapter().on_signal(connection.organization, filed, filed=False) == "pushed"
    assert (len(calls), len(issues.services.asked)) == (11, 2)

    headers, body = issues.moved("ENG-1", "Done")
    data = receiver.read(Hook(headers, body.encode())).data
    with recorded_calls() as calls:
        assert status_sync.handle_change(connection, data) == "in_line"
    assert (len(calls), len(issues.services.asked)) == (8, 2)


def test_a_look_at_issues_that_did_not_move_writes_nothing(issues: Issues, connection: Connection) -> None:
    for number in range(3):
        issues.file(f"Signal {number}")
    issues.run()
    issues.services.asked.clear()
    with recorded_calls() as calls:
        assert worker._check(connection, {}, 0) == "looked"
    assert [
        call for call in calls if call.rpartition(":")[2] not in {"GetItem", "Query", "BatchGetItem"}
    ] == []
    assert (len(calls), len(issues.services.asked)) == (12, 1)
