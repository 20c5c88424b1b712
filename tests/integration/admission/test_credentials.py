"""Credentials over HTTP: in which forms they come, when they end, and the calls that they cost.

What each kind of route answers to each kind of credential: test_every_route.py.
"""

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.api.admission.record import Allowance
from helpdesk.platform import clock, ids
from helpdesk.storage import table
from tests.support.api import Context, gateway_event
from tests.support.aws import recorded_calls
from tests.support.people import issue_token, make_person, token_of
from tests.support.small_api import SMALL, START, call


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


def test_a_person_without_an_organization_reads_how_they_get_one(organization: NewOrganization) -> None:
    nobody = make_person(None, role="member", name="Nobody")
    member = make_person(organization.organization_id, role="member", name="Max")

    def message(person: str) -> str:
        return call("GET", "/v1/member", f"Bearer {token_of(person, None)}").message

    assert message(nobody) == (
        "You don't belong to an organization. Create one with POST /v1/organizations, or ask an admin of an "
        "organization to invite you."
    )
    assert message(member) == (
        "This token is not bound to an organization. Choose one of yours with POST /v1/me/organization; GET /v1/me "
        "lists them."
    )


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
        Allowance.key_for(organization.organization_id, "read"),
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
    table.update(PersonRecord.key_for(user_id), "SET organizations = :none", values={":none": {}})

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
        PersonRecord.key_for(user_id),
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
