"""What guards the pages: forged forms, frames, scripts, open redirects, and text that is no HTML."""

import re
from itertools import product

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from tests.integration.oauth.conftest import BASE_URL, CALLBACK, Program, SignIn, register
from tests.support.api import Answer, Client
from tests.support.people import make_person, token_of
from tests.support.rules import for_each
from tests.support.table import of_kind
from tests.support.visitor import Visitor

FORMS = ["/v1/oauth/sign-in", "/v1/oauth/code", "/v1/oauth/sign-out", "/v1/oauth/consent", "/v1/oauth/device"]


@pytest.fixture
def asked(program: Program, visitor: Visitor, sign_in: SignIn) -> Visitor:
    """A browser that shows the page on which a person approves."""
    visitor.open(program.authorize_url())
    sign_in(visitor)
    return visitor


@for_each(("path", "csrf"), product(FORMS, ["", "0" * 64, "é"]))
def test_a_form_without_the_browsers_own_token_is_refused(asked: Visitor, path: str, csrf: str) -> None:
    answer = asked.send(path, {"decision": "allow", "csrf": csrf, "then": "consent:" + "0" * 43})

    assert answer.status == 403
    assert "Please try again" in answer.body
    assert "location" not in answer.headers


@for_each("path", FORMS)
def test_a_form_with_another_browsers_token_is_refused(asked: Visitor, path: str) -> None:
    other = Visitor()
    other.open("/v1/oauth/device")

    assert asked.send(path, {"csrf": other.form()[1]["csrf"]}).status == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "https://evil.example.com"},
        {"origin": "http://support.example.com"},
        {"origin": "https://support.example.com.evil.example.com"},
    ],
)
def test_a_form_from_another_site_is_refused_even_with_the_token(
    asked: Visitor, headers: dict[str, str]
) -> None:
    where, fields = asked.form("/consent")
    asked.headers = {}

    answer = asked.send(where, {**fields, "decision": "allow"}, **headers)

    assert answer.status == 403
    assert of_kind("CODE") == []


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"origin": "null"},
        {"origin": BASE_URL},
        {"sec-fetch-site": "same-origin", "origin": "null"},
    ],
)
def test_a_form_from_our_page_is_accepted(asked: Visitor, headers: dict[str, str]) -> None:
    where, fields = asked.form("/consent")
    asked.headers = {}

    assert asked.send(where, {**fields, "decision": "allow"}, **headers).status == 303


def test_a_form_of_a_browser_without_cookies_is_refused(asked: Visitor) -> None:
    where, fields = asked.form("/consent")
    asked.cookies = {}

    assert asked.send(where, fields).status == 403


def test_a_page_accepts_only_a_form(asked: Visitor) -> None:
    where, fields = asked.form("/consent")

    answer = asked._ask("POST", where, str(fields), **{"content-type": "text/plain"})

    assert answer.status == 400
    assert answer.headers["content-type"].startswith("text/html")


def every_page(asked: Visitor, program: Program) -> list[Answer]:
    fresh = Visitor()
    return [
        asked.page,
        asked.open("/v1/oauth/device"),
        asked.press(user_code="x"),
        fresh.open(program.authorize_url()),
        fresh.press(email="x"),
        fresh.press(email="eve@example.com"),
        fresh.press(code="x"),
        fresh.open("/v1/oauth/authorize"),
        fresh.open("/v1/oauth/consent?request=x"),
        fresh.open("/v1/invite/" + "0" * 43),
        fresh.open("/v1/invite/%23"),
        fresh.send("/v1/oauth/sign-in", {}),
    ]


def test_every_page_runs_loads_and_embeds_nothing(asked: Visitor, program: Program) -> None:
    for page in every_page(asked, program):
        policy = dict(
            part.strip().partition(" ")[::2] for part in page.headers["content-security-policy"].split(";")
        )
        assert policy["default-src"] == "'none'"
        assert re.fullmatch(r"'sha256-[A-Za-z0-9+/]{43}='", policy["style-src"])
        assert policy["form-action"] in {"'self'", "'self' https:"}
        assert policy["frame-ancestors"] == "'none'"
        assert policy["base-uri"] == "'none'"
        assert page.headers["x-frame-options"] == "DENY"
        assert page.headers["referrer-policy"] == "no-referrer"
        assert page.headers["cache-control"] == "no-store"
        assert page.headers["x-content-type-options"] == "nosniff"
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert "<script" not in page.body
        assert " style=" not in page.body
        assert not re.search(r"\son\w+=", page.body)


