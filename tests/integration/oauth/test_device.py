"""Device login: a code on a device, typed in elsewhere (RFC 8628)."""

from tests.integration.oauth.conftest import ISSUER, Clock, Program, SignIn, register
from tests.support.api import Answer, Client
from tests.support.rules import for_each
from tests.support.table import of_kind
from tests.support.visitor import Visitor, send_form


def typed_in(visitor: Visitor, code: str) -> Answer:
    visitor.open("/v1/oauth/device")
    return visitor.press(user_code=code)


def test_a_device_logs_in(program: Program, visitor: Visitor, sign_in: SignIn, now: Clock) -> None:
    login = program.begin_device()
    assert login["verification_uri"] == f"{ISSUER}/oauth/device"
    assert login["verification_uri_complete"] == f"{ISSUER}/oauth/device?user_code={login['user_code']}"
    assert (login["expires_in"], login["interval"]) == (600, 5)
    assert program.poll(login["device_code"]).body["error"] == "authorization_pending"

    typed_in(visitor, login["user_code"])
    page = sign_in(visitor)
    assert login["user_code"] in page.body
    assert "If somebody sent you the code or this link, do not allow it" in page.body
    done = visitor.press(("decision", "allow"), action="/consent")

    assert done.status == 200
    assert "Your device is connected" in done.body
    now.pass_by(5)
    answer = program.poll(login["device_code"])
    assert answer.status == 200
    assert Client(answer.body["access_token"]).get("/v1/me").body["user"]["email"] == "ada@example.com"
    now.pass_by(5)
    assert program.poll(login["device_code"]).body["error"] == "invalid_grant"
    assert program.refresh(answer.body["refresh_token"]).status == 200


def test_a_link_with_the_code_fills_it_in_and_still_asks(program: Program, visitor: Visitor) -> None:
    login = program.begin_device()

    page = visitor.open(login["verification_uri_complete"])

    assert f'value="{login["user_code"]}"' in page.body
    assert "Sign in" in visitor.press().body


def test_a_link_with_something_else_fills_in_nothing(visitor: Visitor) -> None:
    page = visitor.open("/v1/oauth/device?user_code=%22%3E%3Cscript%3E")

    assert 'value=""' in page.body
    assert "<script" not in page.body


@for_each("code", ["", "BCDF-GHJK", "x" * 500])
def test_an_unknown_user_code_is_refused_on_the_page(visitor: Visitor, code: str) -> None:
    page = typed_in(visitor, code)

    assert page.status == 400
    assert "No device is waiting with this code" in page.body
    assert 'role="alert"' in page.body


def test_a_device_learns_of_a_refusal(program: Program, visitor: Visitor, sign_in: SignIn) -> None:
    login = program.begin_device()
    typed_in(visitor, login["user_code"])
    sign_in(visitor)

    done = visitor.press(("decision", "deny"), action="/consent")

    assert "Not connected" in done.body
    assert program.poll(login["device_code"]).body["error"] == "access_denied"


def test_a_code_is_decided_once(program: Program, visitor: Visitor, sign_in: SignIn) -> None:
    login = program.begin_device()
    typed_in(visitor, login["user_code"])
    sign_in(visitor)
    other = Visitor(cookies=dict(visitor.cookies))
    typed_in(other, login["user_code"])
    visitor.press(("decision", "deny"), action="/consent")

    late = other.press(("decision", "allow"), action="/consent")

    assert late.status == 400
    assert program.poll(login["device_code"]).body["error"] == "access_denied"
    assert "No device is waiting" in typed_in(visitor, login["user_code"]).body


def test_polling_too_early_slows_the_device_down_by_five_seconds(program: Program, now: Clock) -> None:
    code = program.begin_device()["device_code"]
    said = [program.poll(code).body["error"]]
    for seconds in (4, 9, 10, 14):
        now.pass_by(seconds)
        said.append(program.poll(code).body["error"])

    assert said == [
        "authorization_pending",
        "slow_down",  # 4 of 5 seconds; from now on 10
        "slow_down",  # 9 of 10; from now on 15
        "slow_down",  # 10 of 15; from now on 20
        "slow_down",
    ]
    now.pass_by(25)
    assert program.poll(code).body["error"] == "authorization_pending"


