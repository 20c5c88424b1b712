"""A person with a real browser on the deployed local stack: signs in by mail, and lets a program act, or not."""

import base64
import hashlib
import http.server
import json
import re
import threading
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, Page

from tests.support.chromium import chromium as chromium  # noqa: PLC0414 - a fixture
from tests.support.chromium import installed
from tests.support.web import Web, eventually

DEVICE = "urn:ietf:params:oauth:grant-type:device_code"
VERIFIER = "v" * 64
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")

pytestmark = installed


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A page of a browser of its own that runs no scripts: the pages have none."""
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.set_default_timeout(40_000)
    yield page
    context.close()


@dataclass
class Program:
    """A program on this machine that waits for the browser to come back."""

    base_url: str
    id: str
    callback: str
    redirects: list[dict[str, str]] = field(default_factory=list)

    def address(self, state: str) -> str:
        asked = {
            "response_type": "code",
            "client_id": self.id,
            "redirect_uri": self.callback,
            "state": state,
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
        }
        return f"{self.base_url}/v1/oauth/authorize?{urlencode(asked)}"

    def token(self, **fields: str) -> httpx.Response:
        sent = {"client_id": self.id, **fields}
        return httpx.post(f"{self.base_url}/v1/oauth/token", data=sent, timeout=40)


@pytest.fixture
def program(stack: Mapping[str, str]) -> Iterator[Program]:
    """A program that has registered and listens on loopback."""
    redirects: list[dict[str, str]] = []

    class Callback(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if urlsplit(self.path).path == "/callback":
                redirects.append(dict(parse_qsl(urlsplit(self.path).query)))
            self.send_response(200)
            self.send_header("content-type", "text/plain")
            self.end_headers()
            self.wfile.write(b"Back in the program.")

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Callback)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    callback = f"http://127.0.0.1:{server.server_port}/callback"
    wanted = {
        "client_name": "Trier",
        "redirect_uris": ["http://127.0.0.1/callback"],
        "token_endpoint_auth_method": "none",
        "grant_types": ["authorization_code", "refresh_token", DEVICE],
    }
    answer = Web(stack["base_url"]).post("/v1/oauth/register", wanted)
    assert answer.status == 201, answer
    yield Program(stack["base_url"], answer.body["client_id"], callback, redirects)
    server.shutdown()
    server.server_close()


def code_mailed_to(stack: Mapping[str, str], email: str) -> str:
    """Return the one-time code that was mailed to an address."""

    def look() -> str | None:
        with urllib.request.urlopen(stack["mail_json_url"]) as answer:
            by_account: dict[str, list[dict[str, Any]]] = json.load(answer)["messages"]
        mails = [mail for sent in by_account.values() for mail in sent if mail["To"] == [email]]
        codes = [mail["BodyText"] for mail in mails if mail["Subject"] == "Your code to sign in"]
        found = re.search(r"\b[0-9]{6}\b", codes[-1]) if codes else None
        return found[0] if found else None

    return eventually(look)


def sign_in(page: Page, stack: Mapping[str, str]) -> str:
    """Sign in as somebody new on the page shown; return the address."""
    email = f"{uuid.uuid4().hex}@example.com"
    page.get_by_label("E-mail address").fill(email)
    page.get_by_role("button", name="Send me a code").click()
    page.get_by_label("Six-digit code").fill(code_mailed_to(stack, email))
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="act for you?").wait_for()
    return email


def me(program: Program, access_token: str) -> dict[str, Any]:
    answer = Web(program.base_url, access_token).get("/v1/me")
    assert answer.status == 200, answer
    return dict(answer.body)


def test_a_person_signs_in_allows_and_is_led_back_to_the_program(
    page: Page, stack: Mapping[str, str], program: Program
) -> None:
    page.goto(program.address("s t&te"))
    email = sign_in(page, stack)
    assert page.get_by_text("a program on this computer").is_visible()
    page.get_by_role("button", name="Allow", exact=True).click()
    page.get_by_text("Back in the program.").wait_for()

    [redirect] = program.redirects
    assert (redirect["state"], redirect["iss"]) == ("s t&te", f"{stack['base_url']}/v1")
    tokens = program.token(
        grant_type="authorization_code",
        code=redirect["code"],
        redirect_uri=program.callback,
        code_verifier=VERIFIER,
    ).json()
    assert me(program, tokens["access_token"])["user"]["email"] == email
    renewed = program.token(grant_type="refresh_token", refresh_token=tokens["refresh_token"]).json()
    assert me(program, renewed["access_token"])["user"]["email"] == email


def test_no_leads_back_with_an_error(page: Page, stack: Mapping[str, str], program: Program) -> None:
    page.goto(program.address("state"))
    sign_in(page, stack)
    page.get_by_role("button", name="Do not allow").click()
    page.get_by_text("Back in the program.").wait_for()

    [redirect] = program.redirects
    assert (redirect["error"], redirect["state"]) == ("access_denied", "state")
    assert "code" not in redirect


def test_a_device_is_connected(page: Page, stack: Mapping[str, str], program: Program) -> None:
    login = httpx.post(
        f"{program.base_url}/v1/oauth/device_authorization", data={"client_id": program.id}, timeout=40
    ).json()
    page.goto(login["verification_uri"])
    page.get_by_label("Code").fill("BCDF-GHJK")
    page.get_by_role("button", name="Continue").click()
    assert page.get_by_role("alert").is_visible()
    page.get_by_label("Code").fill(login["user_code"].lower())
    page.get_by_role("button", name="Continue").click()
    email = sign_in(page, stack)
    assert page.get_by_text(login["user_code"]).is_visible()
    page.get_by_role("button", name="Allow", exact=True).click()
    page.get_by_role("heading", name="Your device is connected").wait_for()

    tokens = program.token(grant_type=DEVICE, device_code=login["device_code"]).json()
    assert me(program, tokens["access_token"])["user"]["email"] == email


def test_the_path_of_an_invitation_opens_the_page_that_accepts_it(
    page: Page, stack: Mapping[str, str]
) -> None:
    email = f"{uuid.uuid4().hex}@example.com"
    inviter = Web(stack["base_url"], stack["owner_token"])
    invited = inviter.post("/v1/invites", {"email": email, "role": "member"})
    assert invited.status == 200, invited

    page.goto(stack["base_url"] + invited.body["path"])
    page.get_by_label("E-mail address").fill(email)
    page.get_by_role("button", name="Send me a code").click()
    page.get_by_label("Six-digit code").fill(code_mailed_to(stack, email))
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name="Join").click()
    page.get_by_text("You've joined").wait_for()

    members = inviter.get("/v1/members?limit=200").body["members"]
    assert [member["role"] for member in members if member["email"] == email] == ["member"]


def test_a_wrong_code_is_shown_where_a_screen_reader_finds_it(
    page: Page, stack: Mapping[str, str], program: Program
) -> None:
    page.goto(program.address("state"))
    email = f"{uuid.uuid4().hex}@example.com"
    page.get_by_label("E-mail address").fill(email)
    page.get_by_role("button", name="Send me a code").click()
    right = code_mailed_to(stack, email)
    page.get_by_label("Six-digit code").fill(f"{(int(right) + 1) % 1_000_000:06}")
    page.get_by_role("button", name="Sign in").click()

    assert page.get_by_role("alert").inner_text() == "This is not the code. You have 4 more tries."
    field = page.get_by_label("Six-digit code")
    assert field.get_attribute("aria-describedby") == "problem"
    assert field.get_attribute("aria-invalid") == "true"


def test_a_page_fits_a_narrow_screen_and_obeys_its_own_policy(chromium: Browser, program: Program) -> None:
    context = chromium.new_context(viewport={"width": 360, "height": 640})
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))

    page.goto(program.address("state"))

    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    # The style sheet is in force: by its hash in the policy.
    assert page.evaluate("getComputedStyle(document.querySelector('main')).borderTopLeftRadius") == "14px"
    assert page.evaluate("document.activeElement.id") == "email"
    assert [text for text in said if "Content Security Policy" in text] == []
    context.close()
