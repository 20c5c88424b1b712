"""The authorization code grant, from the first request to the tokens (RFC 6749, 4.1; RFC 7636; RFC 9207; RFC 8707)."""

import base64
from collections.abc import Callable

import pytest

from helpdesk.accounts.oauth.record import OAuthClient
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import clock
from helpdesk.storage import table
from tests.integration.oauth.conftest import CALLBACK, ISSUER, VERIFIER, Clock, Program, register
from tests.support.api import Answer, Client
from tests.support.aws import recorded_calls
from tests.support.people import make_person
from tests.support.rules import for_each
from tests.support.table import everything
from tests.support.visitor import Visitor, parts_of, send_form

type CodeOf = Callable[..., str]


def test_a_person_signs_in_and_allows_and_the_program_acts_for_them(
    program: Program, visitor: Visitor, sign_in: Callable[..., Answer]
) -> None:
    page = visitor.open(program.authorize_url(state="s p&c=e"))
    assert "Sign in" in page.body
    page = sign_in(visitor)
    assert "Let Trier act for you?" in page.body
    assert "client.example.com" in page.body
    assert "ada@example.com" in page.body

    answer = visitor.press(("decision", "allow"), action="/consent")

    assert answer.status == 303
    where, answered = parts_of(answer.headers["location"])
    assert where == CALLBACK
    assert set(answered) == {"code", "state", "iss"}
    assert (answered["state"], answered["iss"]) == ("s p&c=e", ISSUER)
    tokens = program.exchange(answered["code"])
    assert tokens.status == 200
    assert tokens.headers["cache-control"] == "no-store"
    assert (tokens.body["token_type"], tokens.body["expires_in"], tokens.body["scope"]) == (
        "Bearer",
        3_600,
        "api",
    )
    me = Client(tokens.body["access_token"]).get("/v1/me")
    assert me.status == 200
    assert me.body["user"]["email"] == "ada@example.com"
    assert me.body["organization"] is None


def test_a_token_acts_in_the_organization_that_was_chosen(
    program: Program, code_of: CodeOf, organization: NewOrganization
) -> None:
    make_person(organization.organization_id, role="admin", name="Ada", email="ada@example.com")

    tokens = program.exchange(code_of(program, organization=organization.organization_id)).body

    client = Client(tokens["access_token"])
    assert client.get("/v1/me").body["organization"]["id"] == organization.organization_id
    assert client.get("/v1/webhooks").status == 200


def test_the_page_offers_only_the_persons_organizations(
    program: Program,
    visitor: Visitor,
    sign_in: Callable[..., Answer],
    organization: NewOrganization,
    other_organization: NewOrganization,
) -> None:
    make_person(organization.organization_id, role="member", name="Ada", email="ada@example.com")
    visitor.open(program.authorize_url())

    page = sign_in(visitor)
    assert organization.organization_id in page.body
    assert other_organization.organization_id not in page.body
    refused = visitor.press(
        ("decision", "allow"), action="/consent", organization=other_organization.organization_id
    )

    assert refused.status == 400
    assert "Choose one of your organizations." in refused.body


def test_a_refusal_is_redirected_with_state_and_issuer(
    program: Program, visitor: Visitor, sign_in: Callable[..., Answer]
) -> None:
    visitor.open(program.authorize_url())
    sign_in(visitor)

    answer = visitor.press(("decision", "deny"), action="/consent")

    where, answered = parts_of(answer.headers["location"])
    assert where == CALLBACK
    assert answered == {
        "error": "access_denied",
        "error_description": "The person denied the request.",
        "state": "xyz",
        "iss": ISSUER,
    }


@for_each(
    ("changed", "error"),
    [
        ({"response_type": None}, "invalid_request"),
        ({"response_type": ""}, "invalid_request"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"response_type": "code id_token"}, "unsupported_response_type"),
        ({"code_challenge": None}, "invalid_request"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM="}, "invalid_request"),
        ({"code_challenge_method": None}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"resource": "https://other.example.com"}, "invalid_target"),
        ({"resource": ISSUER + "evil"}, "invalid_target"),
        ({"resource": ISSUER + "/x#fragment"}, "invalid_target"),
        ({"resource": ISSUER + "/../../else"}, "invalid_target"),
    ],
)
def test_an_invalid_request_is_a_page_that_names_the_error_and_never_a_redirect(
    program: Program, visitor: Visitor, changed: dict[str, str | None], error: str
) -> None:
    answer = visitor.open(program.authorize_url(**changed))

    assert (answer.status, "location" in answer.headers) == (400, False)
    assert f"made a mistake ({error}):" in answer.body


