"""The name that records, the log and charts show for what people and secret keys did."""

from collections.abc import Iterator
from typing import Any

from helpdesk.accounts.members.record import Member
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.accounts.secret_keys import service as secret_keys
from helpdesk.api.admission.caller import Role
from helpdesk.api.http.schemas import Answer
from helpdesk.platform.digest import sha256_hex
from helpdesk.storage import table
from scripts.openapi.routes import all_routes
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.people import issue_token, make_person, token_of
from tests.support.table import of_kind


def _names(part: Any) -> Iterator[str]:
    """Return each value in a response that names who did something."""
    if isinstance(part, list):
        for each in part:
            yield from _names(each)
    elif isinstance(part, dict):
        for name, value in part.items():
            if isinstance(value, str) and (name.endswith("ByName") or name in {"actor", "decidedBy"}):
                yield value
            yield from _names(value)


def _act(client: Client) -> list[str]:
    """Create and change things of several kinds; return the paths at which they are read."""
    document = client.post("/v1/knowledge/documents", {"title": "Invoices", "body": "Text."}).body["id"]
    client.patch(f"/v1/knowledge/documents/{document}", {"title": "Bills"})
    signal = client.post("/v1/signals", {"kind": "bug", "title": "Export ends early"}).body["id"]
    client.patch(f"/v1/signals/{signal}", {"priority": "urgent"})
    task = client.post("/v1/tasks", {"title": "Mend the export"}).body["id"]
    client.patch("/v1/agent", {"name": "Robin"})
    customer = client.post("/v1/customers", {"name": "Vera"}).body["id"]
    client.post(f"/v1/customers/{customer}/facts", {"text": "Runs two shops."})
    paths = [
        "knowledge/documents",
        f"signals/{signal}",
        "tasks",
        f"tasks/{task}",
        f"customers/{customer}",
        "logs?kind=settings_changed",
    ]
    return [f"/v1/{path}" for path in paths]


def _shown(reader: Client, paths: list[str]) -> set[str]:
    """Return every name that responses show for who did something."""
    return {name for path in paths for name in _names(reader.get(path).body)}


def test_what_a_key_did_shows_its_name(organization: NewOrganization, admin: Client) -> None:
    made = admin.post("/v1/keys", {"name": "Production server"}).body
    assert _shown(admin, _act(Client(made["key"]))) == {"Production server"}


def test_what_an_imported_key_did_shows_its_name(organization: NewOrganization) -> None:
    old = "svc_key_old-shop-1234"
    secret_keys.import_legacy(organization.organization_id, "Old shop", sha256_hex(old))
    assert _shown(Client(old), _act(Client(old))) == {"Old shop"}


def _answers(model: type[Answer]) -> Iterator[type[Answer]]:
    for each in model.__subclasses__():
        yield each
        yield from _answers(each)


def test_every_response_with_the_name_of_who_did_something_has_the_id_beside_it() -> None:
    all_routes()  # defines every response
    named = {
        (model, field)
        for model in _answers(Answer)
        for field in model.model_fields
        if field.endswith("_by_name")
    }

    assert len(named) > 10
    assert [each for each in named if each[1].removesuffix("_name") not in each[0].model_fields] == []


def test_nobody_acts_in_the_name_of_another(
    organization: NewOrganization, admin: Client, api: Client
) -> None:
    me = admin.get("/v1/me").body["user"]
    admin.patch("/v1/me", {"name": "Olga Owner"})
    paths = [
        *_act(admin),
        "/v1/keys",
        "/v1/invites",
        "/v1/logs?kind=key_created",
        "/v1/logs?kind=invite_created",
    ]
    admin.post("/v1/keys", {"name": "Second"})
    admin.post("/v1/invites", {"email": "eve@example.com", "role": "member"})
    admin.patch("/v1/me", {"name": me["name"]})

    assert _shown(admin, paths) == {me["name"], "system"}  # the first key is the operator's


def test_beside_each_name_is_the_id(organization: NewOrganization, admin: Client, api: Client) -> None:
    me = admin.get("/v1/me").body["user"]
    [_, signal, _, task, customer, logs] = _act(admin)

    assert api.get(task).body["task"]["createdBy"] == me["id"]
    assert api.get(signal).body["signal"]["updatedBy"] == me["id"]
    assert api.get(customer).body["facts"][0]["createdBy"] == me["id"]
    assert api.get(logs).body["logs"][0]["actorId"] == me["id"]


def test_a_rename_is_in_the_log_of_each_organization(
    organization: NewOrganization, other_organization: NewOrganization
) -> None:
    both = [organization.organization_id, other_organization.organization_id]
    user_id = make_person(both[0], role="member", name="Max")
    join(user_id, both[1])

    Client(token_of(user_id, both[0])).patch("/v1/me", {"name": "Olga Owner"})

    for made in (organization, other_organization):
        [entry] = Client(made.secret_key).get("/v1/logs?kind=member_renamed").body["logs"]
        assert entry["summary"] == 'A member changed their name from "Max" to "Olga Owner".'
        assert (entry["actorId"], entry["detail"]) == (user_id, {"userId": user_id, "userName": "Olga Owner"})


def test_a_person_of_fifty_organizations_can_be_renamed() -> None:
    user_id = make_person(None, role="member", name="Max")
    homes = [f"org_{number:02}" for number in range(50)]
    for home in homes:
        join(user_id, home)

    answer = Client(token_of(user_id, None)).patch("/v1/me", {"name": "Maxine"})

    assert answer.status == 200
    assert {item["name"] for item in of_kind("MEMBER#")} == {"Maxine"}
    assert len(of_kind("LOG#")) == 50


def test_a_former_member_is_shown_with_the_name_that_they_left_with(
    organization: NewOrganization, admin: Client, api: Client
) -> None:
    user_id = admin.get("/v1/me").body["user"]["id"]
    paths = _act(admin)
    admin.patch("/v1/me", {"name": "Ada Byron"})
    owner = Client(token_of(organization.owner_id, organization.organization_id))
    owner.delete(f"/v1/members/{user_id}")
    admin.patch("/v1/me", {"name": "Olga Owner"})  # elsewhere

    assert _shown(api, paths) == {"Ada Byron"}


def test_the_names_of_a_list_cost_one_read(organization: NewOrganization, api: Client) -> None:
    for name in ("Ada", "Max", "Zoe"):
        client = Client(issue_token(organization.organization_id, role="member", name=name))
        client.post("/v1/knowledge/documents", {"title": name, "body": "Text."})

    with recorded_calls() as calls:
        found = api.get("/v1/knowledge/documents").body["documents"]

    assert [each["createdByName"] for each in found] == ["Zoe", "Max", "Ada"]
    assert calls.count("dynamodb:BatchGetItem") == 1


def join(user_id: str, organization: str) -> None:
    """Make a person a member, on both sides."""
    table.put_new(
        Member(
            organization=organization,
            user_id=user_id,
            name="Max",
            email="max@example.com",
            role=Role.MEMBER,
            joined_at=1,
        )
    )
    table.update(
        PersonRecord.key_for(user_id),
        "SET organizations.#o = :membership",
        names={"#o": organization},
        values={":membership": {"role": "member", "joinedAt": 1}},
    )
