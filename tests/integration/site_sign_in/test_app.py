"""Signing in with the customer's app: its token by form and behind the #, and what a thief may try."""

import base64
import json
import time
from typing import Any

import pytest
from joserfc import jws
from joserfc.jwk import OctKey

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import clock
from helpdesk_webhooks import site_secret
from helpdesk_webhooks.site import SiteUser, sign_in_address, sign_in_token
from tests.support import site
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.site_browser import SiteBrowser
from tests.support.table import everything, of_kind
from tests.support.visitor import parts_of

ADA = SiteUser(id="42", name="Ada", email="ada@example.com", email_verified=True)


@pytest.fixture(autouse=True)
def _by_app(api: Client, root: str) -> None:
    assert (
        api.patch("/v1/site/sign-in", {"method": "app", "appUrl": "https://app.example.com/help?v=1"}).status
        == 200
    )


def begun(browser: SiteBrowser, to: str = "") -> tuple[str, str]:
    """Go to the app; return what its route gets."""
    led = browser.ask("GET", f"/sign-in/go?to={to}", None)
    address, sent = parts_of(led.headers["location"])
    assert (address, sent.pop("v")) == ("https://app.example.com/help", "1")
    assert sent.keys() == {"redirect", "state"}
    return sent["redirect"], sent["state"]


def arrived(browser: SiteBrowser, token: str) -> str:
    """Post the app's form to the site, as from another site: without a cookie. Return where that leads."""
    headers = {"content-type": "application/x-www-form-urlencoded", "origin": "https://app.example.com"}
    headers["sec-fetch-site"] = "cross-site"
    led = browser.ask("POST", "/sign-in/return", f"token={token}", headers, cookies=False)
    assert "set-cookie" not in led.headers
    return led.headers["location"]


def problem(api: Client) -> Any:
    """Return why the last sign-in was refused."""
    return api.get("/v1/site/sign-in").body["problem"]


def test_a_token_in_a_form_signs_the_user_in(
    browser: SiteBrowser, organization: NewOrganization, api: Client
) -> None:
    redirect, state = begun(browser, "board")
    assert redirect == f"{browser.root}/sign-in/return"

    leads_to = arrived(browser, sign_in_token(organization.secret_key, state, ADA))
    led = browser.ask("GET", leads_to, None)

    assert (led.status, led.headers["location"]) == (303, f"{browser.root}/board")
    assert "signed in as Ada" in browser.open("/sign-in").words()
    [customer] = api.get("/v1/customers").body["customers"]
    assert (customer["email"], customer["metadata"]) == ("ada@example.com", {"externalId": "42"})


def test_a_token_behind_the_number_sign_is_sent_on_by_a_script_of_the_sites_own(
    browser: SiteBrowser, organization: NewOrganization
) -> None:
    redirect, state = begun(browser)
    address, _, fragment = sign_in_address(
        organization.secret_key, browser.root, redirect, state, ADA
    ).partition("#")
    page = browser.open(address)
    assert page.headers["content-security-policy"].endswith("; script-src 'self'")
    [script] = page.html.css("script")
    assert (
        browser.ask("GET", str(script.attributes["src"]), None)
        .headers["content-type"]
        .startswith("text/javascript")
    )

    browser.page = page
    browser.press("/return", token=fragment.removeprefix("token="))

    assert "signed in as Ada" in browser.open("/sign-in").words()


def test_the_same_user_is_the_same_customer_and_a_verified_address_too(
    root: str, organization: NewOrganization
) -> None:
    for user in (
        ADA,
        ADA,
        SiteUser(id="43", email="ada@example.com", email_verified=True),
        SiteUser(id="44"),
    ):
        browser = SiteBrowser(root)
        _, state = begun(browser)
        browser.open(arrived(browser, sign_in_token(organization.secret_key, state, user)))

    assert len(of_kind("CUS")) == 2


def test_a_token_is_used_once(browser: SiteBrowser, organization: NewOrganization) -> None:
    _, state = begun(browser)
    token = sign_in_token(organization.secret_key, state, ADA)
    leads_to = arrived(browser, token)
    kept = SiteBrowser(browser.root, cookies=dict(browser.cookies))

    assert arrived(browser, token).endswith("why=over")
    browser.open(leads_to)
    assert "Start again" in kept.open(leads_to).words()


def test_what_a_token_says_of_a_person_is_gone_after_its_use(
    browser: SiteBrowser, organization: NewOrganization
) -> None:
    _, state = begun(browser)
    leads_to = arrived(browser, sign_in_token(organization.secret_key, state, ADA))
    browser.open(leads_to)

    [token] = of_kind("TOKEN")
    assert token.keys() == {"PK", "SK", "epoch", "validUntil", "expiresAt"}


def test_a_stolen_token_is_worthless_in_another_browser(
    browser: SiteBrowser, root: str, organization: NewOrganization
) -> None:
    _, state = begun(browser)
    thief = SiteBrowser(root)
    begun(thief)

    page = thief.open(arrived(thief, sign_in_token(organization.secret_key, state, ADA)))

    assert "another browser" in page.words()
    assert of_kind("CUS") == []


