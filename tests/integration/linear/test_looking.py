"""The nightly look: what Linear did not send, what waited for a broken connection, and what it costs."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.integrations.linear import status_sync, worker
from helpdesk.integrations.linear.record import LinearIssue
from helpdesk.integrations.linear.worker import LinearAdapter
from helpdesk.integrations.record import Connection
from scripts.services.server import Fault, Said
from tests.integration.linear.conftest import Issues
from tests.support.api import Client
from tests.support.integrations import later

pytestmark = pytest.mark.usefixtures("opening")


def test_moves_whose_hooks_were_lost_are_found(issues: Issues) -> None:
    moved, deleted = issues.file(), issues.file("Exports end early")
    issues.run()
    issues.moved("ENG-1", "In Review")
    issues.linear.delete(issues.acme, "ENG-2")
    issues.look_again()

    assert issues.status(moved) == "in review"
    assert issues.signal(deleted)["tracker"] is None


def test_a_look_asks_for_some_issues_at_a_time_and_hands_on(
    issues: Issues, connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "_TOGETHER", 5)
    issues.workers.holding.add("signal")
    filed = [issues.file(f"Signal {number}") for number in range(7)]
    issues.run()
    last = issues.acme.issue("ENG-7")
    issues.moved(last["identifier"], "Done")
    issues.services.asked.clear()

    assert worker._check(connection, {}, until=0) == "handed_on"
    assert len(issues.services.asked) == 1
    issues.run()
    assert len(issues.services.asked) == 2
    assert [issues.status(each) for each in filed].count("done") == 1


def test_a_connection_that_is_mended_makes_up_for_everything(
    issues: Issues, connect: Callable[..., Connection]
) -> None:
    moved = issues.filed()
    issues.linear.revoke(issues.acme)
    unopened = issues.file("Exports end early")
    issues.move(moved, "done")
    assert issues.state() == "Backlog"
    assert issues.problem() is not None

    again = connect(issues.acme)
    LinearAdapter().on_connect(again)
    issues.run()
    assert issues.state() == "Done"
    assert issues.signal(unopened)["tracker"]["identifier"] == "ENG-2"
    assert issues.problem() is None


def test_an_issue_whose_move_was_noted_and_not_sent_is_moved(issues: Issues) -> None:
    filed = issues.filed()
    issues.api.patch(f"/v1/signals/{filed}", {"status": "done"})
    move = Fault(lambda asked: b"issueUpdate" in asked.body, said=Said(502))
    issues.services.faults.append(move)
    issues.run()
    assert (move.left, issues.state()) == (0, "Backlog")
    with later(3_600):
        issues.look_again()

    assert issues.state() == "Done"


def test_where_linear_opens_no_issue_at_all_those_that_wait_cost_one_request(issues: Issues) -> None:
    extensions = {"type": "usage limit exceeded", "userPresentableMessage": "No more\nissues on this plan."}
    said = Said(200, {"errors": [{"message": "no", "extensions": extensions}], "data": None})
    limit = Fault(lambda asked: b"issueCreate" in asked.body, said=said, left=100)
    issues.services.faults.append(limit)
    for number in range(3):
        issues.file(f"Signal {number}")
    issues.run()
    issues.services.asked.clear()
    issues.look_again()
    assert sum(b"issueCreate" in each.body for each in issues.services.asked) == 1
    assert issues.problem() == "No more issues on this plan."

    limit.left = 0
    issues.look_again()
    assert sorted(issues.acme.shown()) == ["ENG-1", "ENG-2", "ENG-3"]
    assert issues.problem() is None


def test_a_signal_that_got_another_issue_meanwhile_opens_none(
    issues: Issues, connect: Callable[..., Connection]
) -> None:
    issues.linear.revoke(issues.acme)
    filed = issues.filed()
    connect(issues.acme)
    issues.linear.add(issues.acme, "Exports are cut")
    issues.api.post(f"/v1/signals/{filed}/tracker", {"identifier": "ENG-1"})
    issues.run()
    issues.look_again()

    assert issues.signal(filed)["tracker"]["identifier"] == "ENG-1"
    assert list(issues.acme.shown()) == ["ENG-1"]


def test_what_waits_for_a_team_that_is_gone_is_opened_in_the_one_that_is_named_next(
    issues: Issues, admin: Client
) -> None:
    issues.acme.team("OPS", "Operations")
    issues.acme.teams.pop(next(iter(issues.acme.teams)))
    filed = [issues.file(), issues.file("Exports end early")]
    issues.run()
    assert issues.problem() == "Could not find referenced Team."
    issues.look_again()
    admin.patch("/v1/integrations/tracker", {"team": "OPS"})
    issues.api.post(f"/v1/signals/{filed[0]}/tracker", {})
    issues.run()
    assert issues.signal(filed[0])["tracker"]["identifier"] == "OPS-1"

    issues.look_again()
    assert issues.signal(filed[1])["tracker"]["identifier"] == "OPS-2"


def test_an_issue_that_cannot_be_compared_keeps_the_look_from_no_other(
    issues: Issues, monkeypatch: pytest.MonkeyPatch
) -> None:
    filed = {each: issues.file(each) for each in ("First", "Second", "Third")}
    issues.run()
    at_linear = {issue["title"]: issue for issue in issues.acme.issues.values()}
    for each in at_linear.values():
        issues.moved(each["identifier"], "Done")
    check = status_sync.check

    def fails_for_one(connection: Connection, seen: LinearIssue, account: Any, found: Any) -> str:
        if seen.id == at_linear["Second"]["id"]:
            raise KeyError("a defect")
        return check(connection, seen, account, found)

    monkeypatch.setattr(status_sync, "check", fails_for_one)
    issues.look_again()

    moved = {title for title, each in filed.items() if issues.status(each) == "done"}
    assert moved == {"First", "Third"}


def test_a_look_that_linear_refuses_says_so(issues: Issues) -> None:
    issues.file()
    issues.run()
    words = {
        "message": "no",
        "extensions": {"type": "forbidden", "userPresentableMessage": "Not on this plan."},
    }
    issues.services.fail("POST", "/graphql", said=Said(200, {"errors": [words], "data": None}), left=2)
    issues.look_again()

    assert issues.problem() == "Not on this plan."
