"""Sign-ins to the help site, made by the Python client: the vectors, joserfc, and what it refuses."""

import json
from pathlib import Path
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey

from helpdesk.outbound import signing
from helpdesk_webhooks import site_secret
from helpdesk_webhooks.site import TOKEN_SECONDS, SiteUser, sign_in_address, sign_in_token, widget_token

VECTORS = json.loads(
    (Path(__file__).parents[3] / "clients" / "test-vectors.json").read_text(encoding="utf-8")
)
KEY = VECTORS["secrets"][0]["key"]
SITE = "https://support.example.com/site/acme"
REDIRECT = f"{SITE}/sign-in/return"


@pytest.mark.parametrize("vector", VECTORS["secrets"], ids=lambda vector: str(vector["key"])[-8:])
def test_the_secret_of_a_key_is_that_of_the_vectors_here_and_in_the_service(vector: dict[str, str]) -> None:
    assert site_secret(vector["key"]) == vector["site"]
    assert signing.site_secret(vector["key"]) == vector["site"]


@pytest.mark.parametrize("vector", VECTORS["sign_ins"], ids=lambda vector: str(vector["name"]))
def test_a_token_is_that_of_the_vectors(vector: dict[str, Any]) -> None:
    user = {**vector["user"]}
    verified = user.pop("emailVerified", False)

    token = sign_in_token(
        vector["key"],
        vector["state"],
        SiteUser(**user, email_verified=verified),
        now=vector["now"],
        token_id=vector["token_id"],
    )

    assert token == vector["token"]


def test_a_library_that_others_wrote_reads_it() -> None:
    user = SiteUser(
        "42", name="Zoë", email="zoe@example.com", email_verified=True, picture="https://a.example/z.png"
    )
    token = sign_in_token(KEY, "the state", user, now=1_764_000_000.9)

    read = jwt.decode(token, OctKey.import_key(site_secret(KEY)), algorithms=["HS256"])
    assert read.header == {"alg": "HS256", "typ": "JWT"}
    claims = dict(read.claims)
    assert len(claims.pop("jti")) == 32
    assert claims == {
        "aud": "org_01jd3kq8v5zt4m9rx2c7w6ybne",
        "sub": "42",
        "iat": 1_764_000_000,
        "exp": 1_764_000_000 + TOKEN_SECONDS,
        "state": "the state",
        "name": "Zoë",
        "email": "zoe@example.com",
        "email_verified": True,
        "picture": "https://a.example/z.png",
    }


def test_a_token_for_the_widget_says_so_in_the_place_of_a_state() -> None:
    token = widget_token(KEY, SiteUser("42"), now=1_764_000_000, token_id="t" * 16)

    assert token == sign_in_token(KEY, "widget", SiteUser("42"), now=1_764_000_000, token_id="t" * 16)


def test_two_tokens_have_ids_of_their_own() -> None:
    assert len({sign_in_token(KEY, "s", SiteUser("42"), now=0) for _ in range(10)}) == 10


def test_the_address_has_the_token_where_no_server_sees_it() -> None:
    address, _, token = sign_in_address(KEY, f"{SITE}/", REDIRECT, "s", SiteUser("42")).partition("#token=")

    assert address == REDIRECT
    assert token.count(".") == 2


@pytest.mark.parametrize(
    "redirect",
    [
        "https://evil.example/site/acme/sign-in/return",
        "https://support.example.com.evil.example/site/acme/sign-in/return",
        "https://support.example.com@evil.example/site/acme/sign-in/return",
        "http://support.example.com/site/acme/sign-in/return",
        "https://support.example.com/site/other/sign-in/return",
        "https://support.example.com/site/acme/../other/sign-in/return",
        f"{REDIRECT}?next=https://evil.example",
        f"{REDIRECT}#",
        f"{REDIRECT}/",
        "//support.example.com/site/acme/sign-in/return",
        "/site/acme/sign-in/return",
        "javascript:alert(1)",
        "",
    ],
)
def test_a_redirect_to_another_place_is_refused(redirect: str) -> None:
    with pytest.raises(ValueError, match="not an address of your help site"):
        sign_in_address(KEY, SITE, redirect, "s", SiteUser("42"))


def test_a_site_that_is_no_address_is_refused() -> None:
    with pytest.raises(ValueError, match="`site`"):
        sign_in_address(KEY, "support.example.com/site/acme", REDIRECT, "s", SiteUser("42"))


@pytest.mark.parametrize("state", ["", "s" * 1025])
def test_what_is_no_state_is_refused(state: str) -> None:
    with pytest.raises(ValueError, match="state"):
        sign_in_token(KEY, state, SiteUser("42"))


@pytest.mark.parametrize("user_id", ["", "x" * 201, 42])
def test_what_is_no_user_is_refused(user_id: Any) -> None:
    with pytest.raises(ValueError, match="id"):
        sign_in_token(KEY, "s", SiteUser(user_id))


@pytest.mark.parametrize(
    "key", ["a-key-from-before-the-present-scheme", "svc_key_", "svc_key_org", "svc_key__x"]
)
def test_a_key_that_names_no_organization_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="svc_key_<organization>_<random>"):
        sign_in_token(key, "s", SiteUser("42"))


@pytest.mark.parametrize("vector", VECTORS["refused_keys"], ids=lambda vector: str(vector["why"]))
def test_an_invalid_secret_key_is_refused(vector: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"key|token"):
        sign_in_token(vector["key"], "s", SiteUser("42"))
