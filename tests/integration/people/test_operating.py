"""The operator's commands about people: `add-member` and `issue-token`."""

import json

import pytest

from helpdesk.accounts.members.errors import MemberNotFound
from helpdesk.accounts.organizations.errors import OrganizationNotFound
from helpdesk.accounts.organizations.record import Organization
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.people.errors import AlreadyAMember, InvalidEmail
from helpdesk.platform import clock
from helpdesk.storage import table
from scripts import admin as operator
from tests.support import table as whole_table
from tests.support.api import Client

HOUR_US = 3_600_000_000
START_US = 1_800_000_000_000_000


def run(*words: str) -> dict[str, str]:
    options = operator._parser().parse_args(list(words))
    output: dict[str, str] = options.run(options)
    return output


def add(organization: NewOrganization, email: str, role: str, *more: str) -> dict[str, str]:
    return run("add-member", organization.organization_id, "--email", email, "--role", role, *more)


@pytest.mark.parametrize("role", ["owner", "admin", "member"])
def test_a_new_person_becomes_a_member(api: Client, organization: NewOrganization, role: str) -> None:
    output = add(organization, " Grace@Example.com", role, "--name", "Grace Hopper")

    assert output == {
        "organization_id": organization.organization_id,
        "user_id": output["user_id"],
        "role": role,
    }
    (listed,) = [m for m in api.get("/v1/members").body["members"] if m["userId"] == output["user_id"]]
    assert (listed["name"], listed["email"], listed["role"]) == ("Grace Hopper", "grace@example.com", role)
    item = table.get(Organization.key_for(organization.organization_id))
    assert item is not None
    assert item["owners"] == (2 if role == "owner" else 1)
    entry = api.get("/v1/logs").body["logs"][0]
    assert (entry["kind"], entry["actor"]) == ("member_joined", "system")
    assert entry["summary"] == f"A person became a member with the role {role}."
    assert entry["detail"] == {"userId": output["user_id"], "userName": "Grace Hopper", "role": role}


def test_a_known_person_keeps_their_name(
    organization: NewOrganization, other_organization: NewOrganization
) -> None:
    first = add(organization, "grace@example.com", "member", "--name", "Grace Hopper")
    second = add(other_organization, "grace@example.com", "admin", "--name", "Somebody Else")

    assert first["user_id"] == second["user_id"]
    (person,) = [item for item in whole_table.of_kind("PERSON") if item["id"] == first["user_id"]]
    assert person["name"] == "Grace Hopper"
    assert {each: membership["role"] for each, membership in person["organizations"].items()} == {
        organization.organization_id: "member",
        other_organization.organization_id: "admin",
    }


def test_a_person_without_a_name_goes_by_the_address(api: Client, organization: NewOrganization) -> None:
    add(organization, "grace@example.com", "member")

    assert "grace" in [member["name"] for member in api.get("/v1/members").body["members"]]


def test_a_member_is_not_added_twice(organization: NewOrganization) -> None:
    add(organization, "grace@example.com", "member")
    before = whole_table.everything()

    for role in ("owner", "admin", "member"):
        with pytest.raises(AlreadyAMember):
            add(organization, "grace@example.com", role)

    assert whole_table.everything() == before


@pytest.mark.parametrize("role", ["owner", "member"])
def test_no_member_is_added_to_an_unknown_organization(role: str) -> None:
    with pytest.raises(OrganizationNotFound):
        run("add-member", "org_unknown", "--email", "grace@example.com", "--role", role)

    assert whole_table.of_kind("MEMBER#") == []
    assert whole_table.of_kind("ORG") == []


def test_an_invalid_address_is_refused(organization: NewOrganization) -> None:
    with pytest.raises(InvalidEmail):
        add(organization, "nobody", "member")


@pytest.mark.parametrize("words", [["--role", "boss"], []])
def test_a_role_is_one_of_the_three(words: list[str]) -> None:
    with pytest.raises(SystemExit):
        operator._parser().parse_args(["add-member", "org_1", "--email", "grace@example.com", *words])


