"""Issues of signals that move, are renamed, deleted and merged: moves in both directions that end."""

from functools import partial

import pytest

from helpdesk.integrations.record import Connection
from scripts.services.server import Said, Services
from scripts.services.tracker import Tracker, Workspace
from tests.integration.linear.conftest import file, look_again, signal, state
from tests.support import table
from tests.support.api import Client
from tests.support.integrations import Send, later
from tests.support.workers import Workers

pytestmark = pytest.mark.usefixtures("opening")

URL = "https://linear.app/acme/issue/ENG-1/a-title"


def test_moves_of_a_signal_move_its_issue(api: Client, acme: Workspace, workers: Workers) -> None:
    filed = file(api)
    workers.run()
    for status, name in (
        ("planned", "Todo"),
        ("in progress", "In Progress"),
        ("in review", "In Review"),
        ("done", "Done"),
        ("declined", "Canceled"),
        ("open", "Backlog"),
    ):
        api.patch(f"/v1/signals/{filed}", {"status": status})
        workers.run()
        assert state(acme) == name


def test_an_issue_that_a_person_moves_moves_its_signal_and_nothing_goes_back(
    api: Client, linear: Tracker, acme: Workspace, services: Services, workers: Workers, send: Send
) -> None:
    filed = file(api)
    workers.run()
    services.asked.clear()
    for name, status in (
        ("Todo", "planned"),
        ("In Progress", "in progress"),
        ("In Review", "in review"),
        ("Done", "done"),
        ("Canceled", "declined"),
        ("Duplicate", "declined"),
        ("Triage", "open"),
    ):
        assert send(linear.move(acme, "ENG-1", name)).status == 200
        workers.run()
        assert signal(api, filed)["status"] == status

    assert services.asked == []
    assert signal(api, filed)["updatedByName"] == "Linear"


def test_the_hook_of_a_move_of_ours_moves_nothing_back(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers, send: Send
) -> None:
    filed = file(api)
    workers.run()
    backlog = acme.issue("ENG-1")["state"]["id"]
    api.patch(f"/v1/signals/{filed}", {"status": "done"})
    workers.run()
    ours = linear.changed(acme, acme.issue("ENG-1"), {"stateId": backlog})
    api.patch(f"/v1/signals/{filed}", {"status": "open"})
    send(ours)  # before the worker follows the second move
    workers.run()

    assert signal(api, filed)["status"] == "open"
    assert state(acme) == "Backlog"


def test_hooks_out_of_order_and_repeated_end_at_the_last_move(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers, send: Send
) -> None:
    filed = file(api)
    workers.run()
    at = linear.clock()
    sent = []
    for number, name in enumerate(("Todo", "Done", "In Progress")):
        linear.clock = partial(float, at + number / 10)
        sent.append(linear.move(acme, "ENG-1", name))
    for each in (sent[2], sent[0], sent[1], sent[1], sent[2]):
        assert send(each).status == 200
        workers.run()

    assert signal(api, filed)["status"] == "in progress"


@pytest.mark.parametrize("first", ["the signal's job", "the hook"])
def test_a_persons_later_move_wins_and_the_issue_follows_it(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers, send: Send, first: str
) -> None:
    filed = file(api)
    workers.run()
    moved = linear.move(acme, "ENG-1", "Done")
    workers.holding.add("integration")
    with later(5):
        api.patch(f"/v1/signals/{filed}", {"status": "planned"})
        if first == "the signal's job":
            workers.holding.discard("integration")
            workers.run()
        send(moved)
        workers.holding.discard("integration")
        workers.run()

    assert signal(api, filed)["status"] == "planned"
    assert state(acme) == "Todo"


def test_a_later_move_at_linear_wins_over_a_signals_move_that_is_still_on_its_way(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers, send: Send
) -> None:
    filed = file(api)
    workers.run()
    workers.holding.add("integration")
    api.patch(f"/v1/signals/{filed}", {"status": "planned"})
    workers.run()
    at = linear.clock() + 5
    linear.clock = lambda: at
    linear.move(acme, "ENG-1", "Done")  # and the hook is late, or lost
    workers.holding.discard("integration")
    workers.run()

    assert signal(api, filed)["status"] == "done"
    assert state(acme) == "Done"


def test_a_signal_that_is_edited_after_it_moved_has_not_moved_again(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers
) -> None:
    filed = file(api)
    workers.run()
    workers.holding.add("integration")
    api.patch(f"/v1/signals/{filed}", {"status": "planned"})
    at = linear.clock() + 5
    linear.clock = lambda: at
    linear.move(acme, "ENG-1", "Done")  # and the hook is late, or lost
    with later(10):
        api.patch(f"/v1/signals/{filed}", {"priority": "high"})
        workers.holding.discard("integration")
        workers.run()

    assert (signal(api, filed)["status"], state(acme)) == ("done", "Done")


def test_an_issue_that_moves_to_another_team_keeps_its_signal(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers, send: Send, connection: Connection
) -> None:
    filed = file(api)
    workers.run()
    ops = acme.team("OPS", "Operations")
    send(linear.transfer(acme, "ENG-1", ops))
    workers.run()

    url = "https://linear.app/acme/issue/OPS-1/a-title"
    assert signal(api, filed)["tracker"] == {"identifier": "OPS-1", "url": url}
    assert signal(api, filed)["status"] == "open"


def test_an_issue_that_moves_on_the_way_to_another_team_moves_its_signal(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers, connection: Connection
) -> None:
    filed = file(api)
    workers.run()
    linear.move(acme, "ENG-1", "Done")  # and the hook is lost
    linear.transfer(acme, "ENG-1", acme.team("OPS", "Operations"))
    with later(60):
        look_again(workers)

    assert (signal(api, filed)["status"], signal(api, filed)["tracker"]["identifier"]) == ("done", "OPS-1")


