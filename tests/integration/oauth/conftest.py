"""A deployment with an address of its own, mail that is caught, and clients that registered."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import pytest

from helpdesk.mail import service as mail
from helpdesk.platform import clock
from helpdesk.platform.settings import settings
from tests.support.api import Answer, Client
from tests.support.visitor import Visitor, parts_of, send_form

BASE_URL = "https://support.example.com"
ISSUER = "https://support.example.com/v1"
CALLBACK = "https://client.example.com/callback"
VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"  # RFC 7636, appendix B
CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
EMAIL = "ada@example.com"

type Mails = list[tuple[str, str]]
type SignIn = Callable[..., Answer]


@pytest.fixture(autouse=True)
def _base_url(monkeypatch: pytest.MonkeyPatch, aws: None) -> None:
    monkeypatch.setenv("BASE_URL", BASE_URL)
    settings.cache_clear()


@pytest.fixture(autouse=True)
def mails(monkeypatch: pytest.MonkeyPatch) -> Mails:
    """What was mailed: address and code."""
    sent: Mails = []

    def send(email: str, code: str, minutes: int) -> None:
        sent.append((email, code))

    monkeypatch.setattr(mail, "send_code", send)
    return sent


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.us = time.time_ns() // 1_000

    def pass_by(self, seconds: float) -> None:
        self.us += int(seconds * 1_000_000)


@pytest.fixture
def now() -> Iterator[Clock]:
    """Time that stands still until the test moves it."""
    held = Clock()
    with clock.frozen(lambda: held.us):
        yield held


@dataclass
class Program:
    """A registered client."""

    id: str
    secret: str | None
    registered: dict[str, Any]

    def authorize_url(self, **changed: str | None) -> str:
        """Return the address of an authorization request; None leaves a parameter out."""
        asked: dict[str, str | None] = {
            "response_type": "code",
            "client_id": self.id,
            "redirect_uri": CALLBACK,
            "state": "xyz",
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            **changed,
        }
        return f"/v1/oauth/authorize?{urlencode({k: v for k, v in asked.items() if v is not None})}"

    def token(self, **fields: str) -> Answer:
        """Ask for tokens."""
        own = {"client_id": self.id, **({"client_secret": self.secret} if self.secret else {})}
        return send_form("/v1/oauth/token", {**own, **fields})

    def exchange(self, code: str, **changed: str) -> Answer:
        """Exchange a code."""
        asked = {"code": code, "redirect_uri": CALLBACK, "code_verifier": VERIFIER} | changed
        return self.token(grant_type="authorization_code", **asked)

    def refresh(self, refresh_token: str) -> Answer:
        """Ask for the next tokens."""
        return self.token(grant_type="refresh_token", refresh_token=refresh_token)

    def poll(self, device_code: str) -> Answer:
        """Ask whether the person has decided."""
        return self.token(grant_type=DEVICE, device_code=device_code)

    def begin_device(self, **changed: str) -> dict[str, Any]:
        """Begin a device's login."""
        answer = send_form("/v1/oauth/device_authorization", {"client_id": self.id} | changed)
        assert answer.status == 200, answer.body
        return dict(answer.body)

    def revoke(self, token: str) -> Answer:
        """Revoke a token."""
        own = {"client_id": self.id, **({"client_secret": self.secret} if self.secret else {})}
        return send_form("/v1/oauth/revoke", {**own, "token": token})


def register(**wanted: Any) -> Program:
    """Register a client: a public one with one redirect address, unless `wanted` says otherwise."""
    body = {
        "client_name": "Trier",
        "redirect_uris": [CALLBACK],
        "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code", "refresh_token", DEVICE],
    } | wanted
    answer = Client().post("/v1/oauth/register", body)
    assert answer.status == 201, answer.body
    return Program(answer.body["client_id"], answer.body.get("client_secret"), answer.body)


@pytest.fixture
def program() -> Program:
    """A public client."""
    return register()


@pytest.fixture
def visitor() -> Visitor:
    """A browser in which nobody is signed in."""
    return Visitor()


@pytest.fixture
def sign_in(mails: Mails) -> SignIn:
    """Sign a browser in on the page that it shows."""

    def signing_in(visitor: Visitor, email: str = EMAIL) -> Answer:
        assert visitor.press(email=email).status == 200
        return visitor.press(code=mails[-1][1])

    return signing_in


@pytest.fixture
def asked(program: Program, visitor: Visitor) -> Visitor:
    """A browser that shows the page to sign in on."""
    visitor.open(program.authorize_url())
    return visitor


@pytest.fixture
def code_of(sign_in: SignIn) -> Callable[..., str]:
    """Get a code for a client as a person who allows everything."""

    def get(program: Program, *, email: str = EMAIL, organization: str = "", **asked: str | None) -> str:
        visitor = Visitor()
        visitor.open(program.authorize_url(**asked))
        sign_in(visitor, email)
        answer = visitor.press(("decision", "allow"), action="/consent", organization=organization)
        assert answer.status == 303, answer.body
        return parts_of(answer.headers["location"])[1]["code"]

    return get


def without_secrets(answer: Answer) -> tuple[int, dict[str, str], str]:
    """Return an answer without what is random in it."""
    return answer.status, answer.headers, re.sub(r'value="[^"]*"|request=\w+', "", answer.body)
