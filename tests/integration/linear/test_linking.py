"""POST /signals/{id}/tracker: a new issue, or one that is there, and what Linear says where it refuses."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.integrations import service as integrations
from helpdesk.integrations.record import Connection
from tests.integration.linear.conftest import Issues
from tests.support.api import Answer, Client
from tests.support.aws import recorded_calls


def track(api: Client, signal_id: str, **wanted: Any) -> Answer:
    return api.post(f"/v1/signals/{signal_id}/tracker", wanted)


def linked(api: Client, signal_id: str) -> str | None:
    tracker = api.get(f"/v1/signals/{signal_id}").body["signal"]["tracker"]
    return None if tracker is None else str(tracker["identifier"])


@pytest.mark.usefixtures("connection")
@pytest.mark.parametrize("team", ["ENG", "eng", " Engineering "])
def test_a_team_opens_an_issue_once(issues: Issues, team: str) -> None:
    filed = issues.file()
    answers = [track(issues.api, filed, team=team) for _ in range(3)]
    issues.run()

    assert [(each.status, each.body) for each in answers] == [(202, {"tracker": None})] * 3
    assert issues.acme.shown() == {"ENG-1": ("The export stops", "Backlog")}
    shown = track(issues.api, filed, team=team)
    url = "https://linear.app/acme/issue/ENG-1/a-title"
    assert shown.body == {"tracker": {"identifier": "ENG-1", "url": url}}
    assert track(issues.api, filed, team="a team that is not there").code == "team_not_found"


@pytest.mark.usefixtures("opening")
def test_the_team_that_is_set_is_the_one_where_none_is_named(issues: Issues, admin: Client) -> None:
    admin.patch("/v1/integrations/tracker", {"autoCreate": False})
    filed = issues.file()
    track(issues.api, filed)
    issues.run()

    assert linked(issues.api, filed) == "ENG-1"


@pytest.mark.usefixtures("connection")
def test_an_issue_that_is_there_is_linked_and_neither_moves(issues: Issues) -> None:
    issues.linear.add(issues.acme, "Exports are cut", state="In Progress")
    filed = issues.file()
    assert track(issues.api, filed, identifier="eng-1").body == {"tracker": None}
    issues.run()

    assert linked(issues.api, filed) == "ENG-1"
    assert issues.api.get(f"/v1/signals/{filed}").body["signal"]["status"] == "open"
    assert issues.acme.shown() == {"ENG-1": ("Exports are cut", "In Progress")}
    issues.hear(issues.moved("ENG-1", "Done"))
    assert issues.api.get(f"/v1/signals/{filed}").body["signal"]["status"] == "done"


@pytest.mark.usefixtures("connection")
def test_another_issue_takes_the_place_of_the_first(issues: Issues) -> None:
    filed = issues.file()
    track(issues.api, filed, team="ENG")
    issues.run()
    issues.linear.add(issues.acme, "Exports are cut")
    track(issues.api, filed, identifier="ENG-2")
    issues.run()
    assert linked(issues.api, filed) == "ENG-2"

    issues.send(issues.moved("ENG-1", "Done"))  # it is no longer the signal's
    issues.run()
    assert issues.api.get(f"/v1/signals/{filed}").body["signal"]["status"] == "open"
    track(issues.api, filed, identifier="ENG-1")
    issues.run()
    assert linked(issues.api, filed) == "ENG-1"


@pytest.mark.usefixtures("connection")
def test_an_issue_belongs_to_one_signal(issues: Issues) -> None:
    issues.linear.add(issues.acme, "Exports are cut")
    first, second = issues.file(), issues.file("Exports end early")
    track(issues.api, first, identifier="ENG-1")
    issues.run()
    track(issues.api, second, identifier="ENG-1")
    issues.run()

    assert (linked(issues.api, first), linked(issues.api, second)) == ("ENG-1", None)
    refused = track(issues.api, second, identifier="ENG-1")
    assert (refused.status, refused.code) == (400, "tracker_failed")
    assert f"ENG-1 is the issue of the signal {first}." in refused.message


@pytest.mark.usefixtures("connection")
def test_linears_words_are_the_answer_to_the_same_request_which_is_tried_again(issues: Issues) -> None:
    filed = issues.file()
    assert track(issues.api, filed, identifier="ENG-7").status == 202
    issues.run()
    refused = track(issues.api, filed, identifier="ENG-7")
    assert (refused.status, refused.code) == (400, "tracker_failed")
    assert "Could not find referenced Issue." in refused.message
    assert track(issues.api, filed, team="ENG").status == 202  # another request

    while "ENG-7" not in issues.acme.shown():
        issues.linear.add(issues.acme, "One more")
    issues.run()
    track(issues.api, filed, identifier="ENG-7")
    issues.run()
    assert linked(issues.api, filed) == "ENG-7"


@pytest.mark.usefixtures("connection")
def test_an_issue_that_was_deleted_is_not_linked(issues: Issues) -> None:
    issues.linear.add(issues.acme, "Exports are cut")
    issues.linear.delete(issues.acme, "ENG-1")
    filed = issues.file()
    track(issues.api, filed, identifier="ENG-1")
    issues.run()

    assert "ENG-1 was deleted." in track(issues.api, filed, identifier="ENG-1").message


def test_what_cannot_be_done_is_refused(
    issues: Issues, stranger: Client, connect: Callable[..., Connection]
) -> None:
    filed = issues.file()
    assert track(issues.api, filed, team="ENG").code == "tracker_not_connected"
    assert track(stranger, filed, team="ENG").code == "signal_not_found"
    connection = connect(issues.acme)
    assert track(issues.api, "signal_unknown", team="ENG").code == "signal_not_found"
    assert track(issues.api, filed, team="ENG", identifier="ENG-1").code == "invalid_request"
    for identifier in (" ", "E" * 41, "E" * 500_000):
        assert track(issues.api, filed, identifier=identifier).code == "invalid_request"
    assert track(issues.api, filed, team=3).code == "invalid_request"
    unset = track(issues.api, filed)
    assert (unset.status, unset.code) == (404, "team_not_found")
    assert unset.message == "Name a team. The teams are ENG (Engineering)."
    unknown = track(issues.api, filed, team="OPS")
    assert (unknown.status, unknown.code) == (404, "team_not_found")
    assert unknown.message == "No team has this name. The teams are ENG (Engineering)."

    integrations.mark_broken(connection, "The app was removed from Linear.")
    broken = track(issues.api, filed, team="ENG")
    assert (broken.status, broken.code) == (400, "tracker_failed")
    assert broken.message == "The app was removed from Linear."


@pytest.mark.usefixtures("connection")
def test_a_request_for_a_connection_that_breaks_is_answered_with_what_an_admin_does(issues: Issues) -> None:
    filed = issues.file()
    issues.linear.revoke(issues.acme)
    track(issues.api, filed, team="ENG")
    issues.run()

    assert "/v1/connect/tracker" in track(issues.api, filed, team="ENG").message


@pytest.mark.usefixtures("opening")
def test_a_request_costs_three_calls_where_the_signal_has_an_issue(issues: Issues) -> None:
    filed = issues.filed()
    with recorded_calls() as calls:
        track(issues.api, filed)
    assert len(calls) == 3
