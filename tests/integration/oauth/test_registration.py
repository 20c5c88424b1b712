"""Registering clients, its limits, and the metadata (RFC 7591; RFC 8414; RFC 9728; Specification: Limits)."""

import re
from typing import Any

from helpdesk.api.admission.record import SharedBucket
from helpdesk.storage import table
from tests.integration.oauth.conftest import CALLBACK, DEVICE, ISSUER, Clock, register
from tests.support.api import Answer, Client, gateway_event
from tests.support.rules import for_each
from tests.support.table import everything
from tests.support.visitor import FORM

PUBLIC = {"redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none"}


def post(path: str, body: Any, address: str, **headers: str) -> Answer:
    event = gateway_event("POST", path, body=body, headers={"content-type": "application/json", **headers})
    event["requestContext"]["identity"] = {"sourceIp": address}
    return Client().answer_to(event)


def test_a_public_client_is_registered_without_a_secret() -> None:
    answer = Client().post(
        "/v1/oauth/register", {**PUBLIC, "client_name": " Trier ", "contacts": ["a"], "x": 1}
    )

    assert answer.status == 201
    assert answer.headers["cache-control"] == "no-store"
    assert re.fullmatch(r"client_[0-9a-z]{26}", answer.body.pop("client_id"))
    assert answer.body.pop("client_id_issued_at") > 1_763_000_000
    assert answer.body == {
        "client_name": "Trier",
        "redirect_uris": [CALLBACK],
        "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code"],
        "response_types": ["code"],
        "scope": "api",
    }


def test_a_clients_secret_is_shown_once_and_stored_as_a_hash() -> None:
    answer = Client().post("/v1/oauth/register", {"redirect_uris": [CALLBACK]})

    assert answer.body["token_endpoint_auth_method"] == "client_secret_basic"
    assert re.fullmatch(r"svc_ocs_[0-9A-Za-z]{43}", answer.body["client_secret"])
    assert answer.body["client_secret_expires_at"] == 0
    assert answer.body["client_secret"] not in repr(everything())


@for_each(
    ("body", "error"),
    [
        ({}, "invalid_redirect_uri"),
        ({"redirect_uris": []}, "invalid_redirect_uri"),
        ({"redirect_uris": ["javascript:alert(1)"]}, "invalid_redirect_uri"),
        ({"redirect_uris": [CALLBACK, "http://evil.example.com"]}, "invalid_redirect_uri"),
        ({"redirect_uris": [f"https://{n}.example.com" for n in range(11)]}, "invalid_redirect_uri"),
        ({"redirect_uris": CALLBACK}, "invalid_client_metadata"),
        ({"redirect_uris": [1]}, "invalid_client_metadata"),
        ({**PUBLIC, "token_endpoint_auth_method": "private_key_jwt"}, "invalid_client_metadata"),
        ({**PUBLIC, "grant_types": ["implicit"]}, "invalid_client_metadata"),
        ({**PUBLIC, "grant_types": ["refresh_token"]}, "invalid_client_metadata"),
        ({**PUBLIC, "response_types": ["token"]}, "invalid_client_metadata"),
        ({**PUBLIC, "client_name": 1}, "invalid_client_metadata"),
        ({**PUBLIC, "client_uri": "javascript:alert(1)"}, "invalid_client_metadata"),
        ({**PUBLIC, "client_uri": "https://" + "a" * 493}, "invalid_client_metadata"),
        ("[]", "invalid_client_metadata"),
        ("{", "invalid_client_metadata"),
        ("", "invalid_redirect_uri"),  # an empty object
    ],
)
def test_an_invalid_registration_is_refused_in_oauths_format(body: Any, error: str) -> None:
    answer = Client().post("/v1/oauth/register", body)

    assert (answer.status, answer.body["error"]) == (400, error)
    assert set(answer.body) == {"error", "error_description"}


def test_a_client_uri_can_have_500_characters() -> None:
    address = "https://" + "a" * 492

    assert register(client_uri=address).registered["client_uri"] == address


def test_a_device_client_needs_no_redirect_address() -> None:
    assert register(redirect_uris=[], grant_types=[DEVICE]).registered["response_types"] == []