def test_every_page_has_language_title_heading_and_labels(asked: Visitor, program: Program) -> None:
    for page in every_page(asked, program):
        assert '<html lang="en">' in page.body
        assert re.search(r"<title>[^<]+ · Helpdesk</title>", page.body)
        assert page.body.count("<h1>") == 1
        for field in re.findall(r'<(?:input|select) id="(\w+)"', page.body):
            assert f'<label for="{field}">' in page.body


@pytest.mark.parametrize(
    ("uri", "targets"),
    [
        (CALLBACK, "'self' https:"),
        ("http://127.0.0.1:8123/cb", "'self' https: http://127.0.0.1:8123"),
        ("http://localhost/cb", "'self' https: http://localhost"),
        ("http://[::1]:8123/cb", "'self' https: http:"),
        ("com.example.app:/cb", "'self' com.example.app:"),
    ],
)
def test_the_consent_form_may_lead_only_to_the_program(sign_in: SignIn, uri: str, targets: str) -> None:
    program, visitor = register(redirect_uris=[uri]), Visitor()
    visitor.open(program.authorize_url(redirect_uri=uri))
    page = sign_in(visitor)

    assert f"form-action {targets};" in page.headers["content-security-policy"]


HOSTILE = "</h1><script>alert(1)</script>\"'&{x}{0}"


def test_a_programs_name_is_text(sign_in: SignIn) -> None:
    program, visitor = register(client_name=HOSTILE), Visitor()
    visitor.open(program.authorize_url())

    page = sign_in(visitor)

    assert "<script" not in page.body
    assert "&lt;/h1&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#34;&#39;&amp;{x}{0}" in page.body


def test_typed_text_is_escaped(program: Program, visitor: Visitor) -> None:
    visitor.open(program.authorize_url())

    page = visitor.press(email=HOSTILE)

    assert "<script" not in page.body
    assert "&lt;/h1&gt;" in page.body


@pytest.mark.parametrize(
    "then",
    [
        "https://evil.example.com",
        "//evil.example.com",
        "consent:",
        "consent:../../../evil",
        "consent:" + "0" * 42 + "/",
        "invite:https://evil.example.com",
        "elsewhere:" + "0" * 43,
        "consent:" + "0" * 43 + "\nlocation: https://evil.example.com",
    ],
)
def test_signing_in_leads_only_to_our_pages(asked: Visitor, then: str) -> None:
    csrf = asked.form("/consent")[1]["csrf"]

    for path in ("/v1/oauth/sign-in", "/v1/oauth/code", "/v1/oauth/sign-out"):
        answer = asked.send(path, {"csrf": csrf, "then": then, "email": "ada@example.com"})
        assert answer.status == 403
        assert "location" not in answer.headers


def invited(organization: NewOrganization, email: str) -> str:
    """Invite an address, and return the path that its mail leads to."""
    owner = make_person(organization.organization_id, role="owner", name="Olga", email="olga@example.org")
    made = Client(token_of(owner, organization.organization_id)).post(
        "/v1/invites", {"email": email, "role": "admin"}
    )
    assert made.status == 200, made.body
    return str(made.body["path"])


def test_an_invited_person_joins_on_the_page(organization: NewOrganization, sign_in: SignIn) -> None:
    visitor, path = Visitor(), invited(organization, "ada@example.com")
    page = visitor.open(path)
    assert 'value="ada@example.com"' in page.body
    page = sign_in(visitor)
    assert "Join Organization" in page.body
    assert "admin" in page.body

    done = visitor.press(action=path)

    assert done.status == 200
    assert "Welcome" in done.body
    [person] = [each for each in of_kind("PERSON") if each["email"] == "ada@example.com"]
    roles = {each: membership["role"] for each, membership in person["organizations"].items()}
    assert roles == {organization.organization_id: "admin"}
    assert visitor.open(path).status == 404


def test_another_person_with_the_link_cannot_join(organization: NewOrganization, sign_in: SignIn) -> None:
    visitor, path = Visitor(), invited(organization, "ada@example.com")
    visitor.open(path)
    page = sign_in(visitor, "eve@example.com")
    assert "You are signed in with another address" in page.body
    csrf = visitor.form("/sign-out")[1]["csrf"]

    forced = visitor.send(path, {"csrf": csrf})

    assert forced.status == 404
    [person] = [each for each in of_kind("PERSON") if each["email"] == "eve@example.com"]
    assert person["organizations"] == {}
    visitor.open(path)
    assert "Send me a code" in visitor.press(action="/sign-out").body


def test_only_the_pages_own_form_accepts_an_invitation(
    organization: NewOrganization, sign_in: SignIn
) -> None:
    visitor, path = Visitor(), invited(organization, "ada@example.com")
    visitor.open(path)
    sign_in(visitor)

    assert visitor.send(path, {"csrf": ""}).status == 403
