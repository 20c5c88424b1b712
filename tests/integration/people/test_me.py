"""GET and PATCH /v1/me."""

from helpdesk.accounts.members.record import Member
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.api.admission.caller import Role
from helpdesk.platform import clock, ids
from helpdesk.storage import table
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.people import token_of


def test_a_person_without_an_organization_is_returned_alone(newcomer: Client, paula: str) -> None:
    answer = newcomer.get("/v1/me")

    assert answer.status == 200
    assert answer.body == {
        "user": {"id": paula, "name": "Paula Person", "email": "paula@example.com"},
        "organization": None,
        "organizations": [],
    }


def test_the_active_organization_and_all_others_are_returned_with_the_role_in_each(
    newcomer: Client, paula: str
) -> None:
    first = newcomer.post("/v1/organizations", {"name": "First", "slug": "first-one"}).body["id"]
    second = newcomer.post("/v1/organizations", {"name": "Second", "slug": "second-one"}).body["id"]
    table.update(
        PersonRecord.key_for(paula),
        "SET organizations.#o.#role = :role",
        names={"#o": first, "#role": "role"},
        values={":role": "member"},
    )

    body = newcomer.get("/v1/me").body

    assert body["organization"] == {"id": second, "name": "Second", "slug": "second-one", "role": "owner"}
    assert body["organizations"] == [
        {"id": first, "name": "First", "slug": "first-one", "role": "member"},
        {"id": second, "name": "Second", "slug": "second-one", "role": "owner"},
    ]


def test_a_person_who_left_the_active_organization_is_returned_without_it(
    admin: Client, organization: NewOrganization
) -> None:
    user_id = admin.get("/v1/me").body["user"]["id"]
    owner = Client(token_of(organization.owner_id, organization.organization_id))
    assert owner.delete(f"/v1/members/{user_id}").status == 200

    body = admin.get("/v1/me").body

    assert body["organization"] is None
    assert body["organizations"] == []
    assert body["user"]["name"] == "Ada Admin"


def test_a_changed_name_shows_everywhere(api: Client, admin: Client, organization: NewOrganization) -> None:
    answer = admin.patch("/v1/me", {"name": "  Ada \n Countess\u0007 of Lovelace "})

    assert answer.status == 200
    assert answer.body["user"]["name"] == "Ada Countess of Lovelace"
    assert answer.body["organization"]["id"] == organization.organization_id
    assert answer.body == admin.get("/v1/me").body
    names = [member["name"] for member in api.get("/v1/members").body["members"]]
    assert sorted(names) == ["Ada Countess of Lovelace", "Olga Owner"]


def test_a_name_changes_in_all_fifty_organizations_of_a_person(newcomer: Client, paula: str) -> None:
    homes = [ids.new("org") for _ in range(50)]
    for home in homes:
        member = Member(
            organization=home,
            user_id=paula,
            name="Paula Person",
            email="p@example.com",
            role=Role.MEMBER,
            joined_at=1,
        )
        table.put_new(member)
    table.update(
        PersonRecord.key_for(paula),
        "SET organizations = :homes",
        values={":homes": {home: {"role": "member", "joinedAt": 1} for home in homes}},
    )

    assert newcomer.patch("/v1/me", {"name": "Paula Renamed"}).status == 200

    assert {item["name"] for item in whole_table.of_kind("MEMBER#")} == {"Paula Renamed"}
    assert len(whole_table.of_kind("MEMBER#")) == 50


def test_a_name_that_stays_writes_nothing(newcomer: Client) -> None:
    newcomer.get("/v1/me")
    with recorded_calls() as calls:
        assert newcomer.patch("/v1/me", {"name": "Paula Person"}).status == 200

    assert "dynamodb:TransactWriteItems" not in calls


def test_a_refusal_of_a_persons_own_allowance_is_not_in_the_organizations_log(
    api: Client, admin: Client
) -> None:
    now = clock.now_us()
    with clock.frozen(lambda: now):
        answers = [admin.patch("/v1/me", {"name": "Ada Admin"}) for _ in range(31)]

    assert [answer.status for answer in answers] == [200] * 30 + [429]
    assert api.get("/v1/logs?kind=api_limit_reached").body["logs"] == []
