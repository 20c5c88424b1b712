"""Admission over HTTP: credentials, roles, the order of the checks, and the calls of each response."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from helpdesk.admission.anonymous import AddressLimit
from helpdesk.admission.caller import Access, Caller
from helpdesk.admission.limits import Plan, RequestClass
from helpdesk.http.schemas import OK, Body, Ok
from helpdesk.organizations import service as organizations
from helpdesk.organizations.schemas import NewOrganization
from helpdesk.platform import clients, clock, ids
from helpdesk.platform.settings import settings
from helpdesk.routing.api import Api
from helpdesk.storage import keys, table
from tests.support.api import Answer, Client, Context, gateway_event
from tests.support.aws import recorded_calls
from tests.support.people import issue_token, make_person, token_of

START = 1_800_000_000_000_000
MESSAGE = {"session": "session-of-the-test", "body": "Hello"}


class Thing(Body):
    """A body with one required field."""

    name: str


def _small_api() -> Api:
    """Return one route for each kind of access, and one that fails."""
    api = Api()
    for access in Access:

        def route(caller: Caller) -> Ok:
            return OK

        def public() -> Ok:
            return OK

        limit = AddressLimit.STATIC if access is Access.PUBLIC else None
        api.get(f"/v1/{access.name.lower()}", access=access, limit=limit)(route if limit is None else public)

    @api.post("/v1/things", access=Access.ADMIN)
    def make(caller: Caller, thing: Thing) -> Ok:
        return OK

    @api.post("/v1/uploads", access=Access.MEMBER, request_class=RequestClass.UPLOAD)
    def upload(caller: Caller) -> Ok:
        return OK

    @api.get("/v1/broken", access=Access.MEMBER)
    def fail(caller: Caller) -> Ok:
        raise RuntimeError("a visitor's words")

    return api


SMALL = _small_api()


def call(
    method: str, path: str, authorization: str | None = None, body: Any = None, name: str = "Authorization"
) -> Answer:
    headers = {} if authorization is None else {name: authorization}
    raw = SMALL.handler(gateway_event(method, path, body=body, headers=headers), Context())
    answered = {name.lower(): values[-1] for name, values in raw["multiValueHeaders"].items()}
    return Answer(raw["statusCode"], answered, json.loads(raw["body"]))


@pytest.fixture
def tokens(organization: NewOrganization) -> dict[str, str]:
    with clock.frozen(lambda: START):  # later than now, so that they hold on both clocks
        issued = {
            role: f"Bearer {issue_token(organization.organization_id, role=role, name=role)}"
            for role in ("owner", "admin", "member")
        }
    return {
        **issued,
        "key": f"Bearer {organization.secret_key}",
        "publishable": f"Bearer {organization.publishable_key}",
        "homeless": f"Bearer {issue_token(None, role='member', name='Nobody')}",
        "none": "",
    }


# Specification: Authentication, 4 to 9. One row per kind of route: the result for each credential.
ANSWERS = {
    "secret_key": {
        "key": "ok",
        "publishable": "401 publishable_key",
        "owner": "401 invalid_api_key",
        "admin": "401 invalid_api_key",
        "member": "401 invalid_api_key",
        "homeless": "401 invalid_api_key",
        "none": "401 missing_api_key",
    },
    "member": {
        "key": "ok",
        "publishable": "401 publishable_key",
        "owner": "ok",
        "admin": "ok",
        "member": "ok",
        "homeless": "403 no_organization",
        "none": "401 missing_api_key",
    },
    "admin": {
        "key": "ok",
        "publishable": "401 publishable_key",
        "owner": "ok",
        "admin": "ok",
        "member": "403 forbidden",
        "homeless": "403 no_organization",
        "none": "401 missing_api_key",
    },
    "person_admin": {
        "key": "400 needs_a_person",
        "publishable": "401 publishable_key",
        "owner": "ok",
        "admin": "ok",
        "member": "403 forbidden",
        "homeless": "403 no_organization",
        "none": "401 missing_api_key",
    },
    "account": {
        "key": "401 token_required",
        "publishable": "401 publishable_key",
        "owner": "ok",
        "admin": "ok",
        "member": "ok",
        "homeless": "ok",
        "none": "401 missing_api_key",
    },
    "personal": {
        "key": "401 token_required",
        "publishable": "401 publishable_key",
        "owner": "ok",
        "admin": "ok",
        "member": "ok",
        "homeless": "ok",
        "none": "401 missing_api_key",
    },
    "account_admin": {
        "key": "401 token_required",
        "publishable": "401 publishable_key",
        "owner": "ok",
        "admin": "ok",
        "member": "403 forbidden",
        "homeless": "403 no_organization",
        "none": "401 missing_api_key",
    },
    "public": {
        "key": "ok",
        "publishable": "ok",
        "owner": "ok",
        "admin": "ok",
        "member": "ok",
        "homeless": "ok",
        "none": "ok",
    },
}


@pytest.mark.parametrize("access", ANSWERS)
def test_a_route_treats_each_credential_as_specified(access: str, tokens: dict[str, str]) -> None:
    answers = {}
    for credential in ANSWERS[access]:
        answer = call("GET", f"/v1/{access}", tokens[credential])
        answers[credential] = "ok" if answer.status == 200 else f"{answer.status} {answer.code}"

    assert answers == ANSWERS[access]


@pytest.mark.parametrize(
    ("authorization", "code"),
    [
        (None, "missing_api_key"),
        ("", "missing_api_key"),
        ("Bearer", "missing_api_key"),
        ("Bearer ", "missing_api_key"),
        ("Basic c3ZjOnNlY3JldA==", "missing_api_key"),
        ("Bearer svc_key_", "invalid_api_key"),
        ("Bearer svc_key_short_short", "invalid_api_key"),
        ("Bearer svc_key_" + "0" * 26 + "_" + "A" * 43, "invalid_api_key"),
        ("Bearer svc_key_" + "#" * 26 + "_" + "A" * 43, "invalid_api_key"),
        ("Bearer something-else", "invalid_api_key"),
        ("Bearer ünïcödé", "invalid_api_key"),
        ("Bearer " + "x" * 8_000, "invalid_api_key"),
        ("Bearer svc_pk_anything", "publishable_key"),
        ("Bearer svc_oat_", "invalid_token"),
        ("Bearer svc_oat_unknown", "invalid_token"),
        ("Bearer svc_oat_#", "invalid_token"),
    ],
)
def test_an_unknown_credential_is_rejected_with_its_code(authorization: str | None, code: str) -> None:
    answer = call("GET", "/v1/member", authorization)

    assert (answer.status, answer.code) == (401, code)


def test_an_organizations_id_with_anothers_secret_is_an_invalid_key(
    organization: NewOrganization, other_organization: NewOrganization
) -> None:
    mixed = organization.secret_key[:35] + other_organization.secret_key[35:]

    assert call("GET", "/v1/member", f"Bearer {mixed}").code == "invalid_api_key"


@pytest.mark.parametrize("scheme", ["bearer", "BEARER", "Bearer"])
@pytest.mark.parametrize("name", ["authorization", "Authorization", "AUTHORIZATION"])
def test_header_and_scheme_are_read_in_any_case(
    organization: NewOrganization, scheme: str, name: str
) -> None:
    assert call("GET", "/v1/member", f"{scheme} {organization.secret_key}", name=name).status == 200


def test_a_request_without_any_headers_lacks_a_credential() -> None:
    event = gateway_event("GET", "/v1/member")
    event["headers"] = event["multiValueHeaders"] = None

    assert SMALL.handler(event, Context())["statusCode"] == 401


def test_a_revoked_key_is_refused(organization: NewOrganization) -> None:
    table.update(
        keys.Allowance(organization.organization_id, "read"),
        "SET #keys = :none",
        names={"#keys": "keys"},
        values={":none": {}},
    )

    answer = call("GET", "/v1/member", f"Bearer {organization.secret_key}")

    assert (answer.status, answer.code) == (401, "invalid_api_key")


def test_a_token_works_until_its_last_millisecond(organization: NewOrganization) -> None:
    with clock.frozen(lambda: START):
        token = issue_token(organization.organization_id, role="member", name="Max", lifetime_ms=1_000)

    with clock.frozen(lambda: START + 999_999):
        assert call("GET", "/v1/member", f"Bearer {token}").status == 200
    with clock.frozen(lambda: START + 1_000_000):
        assert call("GET", "/v1/member", f"Bearer {token}").code == "invalid_token"


def test_the_token_of_a_former_member_works_only_on_the_persons_own_routes(
    organization: NewOrganization,
) -> None:
    user_id = make_person(organization.organization_id, role="member", name="Max")
    token = token_of(user_id, organization.organization_id)
    table.update(keys.Person(user_id), "SET organizations = :none", values={":none": {}})

    assert call("GET", "/v1/member", f"Bearer {token}").code == "invalid_token"
    assert call("GET", "/v1/account", f"Bearer {token}").status == 200
    assert call("GET", "/v1/personal", f"Bearer {token}").status == 200


def test_a_token_names_its_person_and_no_other(organization: NewOrganization) -> None:
    one, other = (make_person(organization.organization_id, role="owner", name=name) for name in "ab")
    token = token_of(one, organization.organization_id)
    forged = token.replace(one.removeprefix("usr_"), other.removeprefix("usr_"))

    assert call("GET", "/v1/member", f"Bearer {forged}").code == "invalid_token"


def test_a_new_role_applies_to_the_next_request(organization: NewOrganization) -> None:
    user_id = make_person(organization.organization_id, role="admin", name="Ada")
    token = token_of(user_id, organization.organization_id)
    before = call("GET", "/v1/admin", f"Bearer {token}").status
    table.update(
        keys.Person(user_id),
        "SET organizations.#id.#role = :role",
        names={"#id": organization.organization_id, "#role": "role"},
        values={":role": "member"},
    )

    assert (before, call("GET", "/v1/admin", f"Bearer {token}").code) == (200, "forbidden")


def test_a_person_without_an_organization_has_their_own_allowance() -> None:
    token = f"Bearer {issue_token(None, role='member', name='Nobody', lifetime_ms=10**12)}"
    with clock.frozen(lambda: START):
        statuses = [call("GET", "/v1/account", token).status for _ in range(100)]
        refused = call("GET", "/v1/personal", token)
    with clock.frozen(lambda: START + 100_000):
        again = [call("GET", "/v1/account", token).status for _ in range(2)]

    assert statuses == [200] * 100
    assert (refused.status, refused.code, refused.headers["retry-after"]) == (429, "rate_limited", "1")
    assert refused.headers["ratelimit-policy"] == '"read";q=600;w=60'
    assert again == [200, 429]


def test_a_persons_own_routes_never_charge_the_organization(organization: NewOrganization) -> None:
    token = f"Bearer {issue_token(organization.organization_id, role='owner', name='Olga')}"

    assert call("GET", "/v1/personal", token).headers["ratelimit-policy"] == '"read";q=600;w=60'
    assert call("GET", "/v1/account", token).headers["ratelimit-policy"] == '"read";q=24000;w=60'


def test_a_401_names_the_metadata_that_says_how_to_log_in() -> None:
    missing, unknown = call("GET", "/v1/member"), call("GET", "/v1/member", "Bearer svc_oat_unknown")

    where = missing.headers["www-authenticate"]
    assert where.startswith('Bearer resource_metadata="https://')
    assert where.endswith('/v1/.well-known/oauth-protected-resource"')
    assert unknown.headers["www-authenticate"] == f'{where}, error="invalid_token"'


def test_a_token_of_an_organization_that_is_gone_is_invalid() -> None:
    token = issue_token(ids.new("org"), role="owner", name="Olga")

    assert call("GET", "/v1/member", f"Bearer {token}").code == "invalid_token"


def test_a_key_costs_one_call_and_a_token_two(tokens: dict[str, str]) -> None:
    with recorded_calls() as with_key:
        call("GET", "/v1/member", tokens["key"])
    with recorded_calls() as with_token:
        call("GET", "/v1/member", tokens["member"])

    assert with_key == ["dynamodb:UpdateItem"]
    assert with_token == ["dynamodb:BatchGetItem", "dynamodb:UpdateItem"]


def test_a_malformed_credential_costs_no_call(tokens: dict[str, str]) -> None:
    with recorded_calls() as calls:
        call("GET", "/v1/member")
        call("GET", "/v1/member", tokens["publishable"])
        call("GET", "/v1/member", "Bearer nonsense")
        call("GET", "/v1/account", "Bearer svc_key_")
        call("GET", "/v1/secret_key", "Bearer svc_oat_nonsense")
        call("GET", "/v1/nowhere", tokens["key"])

    assert calls == []


def test_a_credential_of_the_other_kind_costs_the_reads_of_its_limits(tokens: dict[str, str]) -> None:
    with recorded_calls() as of_key:
        call("GET", "/v1/account", tokens["key"])
    with recorded_calls() as of_token:
        call("GET", "/v1/secret_key", tokens["member"])

    assert of_key == ["dynamodb:GetItem"]
    assert of_token == ["dynamodb:BatchGetItem", "dynamodb:GetItem"]


def _spent(organization: NewOrganization, request_class: str) -> int:
    """Return how many tokens a full bucket of the tier `highest` has lost at START."""
    bucket = table.get(keys.Allowance(organization.organization_id, request_class))
    assert bucket is not None
    return max(0, int(bucket["fullAt"] - START) // int(bucket["interval"]))


def test_every_request_with_a_valid_credential_is_charged(
    organization: NewOrganization, tokens: dict[str, str]
) -> None:
    with clock.frozen(lambda: START):
        assert call("POST", "/v1/things", tokens["key"], '{"name": "a"}').status == 200
        assert call("POST", "/v1/things", tokens["key"], "no json").code == "invalid_json"
        assert call("POST", "/v1/things", tokens["key"], {}).code == "invalid_request"
        assert call("POST", "/v1/things", tokens["member"], {"name": "a"}).code == "forbidden"

    assert _spent(organization, "write") == 4


def test_a_rejected_credential_is_not_charged(organization: NewOrganization, tokens: dict[str, str]) -> None:
    with clock.frozen(lambda: START):
        for credential in ("publishable", "homeless", "none"):
            call("POST", "/v1/things", tokens[credential], {"name": "a"})
        call("POST", "/v1/things", f"Bearer {organization.secret_key[:-1]}!", {"name": "a"})
        wrong = organization.secret_key[:-1] + ("a" if organization.secret_key[-1] != "a" else "b")
        call("POST", "/v1/things", f"Bearer {wrong}", {"name": "a"})

    assert _spent(organization, "write") == 0


def test_reads_writes_and_uploads_are_charged_separately(
    organization: NewOrganization, tokens: dict[str, str]
) -> None:
    with clock.frozen(lambda: START):
        call("GET", "/v1/member", tokens["key"])
        call("POST", "/v1/things", tokens["key"], {"name": "a"})
        call("POST", "/v1/things", tokens["key"], {"name": "a"})
        for _ in range(3):
            call("POST", "/v1/uploads", tokens["key"])

    assert [_spent(organization, name) for name in ("read", "write", "upload")] == [1, 2, 3]


def test_a_key_and_tokens_share_one_allowance(organization: NewOrganization, tokens: dict[str, str]) -> None:
    with clock.frozen(lambda: START):
        for credential in ("key", "owner", "member"):
            call("GET", "/v1/member", tokens[credential])

    assert _spent(organization, "read") == 3


def test_a_response_has_the_rate_limit_and_what_is_left(tokens: dict[str, str]) -> None:
    with clock.frozen(lambda: START):
        first = call("POST", "/v1/things", tokens["key"], {"name": "a"})
        second = call("POST", "/v1/things", tokens["key"], {"name": "a"})

    assert first.headers["ratelimit-policy"] == '"write";q=4800;w=60'
    assert first.headers["ratelimit"] == '"write";r=1199;t=1'
    assert second.headers["ratelimit"] == '"write";r=1198;t=1'


@pytest.mark.parametrize(
    ("method", "path", "credential", "body", "status"),
    [
        ("POST", "/v1/things", "key", "no json", 400),
        ("POST", "/v1/things", "key", {}, 400),
        ("POST", "/v1/things", "member", {"name": "a"}, 403),
        ("GET", "/v1/person_admin", "key", None, 400),
        ("GET", "/v1/broken", "key", None, 500),
    ],
)
def test_an_error_that_was_charged_has_the_rate_limit_headers(
    tokens: dict[str, str], method: str, path: str, credential: str, body: Any, status: int
) -> None:
    answer = call(method, path, tokens[credential], body)

    assert answer.status == status
    assert "ratelimit-policy" in answer.headers
    assert "ratelimit" in answer.headers


@pytest.mark.parametrize("path", ["/v1/member", "/v1/nowhere", "/v1/broken", "/"])
@pytest.mark.parametrize("credential", ["key", "none"])
def test_every_response_has_its_request_id(tokens: dict[str, str], path: str, credential: str) -> None:
    answer = call("GET", path, tokens[credential])

    assert answer.headers["x-request-id"] == "6d1f9f0e-0000-4000-8000-000000000001"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/nowhere"),
        ("GET", "/v1"),
        ("GET", "/"),
        ("GET", "/member"),
        ("POST", "/v1/member"),
        ("DELETE", "/v1/things"),
        ("OPTIONS", "/v1/things"),
        ("HEAD", "/v1/member"),
    ],
)
@pytest.mark.parametrize("credential", ["key", "none"])
def test_an_unknown_route_or_method_is_not_found_with_or_without_a_credential(
    tokens: dict[str, str], method: str, path: str, credential: str
) -> None:
    answer = call(method, path, tokens[credential])

    assert (answer.status, answer.code) == (404, "not_found")


def test_an_internal_error_reveals_nothing_about_its_cause(tokens: dict[str, str]) -> None:
    answer = call("GET", "/v1/broken", tokens["key"])

    assert (answer.status, answer.code) == (500, "internal_error")
    assert "visitor" not in json.dumps(answer.body)


@pytest.fixture
def explorer(make_organization: Callable[..., NewOrganization]) -> NewOrganization:
    """An organization with small bursts: 20 reads, 10 writes, 2 uploads."""
    return make_organization(Plan.EXPLORE, api_limits=False)


def test_after_the_burst_a_request_is_rejected_with_the_seconds_to_wait(explorer: NewOrganization) -> None:
    key = f"Bearer {explorer.secret_key}"
    with clock.frozen(lambda: START):
        statuses = [call("POST", "/v1/uploads", key).status for _ in range(2)]
        refused = call("POST", "/v1/uploads", key)
    with clock.frozen(lambda: START + 3_000_000):
        later = call("POST", "/v1/uploads", key)
    with clock.frozen(lambda: START + 12_000_000):
        after_waiting = call("POST", "/v1/uploads", key)

    assert statuses == [200, 200]
    assert (refused.status, refused.code) == (429, "rate_limited")
    assert "temporarily full" in refused.message
    assert set(refused.body["error"]) == {"code", "message"}
    # Five a minute: the next one is earned 12 s after START; the bucket is full again after 24 s.
    assert refused.headers["retry-after"] == "12"
    assert refused.headers["ratelimit-policy"] == '"upload";q=5;w=60'
    assert refused.headers["ratelimit"] == '"upload";r=0;t=24'
    assert later.headers["retry-after"] == "9"
    assert after_waiting.status == 200


def test_retry_after_is_at_least_a_second(explorer: NewOrganization) -> None:
    key = f"Bearer {explorer.secret_key}"
    with clock.frozen(lambda: START):
        for _ in range(2):
            call("POST", "/v1/uploads", key)
    with clock.frozen(lambda: START + 11_999_999):
        refused = call("POST", "/v1/uploads", key)

    assert refused.headers["retry-after"] == "1"


def test_the_rate_limit_is_checked_before_role_and_body(explorer: NewOrganization) -> None:
    with clock.frozen(lambda: START):
        member = f"Bearer {issue_token(explorer.organization_id, role='member', name='Max')}"
        codes = [call("POST", "/v1/things", member, "no json").code for _ in range(11)]

    assert codes == ["forbidden"] * 10 + ["rate_limited"]


def test_the_unlimited_tier_has_a_fair_use_limit(
    make_organization: Callable[..., NewOrganization], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIR_USE_PER_MINUTE", "3")
    settings.cache_clear()
    key = f"Bearer {make_organization(unlimited_api=True).secret_key}"
    with clock.frozen(lambda: START):
        statuses = [call("GET", "/v1/member", key).status for _ in range(3)]
        refused = call("GET", "/v1/member", key)

    assert statuses == [200, 200, 200]
    assert (refused.status, refused.code) == (429, "rate_limited")
    assert refused.body["error"]["reason"] == "fair_use"
    assert refused.headers["retry-after"] == "20"


FAIR_USE = "Temporary capacity protection. Wait for the seconds in Retry-After and try again."


@pytest.fixture
def unlimited(
    make_organization: Callable[..., NewOrganization], monkeypatch: pytest.MonkeyPatch
) -> NewOrganization:
    """An organization on the unlimited tier, whose fair-use threshold is one request per minute."""
    monkeypatch.setenv("FAIR_USE_PER_MINUTE", "1")
    settings.cache_clear()
    return make_organization(unlimited_api=True)


def refuse(organization: NewOrganization, minute: int, path: str = "/v1/member") -> Answer:
    """Send two requests at the start of a minute since START, and return the refusal of the second."""
    with clock.frozen(lambda: START + minute * 60_000_000):
        answers = [call("GET", path, f"Bearer {organization.secret_key}") for _ in range(3)]
    assert answers[-1].body["error"]["reason"] == "fair_use"
    return answers[-1]


def test_refusals_in_ten_of_sixty_minutes_name_unusual_traffic(unlimited: NewOrganization) -> None:
    # Not in a row, and in both halves of the hour.
    messages = [refuse(unlimited, minute).message for minute in (0, 1, 3, 7, 20, 21, 22, 40, 58, 59)]

    assert messages[:9] == [FAIR_USE] * 9
    assert messages[9].startswith("Unusual automated traffic detected")
    assert "contact support" in messages[9]


def test_minutes_before_the_last_sixty_do_not_count(unlimited: NewOrganization) -> None:
    for minute in range(9):
        refuse(unlimited, minute)

    assert refuse(unlimited, 60).message == FAIR_USE  # the first minute has left the hour
    assert refuse(unlimited, 60).message == FAIR_USE  # one minute counts once
    assert refuse(unlimited, 61).message == FAIR_USE


def test_the_number_of_minutes_is_a_setting(
    unlimited: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAIR_USE_NOTICE_MINUTES", "2")
    settings.cache_clear()

    messages = [refuse(unlimited, minute).message[:7] for minute in range(2)]

    assert messages == ["Tempora", "Unusual"]


def test_refusals_of_one_minute_cost_one_write_of_the_minute(unlimited: NewOrganization) -> None:
    refuse(unlimited, 0)
    with clock.frozen(lambda: START), recorded_calls() as calls:
        call("GET", "/v1/member", f"Bearer {unlimited.secret_key}")

    # The charge, and the entry of the log.
    assert calls == ["dynamodb:UpdateItem"] * 2


def test_a_minute_that_cannot_be_noted_leaves_the_first_message(
    unlimited: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = clients.dynamodb().update_item

    def hot(**request: Any) -> Any:
        if request["Key"]["SK"]["S"] == "FAIRUSE":
            Throttling("ThrottlingException")()
        return real(**request)

    monkeypatch.setattr(clients.dynamodb(), "update_item", hot)

    assert refuse(unlimited, 0).message == FAIR_USE


def test_an_organization_off_the_unlimited_tier_is_refused_without_a_reason_however_often(
    explorer: NewOrganization,
) -> None:
    key = f"Bearer {explorer.secret_key}"
    refused = []
    for minute in range(12):
        with clock.frozen(lambda minute=minute: START + minute * 60_000_000):  # type: ignore[misc] # as it was then
            refused += [call("POST", "/v1/uploads", key) for _ in range(8)][-1:]

    assert {answer.status for answer in refused} == {429}
    assert [answer for answer in refused if "reason" in answer.body["error"]] == []


def test_rate_limit_errors_of_one_class_and_minute_share_a_log_entry(explorer: NewOrganization) -> None:
    key = f"Bearer {explorer.secret_key}"
    minute = START // 60_000_000 * 60_000_000
    for second, refusals in ((0, 3), (30, 0), (61, 0)):
        with clock.frozen(lambda second=second: minute + second * 1_000_000):  # type: ignore[misc]
            for _ in range(2 + refusals + 1):
                call("POST", "/v1/uploads", key)
    with clock.frozen(lambda: minute + 62_000_000):
        for _ in range(11):
            call("POST", "/v1/things", key, {})
        entries = Client(explorer.secret_key).get("/v1/logs").body["logs"]

    limits = [entry for entry in entries if entry["kind"] == "api_limit_reached"]
    # Uploads: 3 + 1 refused at 0 s (2 pass), 1 at 30 s (2 pass, 2.5 earned), 1 at 61 s. Writes: 1 at 62 s.
    logged = {(entry["at"], entry["lastAt"], entry["detail"]["subject"]): entry["count"] for entry in limits}
    start = minute // 1_000
    assert logged == {
        (start, start + 30_000, "upload"): 5,
        (start + 61_000, start + 61_000, "upload"): 1,
        (start + 62_000, start + 62_000, "write"): 1,
    }
    assert {entry["actor"] for entry in limits} == {"system"}


def test_a_new_plan_applies_to_the_next_request(explorer: NewOrganization) -> None:
    key = f"Bearer {explorer.secret_key}"
    with clock.frozen(lambda: START):
        codes = [call("POST", "/v1/uploads", key).status for _ in range(3)]
        organizations.set_plan(explorer.organization_id, Plan.STANDARD, api_limits=False, unlimited_api=False)
        upgraded = call("POST", "/v1/uploads", key)

    assert codes == [200, 200, 429]
    assert upgraded.status == 200
    assert upgraded.headers["ratelimit-policy"] == '"upload";q=300;w=60'
    assert upgraded.headers["ratelimit"] == '"upload";r=99;t=1'


class Throttling:
    """Refuses every update as DynamoDB does when a partition is hot."""

    def __init__(self, code: str) -> None:
        self.code = code

    def __call__(self, **_: Any) -> None:
        raise ClientError({"Error": {"Code": self.code, "Message": ""}}, "UpdateItem")


@pytest.mark.parametrize("code", ["ProvisionedThroughputExceededException", "TransactionConflictException"])
def test_a_request_is_admitted_if_its_allowance_cannot_be_written(
    tokens: dict[str, str], monkeypatch: pytest.MonkeyPatch, code: str
) -> None:
    monkeypatch.setattr(clients.dynamodb(), "update_item", Throttling(code))

    assert call("GET", "/v1/member", tokens["key"]).status == 200
    assert call("GET", "/v1/member", tokens["member"]).status == 200


def test_an_unknown_key_is_rejected_even_if_the_allowance_cannot_be_written(
    organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients.dynamodb(), "update_item", Throttling("ThrottlingException"))
    wrong = organization.secret_key[:-1] + ("a" if organization.secret_key[-1] != "a" else "b")

    assert call("GET", "/v1/member", f"Bearer {wrong}").code == "invalid_api_key"
    assert (
        call("GET", "/v1/member", f"Bearer {issue_token(ids.new('org'), role='owner', name='O')}").code
        == "invalid_token"
    )


def test_a_rate_limit_error_that_cannot_be_logged_is_still_returned(
    explorer: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = f"Bearer {explorer.secret_key}"
    real = clients.dynamodb().update_item

    def hot_log(**request: Any) -> Any:
        if request["Key"]["SK"]["S"].startswith("LOG#"):
            Throttling("ThrottlingException")()
        return real(**request)

    monkeypatch.setattr(clients.dynamodb(), "update_item", hot_log)
    with clock.frozen(lambda: START):
        codes = [call("POST", "/v1/uploads", key).status for _ in range(3)]

    assert codes == [200, 200, 429]


def test_messages_accept_a_key_and_no_token(api: Client, admin: Client, anonymous: Client) -> None:
    assert api.post("/v1/messages", MESSAGE).status == 200
    refused = admin.post("/v1/messages", MESSAGE)
    assert (refused.status, refused.code) == (401, "invalid_api_key")
    assert anonymous.post("/v1/messages", MESSAGE).code == "missing_api_key"
