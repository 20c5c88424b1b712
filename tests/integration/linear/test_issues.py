"""Issues of signals that move, are renamed, deleted and merged: moves in both directions that end."""

from functools import partial

import pytest

from helpdesk.integrations.record import Connection
from scripts.services.server import Said
from tests.integration.linear.conftest import Issues
from tests.support import table
from tests.support.api import Client
from tests.support.integrations import later

pytestmark = pytest.mark.usefixtures("opening")

URL = "https://linear.app/acme/issue/ENG-1/a-title"


def test_moves_of_a_signal_move_its_issue(issues: Issues) -> None:
    filed = issues.filed()
    for status, name in (
        ("planned", "Todo"),
        ("in progress", "In Progress"),
        ("in review", "In Review"),
        ("done", "Done"),
        ("declined", "Canceled"),
        ("open", "Backlog"),
    ):
        issues.move(filed, status)
        assert issues.state() == name


def test_an_issue_that_a_person_moves_moves_its_signal_and_nothing_goes_back(issues: Issues) -> None:
    filed = issues.filed()
    issues.services.asked.clear()
    for name, status in (
        ("Todo", "planned"),
        ("In Progress", "in progress"),
        ("In Review", "in review"),
        ("Done", "done"),
        ("Canceled", "declined"),
        ("Duplicate", "declined"),
        ("Triage", "open"),
    ):
        issues.hear(issues.moved("ENG-1", name))
        assert issues.status(filed) == status

    assert issues.services.asked == []
    assert issues.signal(filed)["updatedByName"] == "Linear"


def test_the_hook_of_a_move_of_ours_moves_nothing_back(issues: Issues) -> None:
    filed = issues.filed()
    backlog = issues.acme.issue("ENG-1")["state"]["id"]
    issues.move(filed, "done")
    ours = issues.linear.changed(issues.acme, issues.acme.issue("ENG-1"), {"stateId": backlog})
    issues.api.patch(f"/v1/signals/{filed}", {"status": "open"})
    issues.send(ours)  # before the worker follows the second move
    issues.run()

    assert issues.status(filed) == "open"
    assert issues.state() == "Backlog"


def test_hooks_out_of_order_and_repeated_end_at_the_last_move(issues: Issues) -> None:
    filed = issues.filed()
    at = issues.linear.clock()
    sent = []
    for number, name in enumerate(("Todo", "Done", "In Progress")):
        issues.linear.clock = partial(float, at + number / 10)
        sent.append(issues.moved("ENG-1", name))
    for each in (sent[2], sent[0], sent[1], sent[1], sent[2]):
        issues.hear(each)

    assert issues.status(filed) == "in progress"


def test_an_issue_that_moves_to_another_team_keeps_its_signal(issues: Issues, connection: Connection) -> None:
    filed = issues.filed()
    ops = issues.acme.team("OPS", "Operations")
    issues.hear(issues.linear.transfer(issues.acme, "ENG-1", ops))

    url = "https://linear.app/acme/issue/OPS-1/a-title"
    assert issues.signal(filed)["tracker"] == {"identifier": "OPS-1", "url": url}
    assert issues.status(filed) == "open"


def test_an_issue_that_moves_on_the_way_to_another_team_moves_its_signal(
    issues: Issues, connection: Connection
) -> None:
    filed = issues.filed()
    issues.moved("ENG-1", "Done")  # and the hook is lost
    issues.linear.transfer(issues.acme, "ENG-1", issues.acme.team("OPS", "Operations"))
    with later(60):
        issues.look_again()

    assert (issues.status(filed), issues.signal(filed)["tracker"]["identifier"]) == ("done", "OPS-1")


def test_a_deleted_issue_is_taken_from_its_signal_and_another_can_be_opened(issues: Issues) -> None:
    filed = issues.filed()
    issues.hear(issues.linear.delete(issues.acme, "ENG-1"))
    assert issues.signal(filed)["tracker"] is None
    issues.move(filed, "planned")

    assert issues.api.post(f"/v1/signals/{filed}/tracker", {}).status == 202
    issues.run()
    assert issues.signal(filed)["tracker"]["identifier"] == "ENG-2"
    assert issues.state("ENG-2") == "Todo"


