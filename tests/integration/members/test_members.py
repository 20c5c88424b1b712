"""GET /v1/members, PATCH and DELETE /v1/members/{userId}: who is in the organization, and who may change whom."""

from dataclasses import dataclass

import pytest

from helpdesk.accounts.members.record import Member
from helpdesk.accounts.organizations.record import Organization
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.platform import clock
from helpdesk.storage import table
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.people import make_person, token_of


@dataclass(frozen=True)
class Team:
    """One person of each role beside the organization's first owner, and the API as each sees it."""

    organization: str
    ids: dict[str, str]
    clients: dict[str, Client]

    def roles(self) -> dict[str, str]:
        """What is listed, by who it is."""
        listed = self.clients["owner"].get("/v1/members").body["members"]
        names = {user_id: name for name, user_id in self.ids.items()}
        return {names[member["userId"]]: member["role"] for member in listed if member["userId"] in names}


@pytest.fixture
def team(organization: NewOrganization) -> Team:
    """Two owners, two admins, two members; the first owner came with the organization."""
    place = organization.organization_id
    ids = {"owner": organization.owner_id}
    for name in ("second owner", "admin", "second admin", "member", "second member"):
        ids[name] = make_person(place, role=name.rpartition(" ")[2], name=name.title())
    return Team(place, ids, {name: Client(token_of(user_id, place)) for name, user_id in ids.items()})


def owners_counted(organization: str) -> int:
    item = table.get(Organization.key_for(organization))
    assert item is not None
    return int(item["owners"])


def test_members_are_listed_with_all_their_fields(organization: NewOrganization) -> None:
    with clock.frozen(lambda: 1_900_000_000_000_000):
        user_id = make_person(
            organization.organization_id, role="admin", name="Ada Admin", email="ada@example.com"
        )
    answer = Client(organization.secret_key).get("/v1/members")

    assert answer.status == 200
    assert set(answer.body) == {"members", "nextCursor"}
    assert answer.body["nextCursor"] is None
    (_, listed) = answer.body["members"]
    assert listed == {
        "userId": user_id,
        "name": "Ada Admin",
        "email": "ada@example.com",
        "role": "admin",
        "joinedAt": 1_900_000_000_000,
    }


# Who changes whom to what; None is ok. Written by hand from the rules of roles.
CHANGES: dict[tuple[str, str, str], str | None] = {
    ("owner", "second owner", "owner"): None,
    ("owner", "second owner", "admin"): None,
    ("owner", "second owner", "member"): None,
    ("owner", "admin", "owner"): None,
    ("owner", "admin", "admin"): None,
    ("owner", "admin", "member"): None,
    ("owner", "member", "owner"): None,
    ("owner", "member", "admin"): None,
    ("owner", "member", "member"): None,
    ("admin", "second owner", "owner"): "outranked",
    ("admin", "second owner", "admin"): "outranked",
    ("admin", "second owner", "member"): "outranked",
    ("admin", "second admin", "owner"): "cannot_grant",
    ("admin", "second admin", "admin"): None,
    ("admin", "second admin", "member"): None,
    ("admin", "member", "owner"): "cannot_grant",
    ("admin", "member", "admin"): None,
    ("admin", "member", "member"): None,
    ("owner", "owner", "member"): "cannot_manage_self",
    ("owner", "owner", "owner"): "cannot_manage_self",
    ("admin", "admin", "owner"): "cannot_manage_self",
    ("member", "second member", "admin"): "forbidden",
    ("member", "member", "member"): "forbidden",
}


@pytest.mark.parametrize(("who", "whom", "role"), CHANGES)
def test_roles_decide_who_changes_a_role(team: Team, who: str, whom: str, role: str) -> None:
    expected = CHANGES[who, whom, role]
    before = team.roles()

    answer = team.clients[who].patch(f"/v1/members/{team.ids[whom]}", {"role": role})

    if expected is None:
        assert (answer.status, answer.body) == (200, {"ok": True})
        assert team.roles() == before | {whom: role}
    else:
        assert (answer.status, answer.code) == (403 if expected == "forbidden" else 400, expected)
        assert team.roles() == before
    assert owners_counted(team.organization) == list(team.roles().values()).count("owner")