def test_a_token_made_for_a_thiefs_sign_in_does_not_sign_the_victim_in(
    browser: SiteBrowser, root: str, organization: NewOrganization
) -> None:
    thief = SiteBrowser(root)
    _, state = begun(thief)
    begun(browser)
    leads_to = arrived(thief, sign_in_token(organization.secret_key, state, SiteUser(id="thief")))

    assert "another browser" in browser.open(leads_to).words()


def test_a_token_lives_for_a_minute(browser: SiteBrowser, organization: NewOrganization, api: Client) -> None:
    _, state = begun(browser)
    at = time.time()
    token = sign_in_token(organization.secret_key, state, ADA, now=at)

    with clock.frozen(lambda: int((at + 91) * 1_000_000)):
        assert arrived(browser, token).endswith("why=refused")
        assert problem(api)["code"] == "token_expired"
    early = sign_in_token(organization.secret_key, state, ADA, now=at + 40)
    with clock.frozen(lambda: int(at * 1_000_000)):
        assert arrived(browser, early).endswith("why=refused")


def test_a_checked_token_waits_no_longer_than_it_lives(
    browser: SiteBrowser, organization: NewOrganization
) -> None:
    _, state = begun(browser)
    at = time.time()
    leads_to = arrived(browser, sign_in_token(organization.secret_key, state, ADA, now=at))

    with clock.frozen(lambda: int((at + 91) * 1_000_000)):
        assert "expired" in browser.open(leads_to).words()


def test_another_organizations_key_signs_nobody_in(
    browser: SiteBrowser, other_organization: NewOrganization, api: Client
) -> None:
    _, state = begun(browser)

    assert arrived(browser, sign_in_token(other_organization.secret_key, state, ADA)).endswith("why=refused")
    found = problem(api)
    assert (found["code"], "live key" in found["message"]) == ("invalid_signature", True)


def test_a_token_of_another_organizations_site_is_not_taken(
    browser: SiteBrowser, stranger: Client, other_organization: NewOrganization, organization: NewOrganization
) -> None:
    stranger.patch("/v1/site/sign-in", {"method": "app", "appUrl": "https://app.example.com/help?v=1"})
    other = SiteBrowser(f"https://support.example.com/site/{site.opened(stranger).slug}")
    _, state = begun(other)

    assert arrived(other, sign_in_token(organization.secret_key, state, ADA)).endswith("why=refused")
    leads_to = arrived(other, sign_in_token(other_organization.secret_key, state, ADA))
    token = leads_to.rpartition("=")[2]
    assert "Start again" in browser.open(f"/sign-in/finish?token={token}").words()


def signed(organization: NewOrganization, **changed: Any) -> str:
    """Return a token that joserfc signs, with other claims; None leaves a claim out."""
    now = int(time.time())
    claims = {
        "aud": organization.organization_id,
        "sub": "42",
        "iat": now,
        "exp": now + 60,
        "jti": "0123456789abcdef",
        "state": "s",
        **changed,
    }
    said = {name: value for name, value in claims.items() if value is not None}
    key = OctKey.import_key(site_secret(organization.secret_key))
    return jws.serialize_compact({"alg": "HS256"}, json.dumps(said), key)


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"aud": "org_other"}, "invalid_audience"),
        ({"aud": None}, "invalid_audience"),
        ({"aud": ["org_a", "org_b"]}, "invalid_audience"),
        ({"exp": int(time.time()) + 3_600}, "token_expired"),
        ({"iat": None}, "invalid_token"),
        ({"exp": "soon"}, "invalid_token"),
        ({"exp": True}, "invalid_token"),
        ({"jti": "short"}, "invalid_token"),
        ({"jti": None}, "invalid_token"),
        ({"state": None}, "invalid_token"),
        ({"state": "s" * 1_025}, "invalid_token"),
    ],
)
def test_a_token_that_says_something_else_is_a_problem(
    browser: SiteBrowser, organization: NewOrganization, api: Client, changed: Any, code: str
) -> None:
    assert arrived(browser, signed(organization, **changed)).endswith("why=refused")
    assert problem(api)["code"] == code
    assert of_kind("TOKEN") == []


def test_half_of_a_surrogate_pair_in_an_id_is_a_replacement_character(
    browser: SiteBrowser, organization: NewOrganization, api: Client
) -> None:
    _, state = begun(browser)
    browser.open(arrived(browser, signed(organization, sub="42\ud83d", state=state)))

    [customer] = api.get("/v1/customers").body["customers"]
    assert customer["metadata"] == {"externalId": "42\ufffd"}