def test_an_invalid_request_of_a_person_who_is_signed_in_does_not_redirect_either(
    program: Program, visitor: Visitor, sign_in: Callable[..., Answer]
) -> None:
    visitor.open(program.authorize_url())
    sign_in(visitor)

    answer = visitor.open(program.authorize_url(response_type="token"))

    assert (answer.status, "location" in answer.headers) == (400, False)


@for_each("name", ["scope", "state", "code_challenge"])
def test_a_repeated_parameter_is_named_on_the_page(program: Program, visitor: Visitor, name: str) -> None:
    answer = visitor.open(program.authorize_url(scope="api") + f"&{name}=other")

    assert (answer.status, "location" in answer.headers) == (400, False)
    assert f"(invalid_request): {name} was sent more than once." in answer.body


def test_a_repeated_parameter_with_a_name_of_its_own_is_not_shown(program: Program, visitor: Visitor) -> None:
    answer = visitor.open(program.authorize_url() + "&call-us-now=1&call-us-now=2")

    assert answer.status == 400
    assert "A parameter was sent more than once." in answer.body
    assert "call-us-now" not in answer.body


@for_each("resource", [ISSUER, ISSUER + "/", ISSUER + "/mcp"])
def test_the_resource_is_the_api_or_an_address_below_it(
    program: Program, visitor: Visitor, resource: str
) -> None:
    assert "Sign in" in visitor.open(program.authorize_url(resource=resource)).body


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"redirect_uri": CALLBACK + "/"}, "invalid_grant"),
        ({"redirect_uri": ""}, "invalid_grant"),
        ({"code_verifier": VERIFIER[:-1] + "l"}, "invalid_grant"),
        ({"code_verifier": ""}, "invalid_request"),
        ({"code_verifier": "x" * 42}, "invalid_grant"),
        ({"code": "unknown"}, "invalid_grant"),
        ({"code": "0" * 43}, "invalid_grant"),
        ({"code": ""}, "invalid_request"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
        ({"grant_type": ""}, "invalid_request"),
        ({"resource": "https://other.example.com"}, "invalid_target"),
    ],
)
def test_an_exchange_that_does_not_match_is_refused_and_the_code_still_works(
    program: Program, code_of: CodeOf, changed: dict[str, str], error: str
) -> None:
    code = code_of(program)
    fields = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": CALLBACK,
        "code_verifier": VERIFIER,
    }

    refused = program.token(**(fields | changed))

    assert (refused.status, refused.body["error"]) == (400, error)
    assert refused.headers["cache-control"] == "no-store"
    assert program.exchange(code).status == 200


def test_a_code_belongs_to_its_client(program: Program, code_of: CodeOf) -> None:
    other = register()

    answer = other.exchange(code_of(program))

    assert (answer.status, answer.body["error"]) == (400, "invalid_grant")


def test_a_code_used_twice_revokes_all_its_tokens(program: Program, code_of: CodeOf) -> None:
    code = code_of(program)
    first = program.exchange(code).body
    second = program.refresh(first["refresh_token"]).body

    again = program.exchange(code)

    assert (again.status, again.body["error"]) == (400, "invalid_grant")
    for tokens in (first, second):
        assert Client(tokens["access_token"]).get("/v1/me").code == "invalid_token"
    assert program.refresh(second["refresh_token"]).body["error"] == "invalid_grant"


def test_a_code_lasts_two_minutes(program: Program, code_of: CodeOf, now: Clock) -> None:
    code, late = code_of(program), code_of(program)
    now.pass_by(119)
    assert program.exchange(code).status == 200
    now.pass_by(1)

    answer = program.exchange(late)

    assert (answer.status, answer.body["error"]) == (400, "invalid_grant")


def test_a_request_is_answered_once(
    program: Program, visitor: Visitor, sign_in: Callable[..., Answer]
) -> None:
    visitor.open(program.authorize_url())
    sign_in(visitor)
    where, fields = visitor.form("/consent")
    assert visitor.send(where, {**fields, "decision": "allow"}).status == 303

    again = visitor.send(where, {**fields, "decision": "allow"})

    assert (again.status, "location" in again.headers) == (400, False)
    assert "no longer valid" in again.body


