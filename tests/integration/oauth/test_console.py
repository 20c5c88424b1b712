"""The console signs people in without asking for approval: what it gets, and what other pages cannot do with it."""

import re
from urllib.parse import urlencode

import pytest
from pydantic import SecretStr

from helpdesk.accounts.oauth import tokens
from helpdesk.accounts.oauth.errors import InvalidGrant
from helpdesk.accounts.oauth.schemas import TokenForm
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.storage import table
from scripts.mailbox import console as local_console
from tests.integration.oauth.conftest import (
    BASE_URL,
    CHALLENGE,
    EMAIL,
    ISSUER,
    VERIFIER,
    Clock,
    Program,
    SignIn,
)
from tests.support import effort
from tests.support.api import Answer, Client
from tests.support.interleaving import interleaved
from tests.support.people import make_person
from tests.support.rules import for_each
from tests.support.table import everything, of_kind
from tests.support.visitor import Visitor, parts_of, send_form

CALLBACK = "https://support.example.com/console/callback"
DAY = 86_400


def request_url(**changed: str | None) -> str:
    """Return the address of a sign-in as the console asks for one; None leaves a parameter out."""
    asked: dict[str, str | None] = {
        "response_type": "code",
        "client_id": "console",
        "redirect_uri": CALLBACK,
        "state": "xyz",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
        **changed,
    }
    return f"/v1/oauth/authorize?{urlencode({k: v for k, v in asked.items() if v is not None})}"


def silently(visitor: Visitor, **changed: str | None) -> dict[str, str]:
    """Ask for a token without a page; return the parameters of what leads back to the console."""
    answer = visitor.open(request_url(prompt="none", **changed))
    assert answer.status == 303, answer.body
    where, answered = parts_of(answer.headers["location"])
    assert where == CALLBACK
    return answered


def exchange(code: str, **changed: str) -> Answer:
    fields = {
        "grant_type": "authorization_code",
        "client_id": "console",
        "redirect_uri": CALLBACK,
        "code": code,
        "code_verifier": VERIFIER,
    }
    return send_form("/v1/oauth/token", fields | changed)


def token_of(visitor: Visitor, **changed: str | None) -> str:
    answer = exchange(silently(visitor, **changed)["code"])
    assert answer.status == 200, answer.body
    return str(answer.body["access_token"])


@pytest.fixture
def ada(organization: NewOrganization) -> str:
    """A person who belongs to the organization."""
    return make_person(organization.organization_id, role="admin", name="Ada", email=EMAIL)


@pytest.fixture
def browser(ada: str, sign_in: SignIn) -> Visitor:
    """A browser in which Ada signed in to the console."""
    visitor = Visitor()
    visitor.open(request_url())
    assert sign_in(visitor).status == 303
    return visitor


def test_the_console_leads_to_the_sign_in_page_and_straight_back(
    ada: str, visitor: Visitor, sign_in: SignIn, organization: NewOrganization
) -> None:
    page = visitor.open(request_url(state="s p&c=e"))
    assert "Sign in to open the console." in page.body

    answer = sign_in(visitor)

    where, answered = parts_of(answer.headers["location"])
    assert (answer.status, where) == (303, CALLBACK)
    assert set(answered) == {"code", "state", "iss"}
    assert (answered["state"], answered["iss"]) == ("s p&c=e", ISSUER)
    tokens = exchange(answered["code"])
    assert tokens.status == 200
    assert tokens.body.keys() == {"access_token", "token_type", "expires_in", "scope"}
    assert (tokens.body["expires_in"], tokens.body["scope"]) == (3_600, "api manage")
    me = Client(tokens.body["access_token"]).get("/v1/me").body
    assert (me["user"]["id"], me["organization"]["id"]) == (ada, organization.organization_id)


def test_a_browser_that_is_signed_in_gets_the_next_token_without_a_page(browser: Visitor) -> None:
    assert Client(token_of(browser)).get("/v1/members").status == 200


def test_a_browser_that_is_not_signed_in_is_refused_without_a_page(visitor: Visitor) -> None:
    assert silently(visitor) == {
        "error": "login_required",
        "error_description": "Nobody is signed in.",
        "state": "xyz",
        "iss": ISSUER,
    }


def test_asking_without_a_page_stores_nothing(visitor: Visitor) -> None:
    silently(visitor)

    assert [item for item in everything() if item["PK"].startswith("OAUTH#")] == []


def test_a_token_of_the_console_manages_members_and_is_in_no_list_of_programs(browser: Visitor) -> None:
    ada = Client(token_of(browser))

    assert ada.post("/v1/invites", {"email": "bo@example.com", "role": "member"}).status == 200
    assert ada.get("/v1/me/grants").body == {"grants": []}
    assert ada.get("/v1/grants").body["grants"] == []


