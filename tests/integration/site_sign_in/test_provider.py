"""Signing in at an OpenID Connect provider: Authlib's own server, and what a hostile one or a thief may try."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from helpdesk.platform import clock
from helpdesk.platform.units import MINUTE_MS, SECOND_US
from tests.support.api import Client
from tests.support.aws import recorded_calls
from tests.support.openid import Account, Provider
from tests.support.rules import for_each
from tests.support.site_browser import SiteBrowser
from tests.support.table import of_kind

type Go = Callable[..., str]


def problem(api: Client) -> Any:
    """Return why the last sign-in was refused."""
    return api.get("/v1/site/sign-in").body["problem"]


@pytest.fixture(params=["client_secret_basic", "client_secret_post"])
def method(request: pytest.FixtureRequest, provider: Provider) -> None:
    """How the provider takes the client secret."""
    provider.client.method = request.param


def test_a_sign_in_leads_back_to_where_it_began(
    method: None, at_provider: Go, browser: SiteBrowser, api: Client
) -> None:
    led = browser.open(at_provider(browser, "contact"))

    assert led.status == 200
    assert "<textarea" in led.text
    assert "signed in as Ada" in browser.open("/sign-in").words()
    [customer] = api.get("/v1/customers").body["customers"]
    assert (customer["name"], customer["email"], customer["metadata"]) == (
        "Ada",
        "ada@example.com",
        {"externalId": "sub-1"},
    )


def test_the_request_has_pkce_a_nonce_and_no_secret(
    at_provider: Go, browser: SiteBrowser, provider: Provider
) -> None:
    led = browser.ask("GET", "/sign-in/go", None).headers["location"]

    sent = provider.asked(led)
    assert sent.keys() == {
        "response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method",
    }  # fmt: skip
    assert (sent["code_challenge_method"], sent["scope"]) == ("S256", "openid email profile")
    assert provider.client.client_secret not in led
    assert len({sent["state"], sent["nonce"], sent["code_challenge"]}) == 3


def test_claims_that_only_userinfo_has_are_read_there(
    at_provider: Go, browser: SiteBrowser, provider: Provider, api: Client
) -> None:
    provider.in_token = False
    browser.open(at_provider(browser))

    assert provider.requests[-3:] == ["/token", "/jwks", "/userinfo"]
    assert [each["email"] for each in api.get("/v1/customers").body["customers"]] == ["ada@example.com"]


def test_userinfo_about_somebody_else_is_left_out(
    at_provider: Go, browser: SiteBrowser, provider: Provider, api: Client
) -> None:
    provider.in_token = False
    provider.before = lambda path: (
        {"sub": "other", "email": "eve@example.com"} if path == "/userinfo" else None
    )
    browser.open(at_provider(browser))

    assert [each["email"] for each in api.get("/v1/customers").body["customers"]] == [None]


def test_the_keys_are_read_once_and_again_for_a_key_that_is_new(
    at_provider: Go, root: str, provider: Provider
) -> None:
    for _ in range(2):
        browser = SiteBrowser(root)
        browser.open(at_provider(browser))
    assert provider.requests.count("/jwks") == 1

    provider.signing, provider.published = 1, [1]
    later = clock.now_us() + 2 * MINUTE_MS * 1_000
    with clock.frozen(lambda: later):
        browser = SiteBrowser(root)
        browser.open(at_provider(browser))

    assert provider.requests.count("/jwks") == 2
    assert "signed in as Ada" in browser.open("/sign-in").words()


def test_only_a_verified_address_leads_to_the_customer_of_that_address(
    at_provider: Go, root: str, provider: Provider
) -> None:
    for sub, verified in (("one", False), ("two", True), ("three", True), ("four", "true")):
        said = {"email": "ada@example.com", "email_verified": verified}
        provider.account = Account(sub, said)
        browser = SiteBrowser(root)
        browser.open(at_provider(browser))

    assert len(of_kind("CUS")) == 3  # two and three are one


def test_the_same_subject_at_another_issuer_is_another_customer(
    at_provider: Go, browser: SiteBrowser, api: Client
) -> None:
    browser.open(at_provider(browser))
    with Provider() as other:
        saved = api.patch("/v1/site/sign-in", other.settings())
        other.client.redirect_uris = [saved.body["oidcRedirectUri"]]
        # They signed in another way, so they are out.
        assert "Sign in" in browser.open("/sign-in").words("h1")
        browser.open(other.visit(browser.ask("GET", "/sign-in/go", None).headers["location"]))

    assert len(of_kind("CUS")) == 2


def test_a_wrong_secret_is_a_problem_in_the_providers_words_until_a_sign_in_works(
    at_provider: Go, browser: SiteBrowser, provider: Provider, api: Client
) -> None:
    provider.client.client_secret = "another-secret"
    page = browser.open(at_provider(browser))
    assert "did not work" in page.words()
    found = problem(api)
    assert (found["code"], "clientSecret" in found["message"]) == ("invalid_client", True)
    assert found["at"] <= clock.now_ms()

    saved = api.patch("/v1/site/sign-in", provider.settings())
    assert saved.body["problem"] is None  # cleared when the settings are saved
    provider.client.client_secret = "a-third"
    browser.open(at_provider(browser))
    assert problem(api)["code"] == "invalid_client"
    provider.client.client_secret = "another-secret"
    browser.open(at_provider(browser))

    assert problem(api) is None
    assert "signed in as Ada" in browser.open("/sign-in").words()


def test_the_providers_refusal_is_kept_in_its_words_and_harmless(
    at_provider: Go, browser: SiteBrowser, provider: Provider, api: Client
) -> None:
    provider.error = ("invalid_scope", "Scope%20email%0A%3Cb%3Eis%20off" + "x" * 600)
    browser.open(at_provider(browser))

    found = problem(api)
    assert found["code"] == "invalid_scope"
    assert found["detail"].startswith("Scope email <b>is off")
    assert (len(found["detail"]), "scopes" in found["message"]) == (500, True)


def test_a_person_who_does_not_allow_it_is_no_problem_of_the_settings(
    at_provider: Go, browser: SiteBrowser, provider: Provider, api: Client
) -> None:
    provider.account = None
    page = browser.open(at_provider(browser))

    assert "access was declined" in page.words()
    assert problem(api) is None


@pytest.mark.parametrize(
    ("claims", "code", "words"),
    [
        ({"iss": "https://evil.example"}, "issuer_mismatch", "another issuer"),
        ({"aud": "client-2"}, "invalid_id_token", "another client"),
        ({"aud": ["client-1", "client-2"], "azp": "client-2"}, "invalid_id_token", "another client"),
        ({"nonce": "another"}, "invalid_id_token", "nonce"),
        ({"nonce": None}, "invalid_id_token", "nonce"),
        ({"exp": 1_700_000_000}, "invalid_id_token", "expired"),
        ({"exp": None}, "invalid_id_token", "expired"),
        ({"iat": 4_000_000_000}, "invalid_id_token", "future"),
        ({"exp": float("nan")}, "invalid_id_token", "signed"),
        ({"iat": float("-inf")}, "invalid_id_token", "signed"),
        ({"sub": ""}, "invalid_id_token", "sub"),
        ({"sub": 7}, "invalid_id_token", "sub"),
        ({"sub": "s" * 256}, "invalid_id_token", "more than 255 characters"),
    ],
)
def test_an_id_token_that_does_not_fit_signs_nobody_in(
    at_provider: Go, browser: SiteBrowser, provider: Provider, api: Client, claims: Any, code: str, words: str
) -> None:
    provider.claims = claims
    browser.open(at_provider(browser))

    found = problem(api)
    assert (found["code"], words in found["detail"]) == (code, True)
    assert of_kind("CUS") == []


def test_a_token_that_another_key_signed_signs_nobody_in(
    at_provider: Go, browser: SiteBrowser, provider: Provider, api: Client
) -> None:
    provider.signing = 1
    browser.open(at_provider(browser))

    assert problem(api)["code"] == "invalid_id_token"
    assert of_kind("CUS") == []


@pytest.mark.parametrize(
    ("path", "said", "code"),
    [
        ("/token", ("<html>", 200), "invalid_response"),
        ("/token", ("oops", 500), "invalid_response"),
        ("/token", ("", 302, {"location": "https://elsewhere.example"}), "invalid_response"),
        ("/token", ('{"error": 7}', 400), "invalid_response"),
        ("/token", ("{}", 200), "invalid_id_token"),
        ("/token", ('{"id_token": "a.b.c"}', 200), "invalid_id_token"),
        ("/token", ("x" * 300_000, 200), "invalid_response"),
        ("/token", ("[" * 100_000, 200), "invalid_response"),
        ("/jwks", ("[]", 200), "invalid_response"),
        ("/jwks", ('{"keys":' * 30_000, 200), "invalid_response"),
        ("/jwks", ('{"keys": 7}', 200), "invalid_response"),
        ("/jwks", ('{"keys": []}', 200), "invalid_response"),
    ],
)
def test_what_is_no_response_of_a_provider_is_a_problem_and_no_crash(
    at_provider: Go, browser: SiteBrowser, provider: Provider, api: Client, path: str, said: Any, code: str
) -> None:
    provider.before = lambda asked: said if asked == path else None
    page = browser.open(at_provider(browser))

    assert (page.status, "did not work" in page.words()) == (200, True)
    assert problem(api)["code"] == code


def test_a_provider_that_is_gone_is_a_problem(api: Client, browser: SiteBrowser) -> None:
    with Provider() as gone:
        saved = api.patch("/v1/site/sign-in", gone.settings())
        gone.client.redirect_uris = [saved.body["oidcRedirectUri"]]
        back = gone.visit(browser.ask("GET", "/sign-in/go", None).headers["location"])
    browser.open(back)

    found = problem(api)
    assert (found["code"], found["detail"]) == ("provider_unreachable", "connection_failed")


def test_a_response_of_another_issuer_gets_no_code_exchanged(
    at_provider: Go, browser: SiteBrowser, provider: Provider, api: Client
) -> None:
    back = at_provider(browser)

    browser.open(f"{back}&iss=https://evil.example")

    assert problem(api)["code"] == "issuer_mismatch"
    assert "/token" not in provider.requests


def test_a_provider_that_names_itself_must_do_so(
    at_provider: Go, browser: SiteBrowser, provider: Provider, api: Client
) -> None:
    provider.document = {"authorization_response_iss_parameter_supported": True}
    api.patch("/v1/site/sign-in", provider.settings())

    browser.open(at_provider(browser))
    assert problem(api)["code"] == "issuer_mismatch"
    browser.open(f"{at_provider(browser)}&iss={provider.issuer}")
    assert problem(api) is None


def test_a_response_is_for_the_browser_in_which_the_sign_in_began(
    at_provider: Go, browser: SiteBrowser, root: str, provider: Provider
) -> None:
    back = at_provider(browser)
    victim = SiteBrowser(root)
    victim.open("/sign-in")

    page = victim.open(back)

    assert "another browser" in page.words()
    assert "/token" not in provider.requests
    assert of_kind("CUS") == []


def test_a_response_is_used_once(at_provider: Go, browser: SiteBrowser, provider: Provider) -> None:
    back = at_provider(browser)
    browser.open(back)
    led = browser.ask("GET", back, None)

    assert led.headers["location"] == f"{browser.root}/sign-in?why=over"
    assert provider.requests.count("/token") == 1


def test_a_sign_in_takes_fifteen_minutes_at_most(
    at_provider: Go, browser: SiteBrowser, provider: Provider
) -> None:
    back = at_provider(browser)
    later = clock.now_us() + 15 * MINUTE_MS * 1_000
    with clock.frozen(lambda: later):
        assert "expired" in browser.open(back).words()
    assert "/token" not in provider.requests


@for_each("state", ["", "x", "a.b", "%00", "é", "a" * 2_000])
def test_a_state_that_is_none_leads_back(at_provider: Go, browser: SiteBrowser, state: str) -> None:
    browser.open("/sign-in")
    assert "Start again" in browser.open(f"/sign-in/callback?code=x&state={state}").words()
    assert "Start again" in browser.open(f"/sign-in/callback?code=x&code=y&state={state}").words()


def test_a_state_whose_path_was_changed_is_refused(at_provider: Go, browser: SiteBrowser) -> None:
    state = parse_qs(urlsplit(at_provider(browser, "board")).query)["state"][0]
    payload, _, seal = state.partition(".")
    changed = f"{payload[:-2]}{'A' if payload[-2] != 'A' else 'B'}{payload[-1]}.{seal}"

    assert "Start again" in browser.open(f"/sign-in/callback?code=x&state={changed}").words()


def test_with_another_method_a_response_is_too_late(
    at_provider: Go, browser: SiteBrowser, provider: Provider, api: Client
) -> None:
    back = at_provider(browser)
    api.patch("/v1/site/sign-in", {"method": "median"})

    assert "Start again" in browser.open(back).words()
    assert "/token" not in provider.requests


def test_the_same_problem_is_written_once_a_minute(
    at_provider: Go, browser: SiteBrowser, provider: Provider
) -> None:
    provider.claims = {"nonce": "another"}
    browser.open(at_provider(browser))
    back = at_provider(browser)
    with recorded_calls() as calls:
        browser.ask("GET", back, None)

    # the site with the settings, the bucket, a place among the waits, the state, the client secret, the place again
    assert [each.removeprefix("dynamodb:") for each in calls] == [
        "BatchGetItem",
        *["UpdateItem"] * 3,
        "PutItem",
        "GetItem",
        *["UpdateItem"] * 2,
    ]


def test_the_calls_of_a_sign_in_at_a_provider(at_provider: Go, browser: SiteBrowser) -> None:
    browser.open("/sign-in")
    with recorded_calls() as calls:
        back = at_provider(browser)
    assert [each.removeprefix("dynamodb:") for each in calls] == ["BatchGetItem"]
    later = clock.now_us() + 2 * SECOND_US  # the wait that saved the settings has come back
    with recorded_calls() as calls, clock.frozen(lambda: later):
        browser.ask("GET", back, None)
    # the site, the bucket, a place among the waits, the state, the secret, the place given back, who has the subject,
    # the customer, what the browser wrote, the session
    assert [each.removeprefix("dynamodb:") for each in calls] == [
        "BatchGetItem",
        *["UpdateItem"] * 3,
        "PutItem",
        "GetItem",
        *["UpdateItem"] * 2,
        "BatchGetItem",
        "TransactWriteItems",
        "GetItem",
        "TransactWriteItems",
    ]
