"""GET and PATCH /integrations/tracker: the team, its states, and the teams that there are."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.integrations.record import Connection
from scripts.services.tracker import Tracker, Workspace
from tests.support.api import Client
from tests.support.integrations import later
from tests.support.workers import Workers

PATH = "/v1/integrations/tracker"
USUAL = {
    "open": "Backlog",
    "planned": "Todo",
    "inProgress": "In Progress",
    "inReview": "In Review",
    "done": "Done",
    "declined": "Canceled",
}


@pytest.mark.usefixtures("connection")
def test_a_team_is_named_by_its_key_or_name_and_has_the_usual_states(
    admin: Client, member: Client, acme: Workspace
) -> None:
    before = member.get(PATH).body
    assert (before["team"], before["autoCreate"], before["problem"]) == (None, False, None)
    assert set(before["states"].values()) == {None}
    [team] = before["teams"]
    assert (team["key"], team["name"]) == ("ENG", "Engineering")
    assert team["states"][0] == {"name": "Triage", "type": "triage"}

    for named in ("eng", "Engineering"):
        changed = admin.patch(PATH, {"team": named, "autoCreate": True})
        assert changed.status == 200
        assert changed.body == member.get(PATH).body
        assert (changed.body["team"], changed.body["autoCreate"]) == ("ENG", True)
        assert changed.body["states"] == USUAL
    assert admin.patch(PATH, {}).body == member.get(PATH).body


@pytest.mark.usefixtures("connection")
def test_states_are_named_one_by_one_and_an_empty_name_chooses_the_usual_one(
    admin: Client, acme: Workspace
) -> None:
    admin.patch(PATH, {"team": "ENG"})
    named = admin.patch(PATH, {"states": {"inReview": "done", "open": "Triage"}}).body["states"]
    assert named == {**USUAL, "inReview": "Done", "open": "Triage"}
    named = admin.patch(PATH, {"states": {"inReview": ""}}).body["states"]
    assert named == {**USUAL, "open": "Triage"}

    refused = admin.patch(PATH, {"states": {"done": "Shipped"}})
    assert (refused.status, refused.code) == (400, "invalid_request")
    assert "Triage, Backlog, Todo, In Progress, In Review, Done, Canceled, Duplicate" in refused.message
    assert admin.patch(PATH, {"states": {"finished": "Done"}}).code == "invalid_request"


@pytest.mark.usefixtures("connection")
def test_another_team_begins_with_the_usual_states(
    admin: Client, linear: Tracker, acme: Workspace, workers: Workers
) -> None:
    admin.patch(PATH, {"team": "ENG", "states": {"open": "Triage"}})
    acme.team("OPS", "Operations", {"Inbox": "unstarted", "Doing": "started", "Closed": "completed"})
    refused = admin.patch(PATH, {"team": "OPS"})
    assert (refused.status, refused.code) == (404, "team_not_found")
    assert refused.message == "No team has this name. The teams are ENG (Engineering)."
    workers.run()  # the teams were asked for

    assert admin.patch(PATH, {"team": "OPS"}).body["states"] == {
        "open": "Inbox",
        "planned": "Inbox",
        "inProgress": "Doing",
        "inReview": "Doing",
        "done": "Closed",
        "declined": None,
    }


@pytest.mark.usefixtures("connection")
def test_teams_that_are_gone_are_listed_no_more(
    admin: Client, acme: Workspace, workers: Workers, linear: Tracker
) -> None:
    for number in range(30):  # more than Linear lists at a time
        acme.team(f"T{number:02d}", f"Team {number}")
    admin.patch(PATH, {"team": "T29"})
    workers.run()
    assert len(admin.get(PATH).body["teams"]) == 31
    for team in [each for each in acme.teams.values() if each.key != "ENG"]:
        del acme.teams[team.id]
    admin.patch(PATH, {"team": "OPS"})
    workers.run()
    assert len(admin.get(PATH).body["teams"]) == 31  # they are asked for once a minute
    with later(61):
        admin.patch(PATH, {"team": "OPS"})
        workers.run()
    assert [each["key"] for each in admin.get(PATH).body["teams"]] == ["ENG"]


def test_what_cannot_be_set_is_refused(
    admin: Client,
    member: Client,
    stranger: Client,
    connect: Callable[..., Connection],
    acme: Workspace,
) -> None:
    assert admin.get(PATH).code == "tracker_not_connected"
    assert admin.patch(PATH, {"team": "ENG"}).code == "tracker_not_connected"
    connect(acme)
    assert stranger.get(PATH).code == "tracker_not_connected"
    assert stranger.patch(PATH, {"team": "ENG"}).code == "tracker_not_connected"
    assert member.patch(PATH, {"team": "ENG"}).code == "forbidden"
    assert admin.patch(PATH, {"autoCreate": True}).code == "team_not_found"
    assert admin.patch(PATH, {"states": {"done": "Done"}}).code == "team_not_found"
    assert admin.patch(PATH, {"autoCreate": "yes"}).code == "invalid_request"


@pytest.mark.usefixtures("connection")
def test_a_team_of_another_workspace_is_none(
    admin: Client, linear: Tracker, connect: Callable[..., Connection]
) -> None:
    admin.patch(PATH, {"team": "ENG", "autoCreate": True})
    connect(linear.workspace("Other"))

    shown = admin.get(PATH).body
    assert (shown["team"], shown["autoCreate"]) == (None, False)


@pytest.mark.usefixtures("connection")
def test_null_changes_nothing_and_is_not_in_the_log(admin: Client) -> None:
    set_to = admin.patch(PATH, {"team": "ENG", "autoCreate": True}).body
    before = admin.get("/v1/logs").body["logs"]
    nulls: list[dict[str, Any]] = [
        {"team": None},
        {"autoCreate": None, "states": None},
        {"states": {"open": None}},
    ]
    for body in (*nulls, {"states": {}}):
        assert admin.patch(PATH, body).body == set_to

    assert admin.get("/v1/logs").body["logs"] == before


@pytest.mark.usefixtures("connection")
def test_a_change_is_in_the_log(admin: Client) -> None:
    admin.patch(PATH, {"team": "ENG", "autoCreate": True, "states": {"open": "Triage"}})

    [entry] = [each for each in admin.get("/v1/logs").body["logs"] if each["kind"] == "integration_changed"]
    assert entry["summary"] == "Linear (Acme) was set to the team ENG, new issues on, other states."
    assert entry["actor"] == "Ada Admin"
