"""POST /signals/{id}/tracker: a new issue, or one that is there, and what Linear says where it refuses."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.integrations import service as integrations
from helpdesk.integrations.record import Connection
from scripts.services.server import Services
from scripts.services.tracker import Tracker, Workspace
from tests.support.api import Answer, Client
from tests.support.aws import recorded_calls
from tests.support.integrations import Send
from tests.support.workers import Workers


def file(api: Client, title: str = "The export stops") -> str:
    return str(api.post("/v1/signals", {"kind": "bug", "title": title}).body["id"])


def track(api: Client, signal_id: str, **wanted: Any) -> Answer:
    return api.post(f"/v1/signals/{signal_id}/tracker", wanted)


def linked(api: Client, signal_id: str) -> str | None:
    tracker = api.get(f"/v1/signals/{signal_id}").body["signal"]["tracker"]
    return None if tracker is None else str(tracker["identifier"])


@pytest.mark.usefixtures("connection")
@pytest.mark.parametrize("team", ["ENG", "eng", " Engineering "])
def test_a_team_opens_an_issue_once(api: Client, acme: Workspace, workers: Workers, team: str) -> None:
    filed = file(api)
    answers = [track(api, filed, team=team) for _ in range(3)]
    workers.run()

    assert [(each.status, each.body) for each in answers] == [(202, {"tracker": None})] * 3
    assert acme.shown() == {"ENG-1": ("The export stops", "Backlog")}
    shown = track(api, filed, team=team)
    url = "https://linear.app/acme/issue/ENG-1/a-title"
    assert shown.body == {"tracker": {"identifier": "ENG-1", "url": url}}
    assert track(api, filed, team="a team that is not there").code == "team_not_found"


@pytest.mark.usefixtures("opening")
def test_the_team_that_is_set_is_the_one_where_none_is_named(
    api: Client, admin: Client, acme: Workspace, workers: Workers
) -> None:
    admin.patch("/v1/integrations/tracker", {"autoCreate": False})
    filed = file(api)
    track(api, filed)
    workers.run()

    assert linked(api, filed) == "ENG-1"


@pytest.mark.usefixtures("connection")
def test_an_issue_that_is_there_is_linked_and_neither_moves(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers, send: Send
) -> None:
    linear.add(acme, "Exports are cut", state="In Progress")
    filed = file(api)
    assert track(api, filed, identifier="eng-1").body == {"tracker": None}
    workers.run()

    assert linked(api, filed) == "ENG-1"
    assert api.get(f"/v1/signals/{filed}").body["signal"]["status"] == "open"
    assert acme.shown() == {"ENG-1": ("Exports are cut", "In Progress")}
    send(linear.move(acme, "ENG-1", "Done"))
    workers.run()
    assert api.get(f"/v1/signals/{filed}").body["signal"]["status"] == "done"


@pytest.mark.usefixtures("connection")
def test_another_issue_takes_the_place_of_the_first(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers, send: Send
) -> None:
    filed = file(api)
    track(api, filed, team="ENG")
    workers.run()
    linear.add(acme, "Exports are cut")
    track(api, filed, identifier="ENG-2")
    workers.run()
    assert linked(api, filed) == "ENG-2"

    send(linear.move(acme, "ENG-1", "Done"))  # it is no longer the signal's
    workers.run()
    assert api.get(f"/v1/signals/{filed}").body["signal"]["status"] == "open"
    track(api, filed, identifier="ENG-1")
    workers.run()
    assert linked(api, filed) == "ENG-1"


@pytest.mark.usefixtures("connection")
def test_an_issue_belongs_to_one_signal(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers
) -> None:
    linear.add(acme, "Exports are cut")
    first, second = file(api), file(api, "Exports end early")
    track(api, first, identifier="ENG-1")
    workers.run()
    track(api, second, identifier="ENG-1")
    workers.run()

    assert (linked(api, first), linked(api, second)) == ("ENG-1", None)
    refused = track(api, second, identifier="ENG-1")
    assert (refused.status, refused.code) == (400, "tracker_failed")
    assert f"ENG-1 is the issue of the signal {first}." in refused.message


@pytest.mark.usefixtures("connection")
def test_linears_words_are_the_answer_to_the_same_request_which_is_tried_again(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers
) -> None:
    filed = file(api)
    assert track(api, filed, identifier="ENG-7").status == 202
    workers.run()
    refused = track(api, filed, identifier="ENG-7")
    assert (refused.status, refused.code) == (400, "tracker_failed")
    assert "Could not find referenced Issue." in refused.message
    assert track(api, filed, team="ENG").status == 202  # another request

    while "ENG-7" not in acme.shown():
        linear.add(acme, "One more")
    workers.run()
    track(api, filed, identifier="ENG-7")
    workers.run()
    assert linked(api, filed) == "ENG-7"


@pytest.mark.usefixtures("connection")
def test_an_issue_that_was_deleted_is_not_linked(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers
) -> None:
    linear.add(acme, "Exports are cut")
    linear.delete(acme, "ENG-1")
    filed = file(api)
    track(api, filed, identifier="ENG-1")
    workers.run()

    assert "ENG-1 was deleted." in track(api, filed, identifier="ENG-1").message


def test_what_cannot_be_done_is_refused(
    api: Client,
    stranger: Client,
    linear: Tracker,
    connect: Callable[..., Connection],
    acme: Workspace,
    workers: Workers,
    services: Services,
) -> None:
    filed = file(api)
    assert track(api, filed, team="ENG").code == "tracker_not_connected"
    assert track(stranger, filed, team="ENG").code == "signal_not_found"
    connection = connect(acme)
    assert track(api, "signal_unknown", team="ENG").code == "signal_not_found"
    assert track(api, filed, team="ENG", identifier="ENG-1").code == "invalid_request"
    for identifier in (" ", "E" * 41, "E" * 500_000):
        assert track(api, filed, identifier=identifier).code == "invalid_request"
    assert track(api, filed, team=3).code == "invalid_request"
    unset = track(api, filed)
    assert (unset.status, unset.code) == (404, "team_not_found")
    assert unset.message == "Name a team. The teams are ENG (Engineering)."
    unknown = track(api, filed, team="OPS")
    assert (unknown.status, unknown.code) == (404, "team_not_found")
    assert unknown.message == "No team has this name. The teams are ENG (Engineering)."

    integrations.mark_broken(connection, "The app was removed from Linear.")
    broken = track(api, filed, team="ENG")
    assert (broken.status, broken.code) == (400, "tracker_failed")
    assert broken.message == "The app was removed from Linear."


@pytest.mark.usefixtures("connection")
def test_a_request_for_a_connection_that_breaks_is_answered_with_what_an_admin_does(
    api: Client, linear: Tracker, acme: Workspace, workers: Workers
) -> None:
    filed = file(api)
    linear.revoke(acme)
    track(api, filed, team="ENG")
    workers.run()

    assert "/v1/connect/tracker" in track(api, filed, team="ENG").message


@pytest.mark.usefixtures("opening")
def test_a_request_costs_six_calls_and_three_where_the_signal_has_an_issue(
    api: Client, admin: Client, workers: Workers
) -> None:
    admin.patch("/v1/integrations/tracker", {"autoCreate": False})
    filed = file(api)
    with recorded_calls() as calls:
        track(api, filed)
    assert len(calls) == 6
    workers.run()
    with recorded_calls() as calls:
        track(api, filed)
    assert len(calls) == 3