def test_a_deleted_issue_is_taken_from_its_signal_and_another_can_be_opened(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers, send: Send
) -> None:
    filed = file(api)
    workers.run()
    send(linear.delete(acme, "ENG-1"))
    workers.run()
    assert signal(api, filed)["tracker"] is None
    api.patch(f"/v1/signals/{filed}", {"status": "planned"})
    workers.run()

    assert api.post(f"/v1/signals/{filed}/tracker", {}).status == 202
    workers.run()
    assert signal(api, filed)["tracker"]["identifier"] == "ENG-2"
    assert state(acme, "ENG-2") == "Todo"


def test_the_card_of_a_signal_shows_its_issue(api: Client, acme: Workspace, workers: Workers) -> None:
    filed = file(api)
    workers.run()
    card = api.post("/v1/tasks/adopt", {"signalId": filed}).body["id"]
    own = api.post("/v1/tasks", {"title": "Own"}).body["id"]

    issue = {"identifier": "ENG-1", "url": URL}
    shown = {one["id"]: one["tracker"] for one in api.get("/v1/tasks").body["tasks"]}
    assert shown == {card: issue, own: None}
    assert api.get(f"/v1/tasks/{card}").body["task"]["tracker"] == issue


def test_a_merge_moves_the_issue_to_the_signal_that_stays(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers, send: Send, admin: Client
) -> None:
    duplicate = file(api)
    workers.run()
    api.patch(f"/v1/signals/{duplicate}", {"status": "in progress"})
    admin.patch("/v1/integrations/tracker", {"autoCreate": False})
    stays = file(api, "Exports end early")
    workers.run()
    assert state(acme) == "In Progress"
    assert api.post(f"/v1/signals/{stays}/merge", {"duplicateId": duplicate}).status == 200
    workers.run()
    assert signal(api, stays)["tracker"] == {"identifier": "ENG-1", "url": URL}
    assert state(acme) == "Backlog"  # as the signal that stays is open

    send(linear.move(acme, "ENG-1", "Done"))
    workers.run()
    assert signal(api, stays)["status"] == "done"
    api.patch(f"/v1/signals/{stays}", {"status": "in progress"})
    workers.run()
    assert state(acme) == "In Progress"


def test_a_merge_of_two_signals_with_issues_keeps_the_one_of_the_signal_that_stays(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers, send: Send
) -> None:
    stays, duplicate = file(api), file(api, "Exports end early")
    workers.run()
    api.post(f"/v1/signals/{stays}/merge", {"duplicateId": duplicate})
    send(linear.move(acme, "ENG-2", "Done"))
    workers.run()

    assert signal(api, stays)["tracker"]["identifier"] == "ENG-1"
    assert signal(api, stays)["status"] == "open"


def test_a_signal_that_is_merged_while_its_issue_is_opened_hands_the_issue_on(
    api: Client, acme: Workspace, workers: Workers, services: Services, admin: Client
) -> None:
    admin.patch("/v1/integrations/tracker", {"autoCreate": False})
    stays = file(api, "Exports end early")
    workers.run()
    admin.patch("/v1/integrations/tracker", {"autoCreate": True})
    duplicate = file(api)
    services.fail("POST", "/graphql", said=Said(502), works=True)
    workers.run()
    api.post(f"/v1/signals/{stays}/merge", {"duplicateId": duplicate})
    with later(400):
        workers.run()
        look_again(workers)

    assert signal(api, stays)["tracker"] == {"identifier": "ENG-1", "url": URL}
    assert list(acme.shown()) == ["ENG-1"]


def test_what_linear_refuses_is_said_and_tried_again_in_the_night(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers
) -> None:
    linear.refuses["issueCreate"] = "The workspace has reached its limit of issues."
    filed = file(api)
    workers.run()
    assert acme.issues == {}
    problem = api.get("/v1/integrations/tracker").body["problem"]
    assert problem == "The workspace has reached its limit of issues."

    linear.refuses.clear()
    file(api, "Another one")
    workers.run()
    assert api.get("/v1/integrations/tracker").body["problem"] is None
    assert signal(api, filed)["tracker"] is None
    look_again(workers)
    assert signal(api, filed)["tracker"]["identifier"] == "ENG-2"


def test_a_move_that_linear_refuses_is_said_and_leaves_the_signal(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers
) -> None:
    filed = file(api)
    workers.run()
    linear.refuses["issueUpdate"] = "The issue is locked."
    api.patch(f"/v1/signals/{filed}", {"status": "done"})
    workers.run()

    assert signal(api, filed)["status"] == "done"
    assert api.get("/v1/integrations/tracker").body["problem"] == "The issue is locked."


def test_without_the_switch_no_issue_is_opened(
    api: Client, admin: Client, acme: Workspace, workers: Workers
) -> None:
    admin.patch("/v1/integrations/tracker", {"autoCreate": False})
    filed = file(api)
    workers.run()
    admin.patch("/v1/integrations/tracker", {"autoCreate": True})
    api.patch(f"/v1/signals/{filed}", {"status": "planned"})  # filed before the switch
    workers.run()

    assert acme.issues == {}


def test_a_revoked_token_breaks_the_connection_and_shows_in_no_log(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers
) -> None:
    linear.revoke(acme)
    file(api)
    workers.run()

    [row] = [each for each in api.get("/v1/integrations").body["integrations"] if each["app"] == "tracker"]
    assert row["status"] == "broken"
    assert "/v1/connect/tracker" in row["problem"]
    assert "lin_" not in str(table.of_kind("LOG"))