def test_a_token_acts_as_the_member_and_is_not_in_the_table(
    organization: NewOrganization, capsys: pytest.CaptureFixture[str]
) -> None:
    add(organization, "grace@example.com", "admin", "--name", "Grace Hopper")

    output = run("issue-token", organization.organization_id, "--email", "Grace@example.com")

    assert set(output) == {"organization_id", "access_token"}
    me = Client(output["access_token"]).get("/v1/me").body
    assert me["user"]["name"] == "Grace Hopper"
    assert me["organization"]["id"] == organization.organization_id
    assert me["organization"]["role"] == "admin"
    assert output["access_token"].rpartition("_")[2] not in json.dumps(whole_table.everything(), default=str)
    assert "emergencies" in capsys.readouterr().err
    (token,) = whole_table.of_kind("TOKEN")
    assert (token["clientId"], token.get("grantId")) == ("operator", None)


@pytest.mark.parametrize(("words", "hours"), [([], 1), (["--hours", "720"], 720)])
def test_a_token_ends_after_its_hours(organization: NewOrganization, words: list[str], hours: int) -> None:
    add(organization, "grace@example.com", "member")
    with clock.frozen(lambda: START_US):
        output = run("issue-token", organization.organization_id, "--email", "grace@example.com", *words)
    client = Client(output["access_token"])

    with clock.frozen(lambda: START_US + hours * HOUR_US - 1_000):
        assert client.get("/v1/me").status == 200
    with clock.frozen(lambda: START_US + hours * HOUR_US):
        assert client.get("/v1/me").code == "invalid_token"
    (token,) = whole_table.of_kind("TOKEN")
    assert token["expiresAt"] == 1_800_000_000 + hours * 3_600 + 86_400


@pytest.mark.parametrize("hours", ["0", "721", "-1", "x", "1.5", ""])
def test_a_token_lasts_one_to_720_hours(hours: str) -> None:
    with pytest.raises(SystemExit):
        operator._parser().parse_args(["issue-token", "org_1", "--email", "a@example.com", "--hours", hours])


def test_a_token_is_issued_only_for_members(
    organization: NewOrganization, other_organization: NewOrganization
) -> None:
    add(other_organization, "grace@example.com", "owner")

    for email in ("grace@example.com", "nobody@example.com"):
        with pytest.raises(MemberNotFound):
            run("issue-token", organization.organization_id, "--email", email)

    assert whole_table.of_kind("TOKEN") == []


def test_an_issued_token_can_switch_organizations_and_ends_with_the_membership(
    organization: NewOrganization, other_organization: NewOrganization
) -> None:
    add(organization, "grace@example.com", "owner")
    add(other_organization, "grace@example.com", "member")
    output = run("issue-token", organization.organization_id, "--email", "grace@example.com")
    client = Client(output["access_token"])

    elsewhere = {"organizationId": other_organization.organization_id}
    assert client.post("/v1/me/organization", elsewhere).status == 200
    assert client.get("/v1/organization").body["id"] == other_organization.organization_id
    assert client.delete("/v1/me/organization").status == 200

    assert client.get("/v1/organization").code == "no_organization"


@pytest.mark.parametrize(
    ("chosen", "tier"),
    [
        ([], "highest"),
        (["--plan", "explore"], "explore"),
        (["--plan", "pro"], "higher"),
        (["--plan", "standard", "--api-limits"], "higher"),
        (["--unlimited-api"], "unlimited"),
    ],
)
def test_a_new_organization_is_on_the_highest_plan_unless_the_operator_names_another(
    chosen: list[str], tier: str
) -> None:
    created = run(
        *("create-organization", "--name", "Acme", "--slug", f"acme-{tier}"),
        *("--owner-name", "Ann", "--owner-email", "ann@example.com", *chosen),
    )

    assert Client(created["secret_key"]).get("/v1/billing/limits").body["tier"] == tier
