"""GET and PATCH /site/sign-in: every rule, and nothing that is secret in what comes back."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from tests.support.api import Client
from tests.support.openid import Provider
from tests.support.rules import for_each
from tests.support.table import everything, of_kind

REDIRECT = "/sign-in/callback"
APP = {"method": "app", "appUrl": "https://app.example.com/help"}


def test_visitors_get_a_code_by_mail_until_something_else_is_saved(
    api: Client, organization: NewOrganization
) -> None:
    answer = api.get("/v1/site/sign-in")

    assert answer.status == 200
    redirect_uri = answer.body.pop("oidcRedirectUri")
    assert redirect_uri.startswith("https://support.example.com/site/")
    assert redirect_uri.endswith(REDIRECT)
    assert answer.body == {"method": "median", "appUrl": None, "oidc": None, "problem": None}


def test_an_app_is_saved_and_kept_when_the_method_changes(api: Client) -> None:
    saved = api.patch("/v1/site/sign-in", APP)
    assert (saved.status, saved.body["method"], saved.body["appUrl"]) == (200, "app", APP["appUrl"])

    api.patch("/v1/site/sign-in", {"method": "median"})
    again = api.patch("/v1/site/sign-in", {"method": "app"})

    assert (again.status, again.body["appUrl"]) == (200, APP["appUrl"])
    assert api.get("/v1/site/sign-in").body == again.body


def test_a_provider_is_saved_with_a_hint_of_its_secret(api: Client, provider: Provider) -> None:
    saved = api.patch("/v1/site/sign-in", provider.settings())

    assert saved.status == 200, saved.body
    assert saved.body["oidc"] == {"issuer": provider.issuer, "clientId": "client-1", "secretHint": "nt-1"}
    assert provider.requests == ["/.well-known/openid-configuration"]


def test_the_secret_is_in_one_item_of_its_own(
    api: Client, provider: Provider, organization: NewOrganization
) -> None:
    api.patch("/v1/site/sign-in", provider.settings())

    holding = [item["PK"] for item in everything() if provider.client.client_secret in str(item)]
    assert holding == [f"ORG#{organization.organization_id}#SITESECRET"]
    assert provider.client.client_secret not in str(api.get("/v1/site/sign-in").body)
    assert provider.client.client_secret not in str(api.get("/v1/logs").body)


def test_an_omitted_secret_keeps_the_saved_one(api: Client, provider: Provider) -> None:
    api.patch("/v1/site/sign-in", provider.settings())

    saved = api.patch("/v1/site/sign-in", provider.settings(clientSecret="", clientId="client-2"))

    assert saved.body["oidc"] == {"issuer": provider.issuer, "clientId": "client-2", "secretHint": "nt-1"}
    [item] = [item for item in everything() if item["PK"].endswith("#SITESECRET") and item["SK"] == "OIDC"]
    assert item["secret"] == "secret-of-client-1"


def test_another_issuer_does_not_get_the_saved_secret(api: Client, provider: Provider) -> None:
    api.patch("/v1/site/sign-in", provider.settings())
    with Provider() as other:
        refused = api.patch("/v1/site/sign-in", other.settings(clientSecret=""))

        assert (refused.status, refused.code) == (400, "invalid_request")
        assert "clientSecret" in refused.message
        assert other.requests == []


@for_each(
    ("body", "code", "named"),
    [
        ({"method": "service"}, "invalid_request", "method"),
        ({"method": "app"}, "invalid_request", "appUrl"),
        ({"method": "oidc"}, "invalid_request", "oidc"),
        ({"method": "app", "appUrl": "http://app.example.com"}, "invalid_url", "appUrl"),
        ({"method": "app", "appUrl": "https://10.0.0.1/"}, "invalid_url", "appUrl"),
        (
            {"method": "oidc", "oidc": {"issuer": "https://i.example", "clientId": "c"}},
            "invalid_request",
            "oidc.clientSecret",
        ),
        (
            {
                "method": "oidc",
                "oidc": {"issuer": "https://i.example", "clientId": "c d", "clientSecret": "s"},
            },
            "invalid_request",
            "oidc.clientId",
        ),
        (
            {"method": "oidc", "oidc": {"issuer": "https://i.example", "clientId": "c", "clientSecret": ""}},
            "invalid_request",
            "oidc.clientSecret",
        ),
        (
            {"method": "oidc", "oidc": {"issuer": "http://i.example", "clientId": "c", "clientSecret": "s"}},
            "invalid_url",
            "oidc.issuer",
        ),
        (
            {
                "method": "oidc",
                "oidc": {"issuer": "https://i.example?a=b", "clientId": "c", "clientSecret": "s"},
            },
            "invalid_url",
            "oidc.issuer",
        ),
        (
            {
                "method": "oidc",
                "oidc": {"issuer": "https://169.254.169.254/", "clientId": "c", "clientSecret": "s"},
            },
            "invalid_url",
            "oidc.issuer",
        ),
    ],
)
def test_what_cannot_be_saved_is_refused_by_name(api: Client, body: Any, code: str, named: str) -> None:
    refused = api.patch("/v1/site/sign-in", body)

    assert (refused.status, refused.code) == (400, code)
    assert f"`{named}`" in refused.message
    assert of_kind("SIGNIN") == []


def _fails(status: int) -> Callable[[str], Any]:
    return lambda _: ("{}", status)


@pytest.mark.parametrize(
    ("document", "before", "said"),
    [
        ({"issuer": "https://other.example"}, None, "another issuer"),
        ({"issuer": None}, None, "another issuer"),
        ({"token_endpoint": None}, None, "token_endpoint"),
        ({"jwks_uri": "http://jwks.example/"}, None, "jwks_uri"),
        ({"authorization_endpoint": "https://10.1.2.3/"}, None, "authorization_endpoint"),
        ({"response_types_supported": ["id_token"]}, None, "code flow"),
        ({"id_token_signing_alg_values_supported": ["HS256", "none"]}, None, "RS256"),
        ({"token_endpoint_auth_methods_supported": ["private_key_jwt"]}, None, "client_secret_basic"),
        ({}, _fails(404), "HTTP 404"),
        ({}, lambda _: "[]", "not a JSON object"),
        ({}, lambda _: "<html>", "not a JSON object"),
        ({}, lambda _: "[" * 100_000, "not a JSON object"),
        ({}, lambda _: ("", 302, {"location": "https://elsewhere.example/"}), "HTTP 302"),
    ],
)
def test_a_provider_that_cannot_be_used_is_not_saved(
    api: Client, provider: Provider, document: dict[str, Any], before: Any, said: str
) -> None:
    provider.document = document
    provider.before = before or provider.before

    refused = api.patch("/v1/site/sign-in", provider.settings())

    assert (refused.status, refused.code) == (400, "discovery_failed")
    assert said in refused.message
    assert of_kind("SIGNIN") == []


def test_a_provider_that_cannot_be_reached_is_not_saved(api: Client) -> None:
    with Provider() as gone:
        body = gone.settings()

    refused = api.patch("/v1/site/sign-in", body)

    assert (refused.status, refused.code) == (400, "discovery_failed")
    assert "connection_failed" in refused.message


def test_an_admin_with_a_token_may_change_it_and_the_log_says_so(admin: Client, api: Client) -> None:
    assert admin.patch("/v1/site/sign-in", APP).status == 200

    [entry] = api.get("/v1/logs?kind=settings_changed").body["logs"]
    assert entry["summary"] == "Sign-in to the help site was saved: app."
    assert entry["detail"] == {"settings": ["site.signIn.appUrl", "site.signIn.method"]}


def test_another_organizations_settings_are_its_own(api: Client, stranger: Client) -> None:
    api.patch("/v1/site/sign-in", APP)

    assert stranger.get("/v1/site/sign-in").body["appUrl"] is None