def test_a_request_lasts_half_an_hour(program: Program, visitor: Visitor, now: Clock) -> None:
    visitor.open(program.authorize_url())
    handle = visitor.form()[1]["then"].partition(":")[2]
    now.pass_by(30 * 60)

    assert visitor.open(f"/v1/oauth/consent?request={handle}").status == 400


def test_a_request_belongs_to_the_browser_that_began_it(program: Program, visitor: Visitor) -> None:
    visitor.open(program.authorize_url())
    handle = visitor.form()[1]["then"].partition(":")[2]

    assert Visitor().open(f"/v1/oauth/consent?request={handle}").status == 400


@pytest.mark.parametrize("method", ["client_secret_post", "client_secret_basic"])
def test_a_client_with_a_secret_must_send_it(method: str, code_of: CodeOf) -> None:
    program = register(token_endpoint_auth_method=method)
    code = code_of(program)
    assert program.secret is not None

    for secret in ("", "wrong", program.secret[:-1]):
        refused = Program(program.id, secret, {}).exchange(code)
        assert (refused.status, refused.body["error"]) == (401, "invalid_client")
        assert refused.headers["www-authenticate"].startswith("Basic ")
    assert program.exchange(code).status == 200


@for_each(
    "sent",
    ["", ":", "a", "!", "bm9jb2xvbg==", "/w==", "/zo=", "JUVEJUEwJTgwOiUwMA==", "gr\u00fc\u00df", "\udcff"],
)
def test_malformed_http_basic_does_not_authenticate(sent: str) -> None:
    answer = send_form("/v1/oauth/token", {"grant_type": "refresh_token"}, authorization=f"Basic {sent}")

    assert (answer.status, answer.body["error"]) == (401, "invalid_client")


def test_http_basic_and_a_secret_in_the_form_exclude_each_other() -> None:
    program = register(token_endpoint_auth_method="client_secret_basic")
    credentials = base64.b64encode(f"{program.id}:{program.secret}".encode()).decode()
    basic = {"authorization": f"Basic {credentials}"}
    fields = {"grant_type": "refresh_token", "refresh_token": "x"}

    assert send_form("/v1/oauth/token", fields, **basic).body["error"] == "invalid_grant"
    twice = send_form("/v1/oauth/token", {**fields, "client_secret": program.secret or ""}, **basic)
    assert twice.body["error"] == "invalid_request"
    other = send_form("/v1/oauth/token", {**fields, "client_id": "client_x"}, **basic)
    assert other.body["error"] == "invalid_request"


@for_each(
    ("body", "headers"),
    [
        ('{"grant_type": "refresh_token"}', {"content-type": "application/json"}),
        ("grant_type=refresh_token&grant_type=refresh_token&client_id=x", {}),
        ("%ff=%ff", {}),
        (None, {}),
    ],
)
def test_a_body_that_is_not_a_form_is_refused_in_oauths_format(
    body: str | None, headers: dict[str, str]
) -> None:
    sent = {"content-type": "application/x-www-form-urlencoded", **headers}

    answer = Client().request("POST", "/v1/oauth/token", body, **sent)

    assert answer.status in {400, 401}
    assert answer.body["error"] in {"invalid_request", "invalid_client"}


def test_the_table_holds_no_secret_of_a_login(
    program: Program, code_of: CodeOf, mails: list[tuple[str, str]]
) -> None:
    code = code_of(program)
    tokens = program.exchange(code).body

    stored = repr(everything())

    for secret in (
        code,
        tokens["access_token"],
        tokens["refresh_token"],
        tokens["refresh_token"][-22:],
        VERIFIER,
    ):
        assert secret not in stored
    assert mails[-1][1] not in [value for item in everything() for value in item.values()]


def test_an_approved_client_is_kept_for_good(program: Program, code_of: CodeOf) -> None:
    key = OAuthClient.key_for(program.id)
    before = table.get(key)
    assert before is not None
    assert 89 * 86_400 < before["expiresAt"] - clock.now_ms() // 1_000 <= 90 * 86_400

    program.exchange(code_of(program))

    assert "expiresAt" not in (table.get(key) or {})


def test_an_exchange_costs_a_bucket_three_reads_and_a_transaction(program: Program, code_of: CodeOf) -> None:
    code = code_of(program)

    with recorded_calls() as calls:
        program.exchange(code)

    assert calls == [
        "dynamodb:UpdateItem",  # the bucket of the address
        "dynamodb:GetItem",
        "dynamodb:GetItem",
        "dynamodb:GetItem",  # the person, whose access the log names
        "dynamodb:TransactWriteItems",
    ]