def test_an_unknown_grant_type_is_omitted() -> None:
    program = register(grant_types=["authorization_code", "refresh_token", "implicit"])

    assert program.registered["grant_types"] == ["authorization_code", "refresh_token"]


@for_each(
    ("name", "kept"),
    [
        ("x" * 100, "x" * 80),
        ("a\u202eb\u200bc\x00d", "abcd"),
        ("", "A program without a name"),
        ("\u200b \n", "A program without a name"),
    ],
)
def test_a_name_is_cut_and_loses_deceptive_characters(name: str, kept: str) -> None:
    assert register(client_name=name).registered["client_name"] == kept


def test_an_address_registers_fifty_at_once_and_then_gets_retry_after(now: Clock) -> None:
    answers = [post("/v1/oauth/register", PUBLIC, "192.0.2.1").status for _ in range(50)]
    refused = post("/v1/oauth/register", PUBLIC, "192.0.2.1")

    assert answers == [201] * 50
    assert (refused.status, refused.body["error"]) == (429, "slow_down")
    assert refused.headers["retry-after"] == "12"
    assert post("/v1/oauth/register", PUBLIC, "192.0.2.2").status == 201
    # The caller writes the header, so it says nothing.
    assert post("/v1/oauth/register", PUBLIC, "192.0.2.1", **{"x-forwarded-for": "192.0.2.9"}).status == 429
    now.pass_by(12)
    assert post("/v1/oauth/register", PUBLIC, "192.0.2.1").status == 201


def test_device_login_has_a_bucket_of_its_own(now: Clock) -> None:
    program = register(grant_types=[DEVICE])
    for _ in range(50):
        post("/v1/oauth/register", PUBLIC, "192.0.2.1")
    sent = f"client_id={program.id}"

    answers = [
        post("/v1/oauth/device_authorization", sent, "192.0.2.1", **{"content-type": FORM}).status
        for _ in range(51)
    ]

    assert answers == [200] * 50 + [429]


def test_without_a_network_address_only_the_shared_limit_applies(now: Clock) -> None:
    answers = [post("/v1/oauth/register", PUBLIC, "").status for _ in range(60)]

    assert answers == [201] * 60


def test_all_callers_share_a_ceiling(now: Clock) -> None:
    answers = [post("/v1/oauth/register", PUBLIC, f"192.0.{number // 40}.1").status for number in range(101)]

    assert answers == [201] * 100 + [429]


def test_the_buckets_name_no_address() -> None:
    post("/v1/oauth/register", PUBLIC, "192.0.2.1")

    assert "192.0.2.1" not in repr(everything())
    assert table.get(SharedBucket.key_for("anonymous")) is not None


@for_each("path", ["oauth-authorization-server", "openid-configuration"])
def test_the_servers_metadata(path: str) -> None:
    answer = Client().get(f"/v1/.well-known/{path}")

    assert answer.headers["access-control-allow-origin"] == "*"
    assert answer.body == {
        "issuer": ISSUER,
        "authorization_endpoint": f"{ISSUER}/oauth/authorize",
        "token_endpoint": f"{ISSUER}/oauth/token",
        "registration_endpoint": f"{ISSUER}/oauth/register",
        "revocation_endpoint": f"{ISSUER}/oauth/revoke",
        "device_authorization_endpoint": f"{ISSUER}/oauth/device_authorization",
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token", DEVICE],
        "token_endpoint_auth_methods_supported": ["none", "client_secret_post", "client_secret_basic"],
        "revocation_endpoint_auth_methods_supported": ["none", "client_secret_post", "client_secret_basic"],
        "code_challenge_methods_supported": ["S256"],
        "scopes_supported": ["api", "manage"],
        "authorization_response_iss_parameter_supported": True,
        "service_documentation": f"{ISSUER}/docs",
    }


def test_a_401_names_the_address_of_the_resources_metadata() -> None:
    refused = Client("svc_oat_x").get("/v1/me")
    where = re.search(
        r'resource_metadata="https://support.example.com([^"]+)"', refused.headers["www-authenticate"]
    )
    assert where is not None

    assert Client().get(where[1]).body == {
        "resource": ISSUER,
        "authorization_servers": [ISSUER],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["api"],
        "resource_name": "Helpdesk API",
        "resource_documentation": f"{ISSUER}/docs",
    }