# Who removes whom.
REMOVALS: dict[tuple[str, str], str | None] = {
    ("owner", "second owner"): None,
    ("owner", "admin"): None,
    ("owner", "member"): None,
    ("admin", "second owner"): "outranked",
    ("admin", "second admin"): None,
    ("admin", "member"): None,
    ("owner", "owner"): "cannot_manage_self",
    ("admin", "admin"): "cannot_manage_self",
    ("member", "second member"): "forbidden",
    ("member", "member"): "forbidden",
}


@pytest.mark.parametrize(("who", "whom"), REMOVALS)
def test_roles_decide_who_removes_a_member(team: Team, who: str, whom: str) -> None:
    expected = REMOVALS[who, whom]
    before = team.roles()

    answer = team.clients[who].delete(f"/v1/members/{team.ids[whom]}")

    if expected is None:
        assert (answer.status, answer.body) == (200, {"ok": True})
        assert team.roles() == {name: role for name, role in before.items() if name != whom}
    else:
        assert (answer.status, answer.code) == (403 if expected == "forbidden" else 400, expected)
        assert team.roles() == before
    assert owners_counted(team.organization) == list(team.roles().values()).count("owner")


def test_a_changed_role_counts_with_the_next_request(team: Team) -> None:
    assert team.clients["member"].get("/v1/webhooks").code == "forbidden"
    team.clients["owner"].patch(f"/v1/members/{team.ids['member']}", {"role": "admin"})
    assert team.clients["member"].get("/v1/webhooks").status == 200

    team.clients["owner"].patch(f"/v1/members/{team.ids['member']}", {"role": "member"})

    assert team.clients["member"].get("/v1/webhooks").code == "forbidden"


def test_a_removed_persons_token_is_refused_with_the_next_request(team: Team) -> None:
    removed = team.clients["admin"]
    assert removed.get("/v1/members").status == 200

    team.clients["owner"].delete(f"/v1/members/{team.ids['admin']}")

    answer = removed.get("/v1/members")
    assert (answer.status, answer.code) == (401, "invalid_token")
    assert removed.post("/v1/me/organization", {"organizationId": team.organization}).code == "org_not_found"


def test_a_removal_leaves_nothing_of_the_membership(team: Team) -> None:
    team.clients["owner"].delete(f"/v1/members/{team.ids['member']}")

    assert table.get(Member.key_for(team.organization, team.ids["member"])) is None
    person = table.get(PersonRecord.key_for(team.ids["member"]))
    assert person is not None
    assert person["organizations"] == {}


def test_a_removed_member_is_not_found(team: Team) -> None:
    path = f"/v1/members/{team.ids['member']}"
    assert team.clients["owner"].delete(path).status == 200

    assert team.clients["owner"].delete(path).code == "member_not_found"
    assert team.clients["owner"].patch(path, {"role": "admin"}).code == "member_not_found"


def test_a_role_that_stays_writes_nothing_and_logs_nothing(team: Team) -> None:
    before = whole_table.of_kind("LOG#")
    with recorded_calls() as calls:
        team.clients["owner"].patch(f"/v1/members/{team.ids['admin']}", {"role": "admin"})

    assert "dynamodb:TransactWriteItems" not in calls
    assert whole_table.of_kind("LOG#") == before


def test_changes_are_logged_with_who_did_them(team: Team, api: Client) -> None:
    team.clients["owner"].patch(f"/v1/members/{team.ids['member']}", {"role": "admin"})
    team.clients["second owner"].delete(f"/v1/members/{team.ids['member']}")

    removed, changed = api.get("/v1/logs").body["logs"][:2]
    assert (changed["kind"], changed["actor"]) == ("member_role_changed", "Olga Owner")
    assert changed["summary"] == "A member's role was changed from member to admin."
    assert changed["detail"] == {"userId": team.ids["member"], "userName": "Member", "role": "admin"}
    assert (removed["kind"], removed["actor"]) == ("member_removed", "Second Owner")
    assert removed["summary"] == "A member was removed."
    assert removed["detail"] == {"userId": team.ids["member"], "userName": "Member"}