@for_each(
    "address",
    [
        "https://support.example.com/console/",
        "https://support.example.com/console/callback?next=/",
        "https://support.example.com/console/callback/",
        "http://support.example.com/console/callback",
        "https://support.example.com:8443/console/callback",
        "https://evil.example.com/console/callback",
        "http://127.0.0.1/callback",
        None,
    ],
)
def test_a_code_goes_to_the_console_and_nowhere_else(browser: Visitor, address: str | None) -> None:
    answer = browser.open(request_url(prompt="none", redirect_uri=address))

    assert (answer.status, "location" in answer.headers) == (400, False)


@for_each(
    "changed", [{"code_challenge": None}, {"code_challenge_method": "plain"}, {"response_type": "token"}]
)
def test_the_console_must_prove_that_it_began_the_sign_in(
    browser: Visitor, changed: dict[str, str | None]
) -> None:
    answer = browser.open(request_url(prompt="none", **changed))

    assert (answer.status, "location" in answer.headers) == (400, False)


@for_each("site", ["cross-site", "same-site", "none"])
@for_each("prompt", ["none", None])
def test_a_link_on_another_page_opens_the_console_and_brings_no_code(
    browser: Visitor, site: str, prompt: str | None
) -> None:
    browser.headers["sec-fetch-site"] = site

    answer = browser.open(request_url(prompt=prompt))

    assert (answer.status, answer.headers["location"]) == (303, "https://support.example.com/console/")


def test_a_code_is_worth_nothing_without_the_verifier_of_the_page_that_asked(browser: Visitor) -> None:
    code = silently(browser)["code"]

    assert exchange(code, code_verifier="x" * 43).body["error"] == "invalid_grant"
    assert exchange(code, redirect_uri="https://evil.example.com/").body["error"] == "invalid_grant"


def test_a_code_that_is_used_twice_ends_the_token_that_it_gave(browser: Visitor) -> None:
    code = silently(browser)["code"]
    token = exchange(code).body["access_token"]

    assert exchange(code).body["error"] == "invalid_grant"

    assert Client(token).get("/v1/me").code == "invalid_token"


@pytest.mark.parametrize("seed", range(effort.of(4, 40)))
def test_a_code_exchanged_twice_at_once_leaves_no_token_that_works(browser: Visitor, seed: int) -> None:
    code = silently(browser)["code"]
    form = TokenForm(
        grant_type="authorization_code",
        client_id="console",
        code=code,
        redirect_uri=CALLBACK,
        code_verifier=SecretStr(VERIFIER),
    )

    outcomes = interleaved([lambda: tokens.issue(form, "", BASE_URL)] * 2, seed)

    assert [type(error) for error in outcomes.errors if error] == [InvalidGrant]
    assert of_kind("TOKEN") == []


def test_a_program_cannot_use_a_code_of_the_console(browser: Visitor, program: Program) -> None:
    code = silently(browser)["code"]

    answer = program.exchange(code, redirect_uri=CALLBACK)

    assert answer.body["error"] == "invalid_grant"


def test_another_client_is_asked_for_approval_in_a_browser_that_is_signed_in_to_the_console(
    browser: Visitor, program: Program
) -> None:
    page = browser.open(program.authorize_url(prompt="none"))

    assert "Let Trier act for you?" in page.body


def test_the_console_stays_in_the_organization_that_was_asked_for_last(
    browser: Visitor, ada: str, organization: NewOrganization, other_organization: NewOrganization
) -> None:
    table.update(
        PersonRecord.key_for(ada),
        "SET organizations.#other = :membership",
        names={"#other": other_organization.organization_id},
        values={":membership": {"role": "member", "joinedAt": 1}},
    )

    def organization_of(token: str) -> str:
        return str(Client(token).get("/v1/me").body["organization"]["id"])

    first, second = organization.organization_id, other_organization.organization_id
    assert organization_of(token_of(browser)) == first
    assert organization_of(token_of(browser, organization=second)) == second
    assert organization_of(token_of(browser)) == second
    assert organization_of(token_of(browser, organization=first)) == first


def test_an_organization_of_other_people_is_refused(
    browser: Visitor, other_organization: NewOrganization
) -> None:
    assert silently(browser, organization=other_organization.organization_id) == {
        "error": "access_denied",
        "error_description": "You don't belong to this organization.",
        "state": "xyz",
        "iss": ISSUER,
    }


def test_a_person_without_an_organization_gets_a_token_for_none(visitor: Visitor, sign_in: SignIn) -> None:
    visitor.open(request_url())
    sign_in(visitor, "new@example.com")

    assert Client(token_of(visitor)).get("/v1/me").body["organization"] is None