@pytest.mark.parametrize("user", ["", "\u200b", "x" * 201, 7, None])
def test_a_token_without_a_user_is_a_problem(
    browser: SiteBrowser, organization: NewOrganization, api: Client, user: Any
) -> None:
    _, state = begun(browser)
    leads_to = arrived(browser, signed(organization, sub=user, state=state))

    assert "did not work" in browser.open(leads_to).words()
    assert problem(api)["code"] == "invalid_user"


def _unsigned(organization: NewOrganization) -> str:
    parts = signed(organization).split(".")
    header = base64.urlsafe_b64encode(json.dumps({"alg": "none"}).encode()).decode().rstrip("=")
    return f"{header}.{parts[1]}."


@pytest.mark.parametrize("token", ["", "a.b.c", "ä", "x" * 9_000, "e30.e30.e30"])
def test_what_is_no_token_is_a_problem_and_no_crash(browser: SiteBrowser, api: Client, token: str) -> None:
    assert arrived(browser, token).endswith("why=refused")
    assert problem(api)["code"] == "invalid_token"


def test_a_token_without_a_signature_signs_nobody_in(
    browser: SiteBrowser, organization: NewOrganization, api: Client
) -> None:
    assert arrived(browser, _unsigned(organization)).endswith("why=refused")
    assert problem(api)["code"] == "invalid_token"


def test_a_revoked_key_signs_nobody_in(
    browser: SiteBrowser, organization: NewOrganization, admin: Client, api: Client
) -> None:
    made = admin.post("/v1/keys", {"name": "Site"}).body
    _, state = begun(browser)
    assert "finish" in arrived(browser, sign_in_token(made["key"], state, ADA))
    admin.delete(f"/v1/keys/{made['id']}")

    assert arrived(browser, sign_in_token(made["key"], state, ADA)).endswith("why=refused")
    assert problem(api)["code"] == "invalid_signature"


def test_without_a_key_the_problem_says_to_create_one(
    browser: SiteBrowser, organization: NewOrganization, admin: Client
) -> None:
    _, state = begun(browser)
    [key] = admin.get("/v1/keys").body["keys"]
    admin.delete(f"/v1/keys/{key['id']}")

    arrived(browser, sign_in_token(organization.secret_key, state, ADA))

    assert problem(admin)["code"] == "no_signing_key"


def test_a_problem_clears_with_the_next_good_sign_in(
    browser: SiteBrowser, organization: NewOrganization, api: Client
) -> None:
    arrived(browser, "nonsense")
    assert problem(api)["code"] == "invalid_token"
    _, state = begun(browser)
    browser.open(arrived(browser, sign_in_token(organization.secret_key, state, ADA)))

    assert problem(api) is None


def test_changing_the_method_signs_out_who_came_by_the_app(
    browser: SiteBrowser, organization: NewOrganization, api: Client
) -> None:
    _, state = begun(browser)
    token = sign_in_token(organization.secret_key, state, ADA)
    leads_to = arrived(browser, token)
    browser.open(leads_to)
    assert "signed in" in browser.open("/sign-in").words("h1")
    api.patch("/v1/site/sign-in", {"method": "app", "appUrl": "https://app.example.com/other"})
    assert "signed in" in browser.open("/sign-in").words("h1")

    api.patch("/v1/site/sign-in", {"method": "median"})

    assert browser.open("/sign-in").html.css_first("#email") is not None
    assert arrived(browser, token).endswith("why=over")
    api.patch("/v1/site/sign-in", {"method": "app"})
    assert "Sign in" in browser.open("/sign-in").words("h1")


def test_a_code_by_mail_is_not_offered_meanwhile(browser: SiteBrowser) -> None:
    browser.open("/sign-in/go")
    browser.open("/sign-in")
    assert browser.page.html.css_first("main form") is None
    assert browser.page.links("main").popitem()[1].endswith("/sign-in/go")


def test_the_secrets_of_keys_are_in_a_partition_of_their_own(organization: NewOrganization) -> None:
    secret = site_secret(organization.secret_key)

    assert [(item["PK"], item["SK"][:4]) for item in everything() if secret in str(item)] == [
        (f"ORG#{organization.organization_id}#SITESECRET", "KEY#")
    ]


def test_the_calls_of_a_sign_in_with_an_app(browser: SiteBrowser, organization: NewOrganization) -> None:
    browser.open("/sign-in")
    _, state = begun(browser)
    with recorded_calls() as calls:
        leads_to = arrived(browser, sign_in_token(organization.secret_key, state, ADA))
    # the site, the bucket, the keys' secrets, the token
    assert [each.removeprefix("dynamodb:") for each in calls] == [
        "BatchGetItem",
        "UpdateItem",
        "Query",
        "PutItem",
    ]
    with recorded_calls() as calls:
        browser.ask("GET", leads_to, None)
    # the site, the bucket, the token, who has the id and the address, the customer, what the browser wrote, the session
    assert [each.removeprefix("dynamodb:") for each in calls] == [
        "BatchGetItem", "UpdateItem", "GetItem", "BatchGetItem", "TransactWriteItems", "GetItem",
        "TransactWriteItems",
    ]  # fmt: skip