def test_polling_every_five_seconds_is_never_too_early(program: Program, now: Clock) -> None:
    code = program.begin_device()["device_code"]
    said = set()
    for _ in range(20):
        said.add(program.poll(code).body["error"])
        now.pass_by(4.9)

    assert said == {"authorization_pending"}


def test_both_codes_last_ten_minutes(program: Program, visitor: Visitor, now: Clock, sign_in: SignIn) -> None:
    login = program.begin_device()
    typed_in(visitor, login["user_code"])
    sign_in(visitor)
    now.pass_by(600)

    assert program.poll(login["device_code"]).body["error"] == "expired_token"
    assert visitor.press(("decision", "allow"), action="/consent").status == 400
    assert "No device is waiting" in typed_in(visitor, login["user_code"]).body


def test_an_approved_login_expires_if_it_is_fetched_too_late(
    program: Program, visitor: Visitor, now: Clock, sign_in: SignIn
) -> None:
    login = program.begin_device()
    typed_in(visitor, login["user_code"])
    sign_in(visitor)
    visitor.press(("decision", "allow"), action="/consent")
    now.pass_by(600)

    assert program.poll(login["device_code"]).body["error"] == "expired_token"
    assert of_kind("GRANT") == []


def test_a_device_code_belongs_to_its_client(program: Program) -> None:
    assert register().poll(program.begin_device()["device_code"]).body["error"] == "invalid_grant"


@for_each("code", ["unknown", "0" * 43, "#"])
def test_an_unknown_device_code_is_refused(program: Program, code: str) -> None:
    assert program.poll(code).body["error"] == "invalid_grant"


def test_a_client_must_be_registered_for_the_device_grant() -> None:
    program = register(grant_types=["authorization_code"])

    answer = send_form("/v1/oauth/device_authorization", {"client_id": program.id})

    assert (answer.status, answer.body["error"]) == (400, "unauthorized_client")
    assert program.poll("0" * 43).body["error"] == "unauthorized_client"


@for_each(
    ("fields", "error"),
    [
        ({}, "invalid_client"),
        ({"client_id": "client_01jd3kq8v5zt4m9rx2c7w6ybne"}, "invalid_client"),
        ({"resource": "https://other.example.com"}, "invalid_target"),
    ],
)
def test_an_invalid_device_login_is_refused(program: Program, fields: dict[str, str], error: str) -> None:
    sent = fields if not fields or "client_id" in fields else {"client_id": program.id, **fields}

    assert send_form("/v1/oauth/device_authorization", sent).body["error"] == error


def test_a_repeated_parameter_starts_no_device_login(program: Program) -> None:
    fields = [("client_id", program.id), ("scope", "a"), ("scope", "b")]

    assert send_form("/v1/oauth/device_authorization", fields).body["error"] == "invalid_request"


def test_guesses_of_user_codes_are_limited(visitor: Visitor) -> None:
    statuses = [typed_in(visitor, "BCDF-GHJK").status for _ in range(10)]
    refused = typed_in(visitor, "BCDF-GHJK")

    assert statuses == [400] * 10
    assert refused.status == 429
    assert int(refused.headers["retry-after"]) >= 1
    # A fresh browser at the same address has no more tries; one elsewhere has its own.
    assert typed_in(Visitor(), "BCDF-GHJK").status == 429
    assert typed_in(Visitor(address="192.0.2.2"), "BCDF-GHJK").status == 400


def test_without_a_network_address_a_browser_has_its_own_limit() -> None:
    first, second = Visitor(address=""), Visitor(address="")
    for _ in range(10):
        typed_in(first, "BCDF-GHJK")

    assert typed_in(first, "BCDF-GHJK").status == 429
    assert typed_in(second, "BCDF-GHJK").status == 400