def test_the_card_of_a_signal_shows_its_issue(issues: Issues) -> None:
    filed = issues.filed()
    card = issues.api.post("/v1/tasks/adopt", {"signalId": filed}).body["id"]
    own = issues.api.post("/v1/tasks", {"title": "Own"}).body["id"]

    issue = {"identifier": "ENG-1", "url": URL}
    shown = {one["id"]: one["tracker"] for one in issues.api.get("/v1/tasks").body["tasks"]}
    assert shown == {card: issue, own: None}
    assert issues.api.get(f"/v1/tasks/{card}").body["task"]["tracker"] == issue


def test_a_merge_moves_the_issue_to_the_signal_that_stays(issues: Issues, admin: Client) -> None:
    duplicate = issues.filed()
    issues.api.patch(f"/v1/signals/{duplicate}", {"status": "in progress"})
    admin.patch("/v1/integrations/tracker", {"autoCreate": False})
    stays = issues.filed("Exports end early")
    assert issues.state() == "In Progress"
    assert issues.api.post(f"/v1/signals/{stays}/merge", {"duplicateId": duplicate}).status == 200
    issues.run()
    assert issues.signal(stays)["tracker"] == {"identifier": "ENG-1", "url": URL}
    assert issues.state() == "Backlog"  # as the signal that stays is open

    issues.hear(issues.moved("ENG-1", "Done"))
    assert issues.status(stays) == "done"
    issues.move(stays, "in progress")
    assert issues.state() == "In Progress"


def test_a_merge_of_two_signals_with_issues_keeps_the_one_of_the_signal_that_stays(issues: Issues) -> None:
    stays, duplicate = issues.file(), issues.file("Exports end early")
    issues.run()
    issues.api.post(f"/v1/signals/{stays}/merge", {"duplicateId": duplicate})
    issues.hear(issues.moved("ENG-2", "Done"))

    assert issues.signal(stays)["tracker"]["identifier"] == "ENG-1"
    assert issues.status(stays) == "open"


def test_a_signal_that_is_merged_while_its_issue_is_opened_hands_the_issue_on(
    issues: Issues, admin: Client
) -> None:
    admin.patch("/v1/integrations/tracker", {"autoCreate": False})
    stays = issues.filed("Exports end early")
    admin.patch("/v1/integrations/tracker", {"autoCreate": True})
    duplicate = issues.file()
    issues.services.fail("POST", "/graphql", said=Said(502), works=True)
    issues.run()
    issues.api.post(f"/v1/signals/{stays}/merge", {"duplicateId": duplicate})
    with later(400):
        issues.run()
        issues.look_again()

    assert issues.signal(stays)["tracker"] == {"identifier": "ENG-1", "url": URL}
    assert list(issues.acme.shown()) == ["ENG-1"]


def test_what_linear_refuses_is_said_and_tried_again_in_the_night(issues: Issues) -> None:
    issues.linear.refuses["issueCreate"] = "The workspace has reached its limit of issues."
    filed = issues.filed()
    assert issues.acme.issues == {}
    problem = issues.problem()
    assert problem == "The workspace has reached its limit of issues."

    issues.linear.refuses.clear()
    issues.filed("Another one")
    assert issues.problem() is None
    assert issues.signal(filed)["tracker"] is None
    issues.look_again()
    assert issues.signal(filed)["tracker"]["identifier"] == "ENG-2"


def test_a_move_that_linear_refuses_is_said_and_leaves_the_signal(issues: Issues) -> None:
    filed = issues.filed()
    issues.linear.refuses["issueUpdate"] = "The issue is locked."
    issues.move(filed, "done")

    assert issues.status(filed) == "done"
    assert issues.problem() == "The issue is locked."


def test_without_the_switch_no_issue_is_opened(issues: Issues, admin: Client) -> None:
    admin.patch("/v1/integrations/tracker", {"autoCreate": False})
    filed = issues.filed()
    admin.patch("/v1/integrations/tracker", {"autoCreate": True})
    issues.api.patch(f"/v1/signals/{filed}", {"status": "planned"})  # filed before the switch
    issues.run()

    assert issues.acme.issues == {}


def test_a_revoked_token_breaks_the_connection_and_shows_in_no_log(issues: Issues) -> None:
    issues.linear.revoke(issues.acme)
    issues.filed()

    [row] = [
        each for each in issues.api.get("/v1/integrations").body["integrations"] if each["app"] == "tracker"
    ]
    assert row["status"] == "broken"
    assert "/v1/connect/tracker" in row["problem"]
    assert "lin_" not in str(table.of_kind("LOG"))
