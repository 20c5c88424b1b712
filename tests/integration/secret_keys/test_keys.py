"""Creating and listing secret keys, and who may."""

import re
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import clock
from helpdesk_webhooks import webhook_secret
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.people import issue_token

FIELDS = {
    "id",
    "name",
    "hint",
    "createdAt",
    "createdBy",
    "createdByName",
    "lastUsedAt",
    "revokedAt",
    "legacy",
}
START = 4_000_000_000_000  # ms; later than now, so that tokens hold


def make(client: Client, name: str = "Shop server") -> dict[str, str]:
    answer = client.post("/v1/keys", {"name": name})
    assert answer.status == 200, answer
    made: dict[str, str] = answer.body
    return made


def listed(client: Client) -> list[dict[str, Any]]:
    keys: list[dict[str, Any]] = client.get("/v1/keys").body["keys"]
    return keys


def test_a_new_key_is_shown_once_and_opens_the_api(organization: NewOrganization, admin: Client) -> None:
    made = make(admin)

    suffix = organization.organization_id.removeprefix("org_")
    assert set(made) == {"id", "key"}
    assert re.fullmatch(r"key_[0-9a-z]{26}", made["id"])
    assert re.fullmatch(rf"svc_key_{suffix}_[0-9A-Za-z]{{43}}", made["key"])
    assert Client(made["key"]).get("/v1/billing/limits").status == 200
    assert Client(made["key"]).post("/v1/messages", {"session": "session-1", "body": "Hi"}).status == 200
    assert (
        Client(made["key"]).post("/v1/uploads", {"name": "a.txt", "type": "text/plain", "size": 1}).status
        == 200
    )
    assert made["key"] not in repr(whole_table.everything())
    assert made["key"].rpartition("_")[2] not in repr(whole_table.everything())
    assert made["key"] not in repr(listed(admin))


@pytest.mark.parametrize(("days", "is_listed"), [(89, True), (91, False)])
def test_a_revoked_key_is_listed_for_90_days(
    admin: Client, organization: NewOrganization, days: int, is_listed: bool
) -> None:
    made = make(admin, "Second")
    admin.delete(f"/v1/keys/{made['id']}")
    later = clock.now_us() + days * 86_400_000_000

    with clock.frozen(lambda: later):
        then = Client(issue_token(organization.organization_id, role="admin", name="Ada"))
        assert ("Second" in [key["name"] for key in listed(then)]) is is_listed


def test_a_new_key_is_listed_last_with_its_creator(organization: NewOrganization) -> None:
    with clock.frozen(lambda: START * 1_000 + 999):
        admin = Client(issue_token(organization.organization_id, role="admin", name="Ada Admin"))
        made = make(admin, "  Shop server ")
        first, second = listed(admin)

    assert second == {
        "id": made["id"],
        "name": "Shop server",
        "hint": made["key"][-4:],
        "createdAt": START,
        "createdBy": second["createdBy"],
        "createdByName": "Ada Admin",
        "lastUsedAt": None,
        "revokedAt": None,
        "legacy": False,
    }
    assert set(first) == FIELDS
    assert (first["name"], first["createdByName"]) == ("First key", "system")


def test_an_organizations_first_key_is_listed_with_its_last_four_characters(
    organization: NewOrganization, admin: Client
) -> None:
    assert [key["hint"] for key in listed(admin)] == [organization.secret_key[-4:]]


def test_the_last_use_of_a_key_covers_all_request_classes(organization: NewOrganization) -> None:
    now = START
    with clock.frozen(lambda: now * 1_000):
        admin = Client(issue_token(organization.organization_id, role="admin", name="Ada"))
        client = Client(make(admin)["key"])
        shown: list[int | None] = [listed(admin)[1]["lastUsedAt"]]
        for method, path, body in (
            ("GET", "/v1/agent", None),
            ("POST", "/v1/messages", {"session": "session-1", "body": "Hi"}),
            ("POST", "/v1/uploads", {"name": "a.txt", "type": "text/plain", "size": 1}),
            ("GET", "/v1/agent", None),
        ):
            now += 1_000
            assert client.request(method, path, body).status == 200
            shown.append(listed(admin)[1]["lastUsedAt"])

    assert shown == [None, START + 1_000, START + 2_000, START + 3_000, START + 4_000]


def test_a_new_keys_signing_secrets_are_stored_separately_and_match_what_clients_derive(
    organization: NewOrganization, admin: Client
) -> None:
    made = make(admin)

    (item,) = [
        item
        for item in whole_table.of_kind(f"KEY#{made['id']}")
        if item["PK"] == f"ORG#{organization.organization_id}#SECRET"
    ]
    assert item["webhooks"] == webhook_secret(made["key"])
    assert re.fullmatch(r"[0-9a-f]{64}", item["tools"])
    assert item["tools"] != item["webhooks"]
    assert item["webhooks"] not in repr(listed(admin))


def test_a_webhook_that_a_person_adds_is_signed_with_the_newest_key(admin: Client) -> None:
    make(admin)
    newest = make(admin)

    admin.post("/v1/webhooks", {"url": "https://93.184.215.14/", "events": ["message.created"]})

    (endpoint,) = admin.get("/v1/webhooks").body["webhooks"]
    assert endpoint["keyId"] == newest["id"]


def test_an_eleventh_key_is_refused_and_a_revocation_makes_room(admin: Client) -> None:
    made = [make(admin, f"Server {number}") for number in range(9)]

    answer = admin.post("/v1/keys", {"name": "One too many"})

    assert (answer.status, answer.code) == (400, "too_many_keys")
    assert "10" in answer.message
    assert admin.delete(f"/v1/keys/{made[0]['id']}").status == 200
    make(admin)
    assert admin.post("/v1/keys", {"name": "One too many"}).code == "too_many_keys"
    assert sum(key["revokedAt"] is None for key in listed(admin)) == 10


def test_creating_and_revoking_are_logged_with_the_actor_and_the_keys_name(admin: Client) -> None:
    made = make(admin, "Shop")
    admin.delete(f"/v1/keys/{made['id']}")

    revoked, created = admin.get("/v1/logs?limit=2").body["logs"]

    assert [(entry["kind"], entry["actor"]) for entry in (created, revoked)] == [
        ("key_created", "Ada Admin"),
        ("key_revoked", "Ada Admin"),
    ]
    assert created["summary"] == 'The secret key "Shop" was created.'
    assert revoked["summary"] == 'The secret key "Shop" was revoked.'
    assert created["detail"] == revoked["detail"] == {"keyId": made["id"], "name": "Shop"}
