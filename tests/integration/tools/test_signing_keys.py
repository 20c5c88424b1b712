"""Which key signs the requests to a tool endpoint."""

from collections.abc import Callable
from functools import partial

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.secret_keys import service as secret_keys
from helpdesk.accounts.secret_keys.record import EndpointSecret
from helpdesk.accounts.secret_keys.schemas import NewKey
from helpdesk.api.admission.caller import Caller, Person, Role
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.errors import AppError
from helpdesk.storage import table
from helpdesk.tools import endpoints
from helpdesk.tools.record import tool_endpoints
from helpdesk.webhooks import key_revocation
from tests.integration.tools.conftest import URL, add, listed, said
from tests.support.api import Client
from tests.support.interleaving import interleaved
from tests.support.tool_server import ToolServer
from tests.support.workers import Workers


def test_a_key_from_before_the_current_scheme_is_refused(api: Client, organization: NewOrganization) -> None:
    old = "svc_key_old-shop-1234"
    secret_keys.import_legacy(organization.organization_id, "Old shop", sha256_hex(old))

    assert said(Client(old).put("/v1/tool-endpoints", {"url": URL})) == (400, "legacy_api_key")
    assert listed(api) == []


def test_an_organization_without_a_secret_key_cannot_add_an_endpoint(admin: Client) -> None:
    for key in admin.get("/v1/keys").body["keys"]:
        assert admin.delete(f"/v1/keys/{key['id']}").status == 200

    refused = admin.put("/v1/tool-endpoints", {"url": URL})
    assert said(refused) == (400, "missing_service_key")
    assert refused.message == (
        "Create a secret key first: an admin or owner calls POST /v1/keys or runs `helpdesk keys create NAME`. "
        "Requests to your endpoint are signed with it."
    )


def test_an_organization_with_keys_of_the_former_scheme_alone_reads_that_it_needs_one_of_the_current(
    admin: Client, organization: NewOrganization
) -> None:
    secret_keys.import_legacy(organization.organization_id, "Old shop", sha256_hex("svc_key_old-shop-1234"))
    [current] = [key["id"] for key in admin.get("/v1/keys").body["keys"] if not key["legacy"]]
    assert admin.delete(f"/v1/keys/{current}").status == 200

    refused = admin.put("/v1/tool-endpoints", {"url": URL})
    assert said(refused) == (400, "missing_service_key")
    assert refused.message == (
        "Your secret keys are from before the current scheme and can't sign requests to your endpoint. Create one of "
        "the current scheme: an admin or owner calls POST /v1/keys or runs `helpdesk keys create NAME`."
    )


def test_a_key_signs_with_itself_and_for_a_person_an_endpoint_keeps_its_key_or_gets_the_newest(
    api: Client, admin: Client
) -> None:
    add(api)
    first = listed(api)[0]["keyId"]
    newer = admin.post("/v1/keys", {"name": "Newer"}).body
    add(admin)
    assert listed(api)[0]["keyId"] == first
    add(admin, f"{URL}/2")
    assert listed(api)[1]["keyId"] == newer["id"]
    add(Client(newer["key"]))
    assert listed(api)[0]["keyId"] == newer["id"]


def test_requests_of_a_revoked_key_continue_and_no_longer_verify_until_another_key_signs(
    api: Client, admin: Client, server: ToolServer, workers: Workers, organization: NewOrganization
) -> None:
    newer = Client(admin.post("/v1/keys", {"name": "Newer"}).body["key"])
    add(api, server.url)
    add(newer, f"{URL}/2")
    kept = listed(newer)[1]["keyId"]
    assert admin.delete(f"/v1/keys/{listed(api)[0]['keyId']}").status == 200
    workers.run()

    assert [each["keyId"] for each in listed(newer)] == [None, kept]
    assert len(server.asked) == 1
    assert not server.asked[0].is_signed_with(organization.secret_key)
    add(admin, server.url)
    workers.run()
    assert server.asked[1].is_signed_with(str(newer.credential))
    assert listed(newer)[0]["keyId"] == kept


def test_an_endpoint_that_is_added_while_its_key_is_revoked_is_refused_or_gets_a_secret_of_its_own(
    organization: NewOrganization,
) -> None:
    of = organization.organization_id
    ada = Caller(of, person=Person("usr_1", "Ada", Role.ADMIN))
    seen = set()
    for seed in range(6):
        key_id = secret_keys.create(ada, NewKey(name="A key")).id

        def put(url: str = f"{URL}/{seed}", key_id: str = key_id) -> str:
            try:
                return endpoints.put(Caller(of, key_id=key_id), url)
            except AppError as error:
                return error.code

        work: list[Callable[[], object]] = [put, partial(key_revocation.revoke, ada, key_id)]
        outcomes = interleaved(work, seed).all()

        seen.add(str(outcomes[0]).partition("_")[0])
        if outcomes[0] != "missing_service_key":
            endpoint = tool_endpoints.find(of, str(outcomes[0]))
            assert endpoint is not None
            assert endpoint.key_id is None
            assert table.get(EndpointSecret.key_for(of, endpoint.id)) is not None
    assert seen == {"tool", "missing"}
