"""Routes without a credential: each has a bucket for the network address of its caller, or is declared static."""

import json
from typing import Any

import pytest

from helpdesk.accounts.oauth import limits
from helpdesk.api.admission import allowance, anonymous, buckets
from helpdesk.api.admission.anonymous import AddressLimit, HourlyRate
from helpdesk.api.admission.caller import Access
from helpdesk.api.admission.record import AddressBucket
from helpdesk.api.routing.api import Api
from helpdesk.platform import clock
from helpdesk.storage import table
from scripts.openapi.routes import all_routes, path_template
from tests.support.api import Answer, Client, gateway_event
from tests.support.aws import recorded_calls
from tests.support.rules import for_each
from tests.support.template import ROOT

START = 1_800_000_000_000_000
FORM = {"content-type": "application/x-www-form-urlencoded"}
ONE = "203.0.113.7"
TOKEN = "t" * 43
FILE_TOKEN = f"{'0' * 26}-{'0' * 26}-{TOKEN}"

ANONYMOUS = {
    "GET /v1/.well-known/oauth-authorization-server": AddressLimit.STATIC,
    "GET /v1/.well-known/oauth-protected-resource": AddressLimit.STATIC,
    "GET /v1/.well-known/openid-configuration": AddressLimit.STATIC,
    "GET /v1/docs": AddressLimit.STATIC,
    "GET /v1/openapi.json": AddressLimit.STATIC,
    "GET /v1/files/{token}": AddressLimit.FILES,
    "GET /v1/invite/{token}": AddressLimit.PAGES,
    "POST /v1/invite/{token}": AddressLimit.PAGES,
    "GET /v1/oauth/authorize": AddressLimit.PAGES,
    "GET /v1/oauth/consent": AddressLimit.PAGES,
    "POST /v1/oauth/consent": AddressLimit.PAGES,
    "GET /v1/oauth/device": AddressLimit.PAGES,
    "POST /v1/oauth/device": AddressLimit.PAGES,
    "POST /v1/oauth/code": AddressLimit.PAGES,
    "POST /v1/oauth/sign-in": AddressLimit.PAGES,
    "POST /v1/oauth/sign-out": AddressLimit.PAGES,
    "POST /v1/oauth/token": AddressLimit.TOKENS,
    "POST /v1/oauth/revoke": AddressLimit.TOKENS,
    "POST /v1/oauth/register": AddressLimit.OWN,
    "POST /v1/oauth/device_authorization": AddressLimit.OWN,
    "GET /v1/connect/{app}": AddressLimit.PAGES,
    "POST /v1/connect/{app}": AddressLimit.PAGES,
    "GET /v1/connect/{app}/callback": AddressLimit.PAGES,
    "POST /v1/hooks/{app}": AddressLimit.SIGNED,
}
BODIES: dict[str, tuple[str, dict[str, str]]] = {
    "POST /v1/oauth/register": (
        json.dumps({"client_name": "A program", "redirect_uris": ["https://example.com/back"]}),
        {"content-type": "application/json"},
    ),
    "POST /v1/oauth/token": ("grant_type=refresh_token&client_id=c&refresh_token=r", FORM),
    "POST /v1/oauth/revoke": ("token=t&client_id=c", FORM),
    "POST /v1/oauth/device_authorization": ("client_id=c", FORM),
}


