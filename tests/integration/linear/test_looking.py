"""The nightly look: what Linear did not send, what waited for a broken connection, and what it costs."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.integrations.linear import status_sync, worker
from helpdesk.integrations.linear.record import LinearIssue
from helpdesk.integrations.linear.worker import LinearAdapter
from helpdesk.integrations.record import Connection
from scripts.services.server import Fault, Said, Services
from scripts.services.tracker import Tracker, Workspace
from tests.integration.linear.conftest import file, look_again, signal, state
from tests.support.api import Client
from tests.support.integrations import later
from tests.support.workers import Workers

pytestmark = pytest.mark.usefixtures("opening")


def test_moves_whose_hooks_were_lost_are_found(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers
) -> None:
    moved, deleted = file(api), file(api, "Exports end early")
    workers.run()
    linear.move(acme, "ENG-1", "In Review")
    linear.delete(acme, "ENG-2")
    look_again(workers)

    assert signal(api, moved)["status"] == "in review"
    assert signal(api, deleted)["tracker"] is None


def test_a_look_asks_for_some_issues_at_a_time_and_hands_on(
    api: Client,
    linear: Tracker,
    acme: Workspace,
    workers: Workers,
    services: Services,
    connection: Connection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker, "_TOGETHER", 5)
    workers.holding.add("signal")
    filed = [file(api, f"Signal {number}") for number in range(7)]
    workers.run()
    last = acme.issue("ENG-7")
    linear.move(acme, last["identifier"], "Done")
    services.asked.clear()

    assert worker._check(connection, {}, until=0) == "handed_on"
    assert len(services.asked) == 1
    workers.run()
    assert len(services.asked) == 2
    assert [signal(api, each)["status"] for each in filed].count("done") == 1


def test_a_connection_that_is_mended_makes_up_for_everything(
    api: Client,
    linear: Tracker,
    acme: Workspace,
    workers: Workers,
    connect: Callable[..., Connection],
) -> None:
    moved = file(api)
    workers.run()
    linear.revoke(acme)
    unopened = file(api, "Exports end early")
    api.patch(f"/v1/signals/{moved}", {"status": "done"})
    workers.run()
    assert state(acme) == "Backlog"
    assert api.get("/v1/integrations/tracker").body["problem"] is not None

    again = connect(acme)
    LinearAdapter().on_connect(again)
    workers.run()
    assert state(acme) == "Done"
    assert signal(api, unopened)["tracker"]["identifier"] == "ENG-2"
    assert api.get("/v1/integrations/tracker").body["problem"] is None


def test_an_issue_whose_move_was_noted_and_not_sent_is_moved(
    api: Client, acme: Workspace, workers: Workers, services: Services
) -> None:
    filed = file(api)
    workers.run()
    api.patch(f"/v1/signals/{filed}", {"status": "done"})
    move = Fault(lambda asked: b"issueUpdate" in asked.body, said=Said(502))
    services.faults.append(move)
    workers.run()
    assert (move.left, state(acme)) == (0, "Backlog")
    with later(3_600):
        look_again(workers)

    assert state(acme) == "Done"


def test_where_linear_opens_no_issue_at_all_those_that_wait_cost_one_request(
    api: Client, acme: Workspace, workers: Workers, services: Services
) -> None:
    extensions = {"type": "usage limit exceeded", "userPresentableMessage": "No more\nissues on this plan."}
    said = Said(200, {"errors": [{"message": "no", "extensions": extensions}], "data": None})
    limit = Fault(lambda asked: b"issueCreate" in asked.body, said=said, left=100)
    services.faults.append(limit)
    for number in range(3):
        file(api, f"Signal {number}")
    workers.run()
    services.asked.clear()
    look_again(workers)
    assert sum(b"issueCreate" in each.body for each in services.asked) == 1
    assert api.get("/v1/integrations/tracker").body["problem"] == "No more issues on this plan."

    limit.left = 0
    look_again(workers)
    assert sorted(acme.shown()) == ["ENG-1", "ENG-2", "ENG-3"]
    assert api.get("/v1/integrations/tracker").body["problem"] is None


def test_a_signal_that_got_another_issue_meanwhile_opens_none(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers, connect: Callable[..., Connection]
) -> None:
    linear.revoke(acme)
    filed = file(api)
    workers.run()
    connect(acme)
    linear.add(acme, "Exports are cut")
    api.post(f"/v1/signals/{filed}/tracker", {"identifier": "ENG-1"})
    workers.run()
    look_again(workers)

    assert signal(api, filed)["tracker"]["identifier"] == "ENG-1"
    assert list(acme.shown()) == ["ENG-1"]


def test_what_waits_for_a_team_that_is_gone_is_opened_in_the_one_that_is_named_next(
    api: Client, admin: Client, acme: Workspace, workers: Workers
) -> None:
    acme.team("OPS", "Operations")
    acme.teams.pop(next(iter(acme.teams)))
    filed = [file(api), file(api, "Exports end early")]
    workers.run()
    assert api.get("/v1/integrations/tracker").body["problem"] == "Could not find referenced Team."
    look_again(workers)
    admin.patch("/v1/integrations/tracker", {"team": "OPS"})
    api.post(f"/v1/signals/{filed[0]}/tracker", {})
    workers.run()
    assert signal(api, filed[0])["tracker"]["identifier"] == "OPS-1"

    look_again(workers)
    assert signal(api, filed[1])["tracker"]["identifier"] == "OPS-2"


def test_an_issue_that_cannot_be_compared_keeps_the_look_from_no_other(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    filed = {each: file(api, each) for each in ("First", "Second", "Third")}
    workers.run()
    issues = {issue["title"]: issue for issue in acme.issues.values()}
    for each in issues.values():
        linear.move(acme, each["identifier"], "Done")
    check = status_sync.check

    def fails_for_one(connection: Connection, seen: LinearIssue, account: Any, found: Any) -> str:
        if seen.id == issues["Second"]["id"]:
            raise KeyError("a defect")
        return check(connection, seen, account, found)

    monkeypatch.setattr(status_sync, "check", fails_for_one)
    look_again(workers)

    moved = {title for title, each in filed.items() if signal(api, each)["status"] == "done"}
    assert moved == {"First", "Third"}


def test_a_look_that_linear_refuses_says_so(
    api: Client, acme: Workspace, workers: Workers, services: Services
) -> None:
    file(api)
    workers.run()
    words = {
        "message": "no",
        "extensions": {"type": "forbidden", "userPresentableMessage": "Not on this plan."},
    }
    services.fail("POST", "/graphql", said=Said(200, {"errors": [words], "data": None}), left=2)
    look_again(workers)

    assert api.get("/v1/integrations/tracker").body["problem"] == "Not on this plan."
