"""Keys from before the current scheme, which the operator imports by their hash."""

import hashlib

import pytest

from helpdesk.accounts.organizations.errors import OrganizationNotFound
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.secret_keys import service as secret_keys
from helpdesk.accounts.secret_keys.errors import InvalidKeyName, KeyExists, TooManyKeys
from helpdesk.platform.errors import InvalidRequest
from scripts import admin as operator
from tests.support import table as whole_table
from tests.support.api import Client
from tests.support.aws import recorded_calls

OLD = "svc_key_of-the-year-2019"
NEW_ENDPOINT = {"url": "https://93.184.215.14/hook", "events": ["message.created"]}


def hashed(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def take_in(organization: NewOrganization, key: str = OLD) -> str:
    return secret_keys.import_legacy(organization.organization_id, "Old shop", hashed(key))


def revoke_all_others(admin: Client, key_id: str) -> None:
    for key in admin.get("/v1/keys").body["keys"]:
        if key["id"] != key_id:
            assert admin.delete(f"/v1/keys/{key['id']}").status == 200


@pytest.fixture
def old(organization: NewOrganization) -> Client:
    """The API as an imported key sees it."""
    take_in(organization)
    return Client(OLD)


def test_an_imported_key_authenticates_as_its_organization(
    organization: NewOrganization, api: Client
) -> None:
    assert Client(OLD).get("/v1/agent").code == "invalid_api_key"
    take_in(organization)

    with recorded_calls() as calls:
        answer = Client(OLD).get("/v1/logs")

    assert answer.status == 200
    assert answer.body == api.get("/v1/logs").body
    assert calls == ["dynamodb:GetItem", "dynamodb:UpdateItem", "dynamodb:Query"]


def test_an_imported_key_is_listed_as_legacy_with_an_unknown_ending(old: Client, admin: Client) -> None:
    first, imported = admin.get("/v1/keys").body["keys"]

    assert (imported["name"], imported["hint"], imported["legacy"]) == ("Old shop", "????", True)
    assert (imported["createdByName"], imported["lastUsedAt"]) == ("system", None)
    assert first["legacy"] is False
    old.get("/v1/agent")
    assert admin.get("/v1/keys").body["keys"][1]["lastUsedAt"] >= imported["createdAt"]


def test_an_import_is_logged(organization: NewOrganization, admin: Client) -> None:
    key_id = take_in(organization)

    (entry,) = admin.get("/v1/logs?limit=1").body["logs"]

    assert (entry["kind"], entry["actor"]) == ("key_imported", "system")
    assert entry["detail"] == {"keyId": key_id, "name": "Old shop"}


def test_an_endpoint_added_with_an_imported_key_is_signed_with_the_newest_key_that_can_sign(
    organization: NewOrganization, admin: Client
) -> None:
    newest_able = admin.post("/v1/keys", {"name": "New shop"}).body["id"]
    take_in(organization)

    added = [client.post("/v1/webhooks", NEW_ENDPOINT).status for client in (Client(OLD), admin)]

    assert added == [200, 200]
    endpoints = admin.get("/v1/webhooks").body["webhooks"]
    assert [endpoint["keyId"] for endpoint in endpoints] == [newest_able, newest_able]


def test_without_a_key_that_can_sign_no_endpoint_is_added(
    organization: NewOrganization, admin: Client
) -> None:
    revoke_all_others(admin, take_in(organization))

    answers = [client.post("/v1/webhooks", NEW_ENDPOINT) for client in (Client(OLD), admin)]

    assert [(answer.status, answer.code) for answer in answers] == [(400, "missing_service_key")] * 2
    assert admin.get("/v1/webhooks").body == {"webhooks": [], "unreadable": []}


def test_a_revoked_imported_key_is_refused_and_is_not_imported_again(
    organization: NewOrganization, other_organization: NewOrganization, admin: Client
) -> None:
    key_id = take_in(organization)
    assert admin.delete(f"/v1/keys/{key_id}").status == 200
    before = whole_table.everything()

    answer = Client(OLD).get("/v1/agent")
    assert (answer.status, answer.code) == (401, "invalid_api_key")
    for importing in (organization, other_organization):
        with pytest.raises(KeyExists):
            take_in(importing)
    assert whole_table.everything() == before


def test_a_key_is_imported_once_and_into_one_organization(
    organization: NewOrganization, other_organization: NewOrganization
) -> None:
    take_in(organization)
    before = whole_table.everything()

    for importing, key in (
        (organization, OLD),
        (other_organization, OLD),
        (organization, organization.secret_key),
    ):
        with pytest.raises(KeyExists):
            take_in(importing, key)
    assert whole_table.everything() == before


def test_imported_keys_count_towards_the_ten(organization: NewOrganization, admin: Client) -> None:
    for number in range(9):
        take_in(organization, f"{OLD}-{number}")
    before = whole_table.everything()

    with pytest.raises(TooManyKeys):
        take_in(organization)
    assert whole_table.everything() == before
    assert admin.post("/v1/keys", {"name": "New"}).code == "too_many_keys"


@pytest.mark.parametrize(
    "text", ["", "a" * 63, "a" * 65, "g" * 64, "a" * 63 + "\n", " " + "a" * 63, "١" * 64, OLD]
)
def test_only_a_hexadecimal_sha256_is_imported(organization: NewOrganization, text: str) -> None:
    before = whole_table.everything()

    with pytest.raises(InvalidRequest):
        secret_keys.import_legacy(organization.organization_id, "Old shop", text)
    assert whole_table.everything() == before


def test_a_hash_in_capitals_is_the_same_hash(organization: NewOrganization) -> None:
    secret_keys.import_legacy(organization.organization_id, "Old shop", hashed(OLD).upper())

    assert Client(OLD).get("/v1/agent").status == 200


@pytest.mark.parametrize("name", ["", " ", "x" * 41])
def test_an_imported_key_needs_a_name(organization: NewOrganization, name: str) -> None:
    with pytest.raises(InvalidKeyName):
        secret_keys.import_legacy(organization.organization_id, name, hashed(OLD))


def test_no_key_is_imported_into_an_unknown_organization() -> None:
    with pytest.raises(OrganizationNotFound):
        secret_keys.import_legacy("org_unknown", "Old shop", hashed(OLD))

    assert whole_table.everything() == []


def test_the_operators_command_imports_a_key_by_its_hash(
    organization: NewOrganization, admin: Client
) -> None:
    words = ["import-key", organization.organization_id, "--name", "Old shop", "--sha256", hashed(OLD)]
    options = operator._parser().parse_args(words)

    output = options.run(options)

    imported = admin.get("/v1/keys").body["keys"][1]
    assert output == {"organization_id": organization.organization_id, "key_id": imported["id"]}
    assert imported["name"] == "Old shop"
    assert Client(OLD).get("/v1/agent").status == 200