def test_a_token_ends_when_its_person_is_removed_from_the_organization(
    browser: Visitor, ada: str, admin: Client
) -> None:
    token = token_of(browser)

    assert admin.delete(f"/v1/members/{ada}").status == 200

    assert Client(token).get("/v1/members").code == "invalid_token"
    assert Client(token_of(browser)).get("/v1/me").body["organization"] is None


def test_signing_out_of_the_console_ends_its_token_and_the_browsers_session(browser: Visitor) -> None:
    token = token_of(browser)

    assert send_form("/v1/oauth/revoke", {"client_id": "console", "token": token}).status == 200
    answer = browser.send("/v1/oauth/sign-out", {"then": "console"})

    assert (answer.status, answer.headers["location"]) == (303, "https://support.example.com/console/")
    assert Client(token).get("/v1/me").code == "invalid_token"
    assert silently(browser)["error"] == "login_required"


@for_each(
    "headers",
    [
        {"sec-fetch-site": "cross-site", "origin": "https://evil.example.com"},
        {"sec-fetch-site": "same-site", "origin": "https://other.example.com"},
        {"sec-fetch-site": "none"},
        {"origin": "https://evil.example.com"},
        {"origin": "null"},
        {},
    ],
)
def test_another_page_cannot_sign_anybody_out(browser: Visitor, headers: dict[str, str]) -> None:
    browser.headers = headers

    answer = browser.send("/v1/oauth/sign-out", {"then": "console"})

    assert answer.status == 403
    browser.headers = {}
    assert "code" in silently(browser)


def test_a_browser_that_names_only_the_origin_can_sign_out(browser: Visitor) -> None:
    browser.headers = {"origin": "https://support.example.com"}

    assert browser.send("/v1/oauth/sign-out", {"then": "console"}).status == 303


def test_a_session_stays_for_a_week_after_the_console_was_last_used(
    ada: str, visitor: Visitor, sign_in: SignIn, now: Clock
) -> None:
    visitor.open(request_url())
    sign_in(visitor)

    for _ in range(3):
        now.pass_by(7 * DAY - 1)
        assert "code" in silently(visitor)
    now.pass_by(7 * DAY)
    assert silently(visitor)["error"] == "login_required"


def test_a_person_who_signs_in_after_another_acts_in_their_own_organization(
    browser: Visitor, sign_in: SignIn, organization: NewOrganization, other_organization: NewOrganization
) -> None:
    assert "code" in silently(browser)
    browser.send("/v1/oauth/sign-out", {"then": "console"})
    make_person(other_organization.organization_id, role="member", name="Bo", email="bo@example.com")
    browser.open(request_url())
    sign_in(browser, "bo@example.com")

    me = Client(token_of(browser)).get("/v1/me").body

    assert (me["user"]["email"], me["organization"]["id"]) == (
        "bo@example.com",
        other_organization.organization_id,
    )


def test_a_sign_in_that_began_in_another_browser_is_not_finished_in_this_one(
    ada: str, visitor: Visitor, browser: Visitor
) -> None:
    visitor.open(request_url())
    [pending] = of_kind("REQUEST")
    assert pending["clientId"] == "console"
    handle = re.search(r'name="then" value="console:(\w{43})"', visitor.page.body)
    assert handle is not None

    answer = browser.open(f"/v1/oauth/consent?request={handle[1]}")

    assert (answer.status, "location" in answer.headers) == (400, False)


def test_the_page_after_a_wrong_address_still_says_what_the_sign_in_is_for(visitor: Visitor) -> None:
    visitor.open(request_url())

    assert "Sign in to open the console." in visitor.press(email="nobody").body


def test_the_address_of_a_local_stack_signs_a_person_in_without_a_code(ada: str, visitor: Visitor) -> None:
    local = local_console.SignIn(BASE_URL, {"owner": ada})
    cookie = local.cookie_of("owner") or ""

    name, _, value = cookie.partition(";")[0].partition("=")
    visitor.cookies[name] = value

    assert Client(token_of(visitor)).get("/v1/me").body["user"]["id"] == ada
    assert local.cookie_of("stranger") is None


@for_each("grant", ["refresh_token", "urn:ietf:params:oauth:grant-type:device_code"])
def test_the_console_has_no_other_way_to_a_token(grant: str) -> None:
    answer = exchange("code", grant_type=grant, refresh_token="svc_ort_x", device_code="x")

    assert answer.status == 400


def test_no_device_signs_in_as_the_console() -> None:
    answer = send_form("/v1/oauth/device_authorization", {"client_id": "console"})

    assert (answer.status, answer.body["error"]) == (400, "unauthorized_client")
