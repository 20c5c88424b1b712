"""Teams: their members, their names, and who may change them."""

from functools import partial

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.teams import service as teams
from helpdesk.accounts.teams.errors import MAX_TEAM_MEMBERS, MAX_TEAMS
from helpdesk.accounts.teams.schemas import TeamInput
from helpdesk.api.admission.caller import Caller
from helpdesk.platform.errors import AppError
from tests.support.api import Client
from tests.support.interleaving import interleaved
from tests.support.people import make_person, token_of


@pytest.fixture
def ada(organization: NewOrganization) -> str:
    return make_person(organization.organization_id, role="member", name="Ada")


@pytest.fixture
def max_(organization: NewOrganization) -> str:
    return make_person(organization.organization_id, role="member", name="Max")


def listed(api: Client) -> list[tuple[str, list[str]]]:
    return [(team["name"], team["memberIds"]) for team in api.get("/v1/teams").body["teams"]]


def test_teams_are_listed_in_the_order_in_which_they_were_created_until_they_are_deleted(
    api: Client, ada: str, max_: str
) -> None:
    assert listed(api) == []
    billing = api.post("/v1/teams", {"name": " Billing ", "memberIds": [max_, ada, max_]}).body
    api.post("/v1/teams", {"name": "Accounts"})

    assert billing == {"id": billing["id"], "name": "Billing", "memberIds": [max_, ada]}
    assert listed(api) == [("Billing", [max_, ada]), ("Accounts", [])]

    assert api.delete(f"/v1/teams/{billing['id']}").body == {"ok": True}
    assert listed(api) == [("Accounts", [])]


def test_a_change_leaves_what_is_omitted_as_it_is(api: Client, ada: str, max_: str) -> None:
    team = api.post("/v1/teams", {"name": "Billing", "memberIds": [ada]}).body["id"]

    renamed = api.patch(f"/v1/teams/{team}", {"name": "Invoices"}).body
    assert renamed == {"id": team, "name": "Invoices", "memberIds": [ada]}
    assert api.patch(f"/v1/teams/{team}", {"memberIds": [max_]}).body["memberIds"] == [max_]
    assert api.patch(f"/v1/teams/{team}", {"memberIds": []}).body["memberIds"] == []
    assert listed(api) == [("Invoices", [])]


def test_a_member_who_leaves_the_organization_is_in_no_team(
    api: Client, organization: NewOrganization, ada: str, max_: str
) -> None:
    api.post("/v1/teams", {"name": "Billing", "memberIds": [ada, max_]})

    Client(token_of(ada, organization.organization_id)).delete("/v1/me/organization")

    assert listed(api) == [("Billing", [max_])]


def test_a_name_is_of_one_team_whatever_its_case(api: Client) -> None:
    billing = api.post("/v1/teams", {"name": "Billing"}).body["id"]
    accounts = api.post("/v1/teams", {"name": "Accounts"}).body["id"]

    for answer in (
        api.post("/v1/teams", {"name": "BILLING"}),
        api.patch(f"/v1/teams/{accounts}", {"name": "billing"}),
    ):
        assert (answer.status, answer.code) == (409, "team_exists")
    assert api.patch(f"/v1/teams/{billing}", {"name": "BILLING"}).body["name"] == "BILLING"


@pytest.mark.parametrize("who", ["usr_unknown", "", "#", "stranger"])
def test_a_team_has_members_of_the_organization_only(
    api: Client, other_organization: NewOrganization, ada: str, who: str
) -> None:
    if who == "stranger":
        who = make_person(other_organization.organization_id, role="owner", name="Stranger")

    answer = api.post("/v1/teams", {"name": "Billing", "memberIds": [ada, who]})

    assert (answer.status, answer.code) == (400, "not_a_member")
    assert listed(api) == []


@pytest.mark.parametrize("name", ["", "  ", "\u200b", "a" * 81])
def test_a_name_has_1_to_80_characters(api: Client, name: str) -> None:
    assert api.post("/v1/teams", {"name": name}).code == "invalid_request"


def test_a_team_has_at_most_100_members(api: Client) -> None:
    answer = api.post("/v1/teams", {"name": "All", "memberIds": [f"usr_{n}" for n in range(101)]})

    assert MAX_TEAM_MEMBERS == 100
    assert (answer.status, answer.code) == (400, "invalid_request")
    assert "100" in answer.message


def test_an_unknown_team_is_not_found(api: Client, stranger: Client) -> None:
    team = api.post("/v1/teams", {"name": "Billing"}).body["id"]

    for answer in (
        api.patch("/v1/teams/team_unknown", {"name": "A"}),
        api.delete("/v1/teams/team_unknown"),
        stranger.patch(f"/v1/teams/{team}", {"name": "A"}),
        stranger.delete(f"/v1/teams/{team}"),
    ):
        assert (answer.status, answer.code) == (404, "team_not_found")


def test_a_member_lists_teams_and_does_not_change_them(api: Client, member: Client) -> None:
    team = api.post("/v1/teams", {"name": "Billing"}).body["id"]

    assert listed(member) == [("Billing", [])]
    for answer in (
        member.post("/v1/teams", {"name": "Mine"}),
        member.patch(f"/v1/teams/{team}", {"name": "Mine"}),
        member.delete(f"/v1/teams/{team}"),
    ):
        assert answer.code == "forbidden"


def test_the_log_says_who_changed_which_team(api: Client) -> None:
    team = api.post("/v1/teams", {"name": "Billing"}).body["id"]
    api.patch(f"/v1/teams/{team}", {"name": "Billing"})  # it changes nothing
    api.delete(f"/v1/teams/{team}")

    entries = api.get("/v1/logs?kind=settings_changed").body["logs"]
    assert [each["summary"] for each in entries] == [
        f"The team {team} was deleted.",
        'The team "Billing" was created.',
    ]


@pytest.mark.parametrize("seed", range(6))
def test_of_teams_created_at_once_one_has_the_name_and_none_exceeds_the_limit(
    organization: NewOrganization, seed: int
) -> None:
    caller = Caller(organization.organization_id, key_id="key_1")
    for number in range(MAX_TEAMS - 2):
        teams.create(caller, TeamInput(name=f"Team {number}"))

    names = ("New", "new", "Newer", "Newest")
    outcomes = interleaved([partial(teams.create, caller, TeamInput(name=name)) for name in names], seed)

    assert len(teams.listed(caller.organization).teams) == 50
    refused = sorted(error.code for error in outcomes.errors if isinstance(error, AppError))
    assert len(refused) == 2
    assert set(refused) <= {"team_exists", "too_many_teams"}