def send(route: str, address: str = ONE) -> Answer:
    method, path = route.split(" ")
    body, headers = BODIES.get(route, ("", FORM) if method == "POST" else (None, {}))
    token = FILE_TOKEN if "/files/" in path else TOKEN
    event = gateway_event(
        method, path.replace("{token}", token).replace("{app}", "codehost"), body=body, headers=headers
    )
    event["requestContext"]["identity"] = {"sourceIp": address}
    return Client().answer_to(event)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every bucket hold two requests."""
    monkeypatch.setattr(anonymous, "RATES", {limit: HourlyRate(60, 2) for limit in anonymous.RATES})
    monkeypatch.setattr(limits, "REGISTRATIONS_BURST", 2)
    monkeypatch.setattr(limits, "DEVICE_LOGINS_BURST", 2)


def test_each_described_route_without_a_credential_has_a_bucket_or_is_static() -> None:
    described = json.loads((ROOT / "docs" / "openapi.json").read_text(encoding="utf-8"))
    without = {
        f"{method.upper()} {path}"
        for path, item in described["paths"].items()
        for method, operation in item.items()
        if operation["security"] == []
    }
    declared = {f"{route.method} {path_template(route)}": route.limit for route in all_routes()}

    assert {name: declared[name] for name in without} == ANONYMOUS


_UNLIMITED = (AddressLimit.STATIC, AddressLimit.SIGNED)
limited = for_each("route", [name for name, limit in ANONYMOUS.items() if limit not in _UNLIMITED])
static = for_each("route", [name for name, limit in ANONYMOUS.items() if limit is AddressLimit.STATIC])


@limited
def test_a_third_request_of_an_address_is_refused_in_the_form_of_its_route(small: None, route: str) -> None:
    number = [*ANONYMOUS].index(route)  # routes with the same limit share the bucket of an address
    one, other = f"198.51.100.{2 * number}", f"198.51.100.{2 * number + 1}"
    with clock.frozen(lambda: START):
        before = [send(route, one).status for _ in range(2)]
        refused = send(route, one)
        from_elsewhere = send(route, other)

    assert 429 not in before
    assert refused.status == 429
    assert refused.headers["retry-after"] == ("60" if ANONYMOUS[route] is not AddressLimit.OWN else "12")
    assert from_elsewhere.status != 429
    if ANONYMOUS[route] is AddressLimit.FILES:
        assert refused.code == "rate_limited"
        assert refused.message.startswith("Too many requests came from your network address. Wait")
    elif ANONYMOUS[route] is AddressLimit.PAGES:
        assert "<h1>Please wait a moment</h1>" in refused.body
    else:
        assert refused.body["error"] == "slow_down"


@static
def test_a_static_route_calls_no_service(small: None, route: str) -> None:
    with recorded_calls() as calls:
        assert [send(route).status for _ in range(5)] == [200] * 5

    assert calls == []


def test_the_limits_of_an_address_are_the_documented_ones() -> None:
    assert {limit.value: tuple(rate) for limit, rate in anonymous.RATES.items()} == {
        "files": (18_000, 600),
        "pages": (3_600, 200),
        "tokens": (12_000, 600),
        "site-forms": (600, 60),
        "site-searches": (1_200, 60),
        "site-titles": (6_000, 300),
    }


def test_pages_and_tokens_have_buckets_of_their_own(small: None) -> None:
    with clock.frozen(lambda: START):
        assert [send("GET /v1/oauth/device").status for _ in range(3)] == [200, 200, 429]
        assert send("POST /v1/oauth/revoke").status != 429
        assert send("GET /v1/files/{token}").status != 429


def test_addresses_of_one_ipv6_network_share_a_bucket(small: None) -> None:
    with clock.frozen(lambda: START):
        found = [send("GET /v1/oauth/device", f"2001:db8:1:2::{number}").status for number in range(3)]
        other = send("GET /v1/oauth/device", "2001:db8:1:3::1").status

    assert found == [200, 200, 429]
    assert other == 200


def test_callers_without_an_address_share_a_bucket(small: None) -> None:
    with clock.frozen(lambda: START):
        assert [send("GET /v1/oauth/device", "").status for _ in range(3)] == [200, 200, 429]


def test_a_flood_from_one_address_costs_no_calls_once_it_is_refused(small: None) -> None:
    with clock.frozen(lambda: START):
        for _ in range(3):
            send("GET /v1/files/{token}")
        with recorded_calls() as calls:
            found = {send("GET /v1/files/{token}").status for _ in range(50)}

    assert found == {429}
    assert calls == []


def test_a_download_costs_one_write_more() -> None:
    with recorded_calls() as calls:
        send("GET /v1/files/{token}")

    assert calls == ["dynamodb:UpdateItem", "dynamodb:GetItem"]


def test_a_throttled_bucket_neither_stops_an_address_nor_lifts_its_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def throttled(*_: object) -> None:
        raise table.Throttled

    monkeypatch.setattr(buckets, "charge", throttled)
    with clock.frozen(lambda: START):
        found = [send("GET /v1/oauth/device").status for _ in range(12)]

    assert found == [200] * 10 + [429] * 2  # a twentieth of 200


def test_the_bucket_of_an_address_holds_only_its_hash() -> None:
    send("GET /v1/oauth/device")

    hashed = anonymous.address_hash(ONE)
    assert hashed is not None
    assert ONE not in str(table.get(AddressBucket.key_for(hashed, "pages")))


@pytest.mark.parametrize(
    "declared", [{"access": Access.PUBLIC}, {"access": Access.MEMBER, "limit": AddressLimit.STATIC}]
)
def test_a_public_route_without_a_limit_cannot_be_declared(declared: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="a public route, and no other, declares a limit"):
        Api().get("/v1/nothing", **declared)


def test_a_refused_address_is_let_in_again_as_its_bucket_refills(small: None) -> None:
    with clock.frozen(lambda: START):
        assert [send("GET /v1/oauth/device").status for _ in range(3)] == [200, 200, 429]
    allowance.forget()
    with clock.frozen(lambda: START + 60_000_000):
        assert [send("GET /v1/oauth/device").status for _ in range(2)] == [200, 429]
