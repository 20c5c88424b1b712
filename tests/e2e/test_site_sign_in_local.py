"""Signing in to the help site on the deployed local stack, by each method, under the functions' own policies."""

import json
import re
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

import httpx
import pytest

from helpdesk_webhooks.site import SiteUser, sign_in_address
from tests.support.openid import Account, Provider
from tests.support.web import Web, eventually


@pytest.fixture
def api(stack: Mapping[str, str]) -> Web:
    """The demo organization."""
    return Web(stack["base_url"], stack["secret_key"])


@pytest.fixture
def root(api: Web) -> Iterator[str]:
    """The address of its help site, which is on while the test runs."""
    answer = api.patch("/v1/site", {"enabled": True})
    assert answer.status == 200, answer
    yield str(answer.body["url"]).rstrip("/")
    api.patch("/v1/site/sign-in", {"method": "median"})


@pytest.fixture
def browser() -> Iterator[httpx.Client]:
    """A browser without scripts."""
    with httpx.Client(follow_redirects=True, timeout=40, headers={"sec-fetch-site": "same-origin"}) as client:
        yield client


def form(page: httpx.Response, action: str = "") -> tuple[str, dict[str, str]]:
    """Return where a form of the page goes, and the fields that it has by itself."""
    for where, inside in re.findall(
        r'<form[^>]*method="post"[^>]*action="([^"]*)"[^>]*>(.*?)</form>', page.text, re.DOTALL
    ):
        if where.endswith(action):
            fields = re.findall(r'name="(\w+)" value="([^"]*)"', inside)
            return str(page.url.join(where)), dict(fields)
    raise AssertionError(page.text)


def press(browser: httpx.Client, page: httpx.Response, action: str = "", **typed: str) -> httpx.Response:
    """Send a form of the page with what is typed."""
    where, fields = form(page, action)
    return browser.post(where, data={**fields, **typed})


def signed_in_as(browser: httpx.Client, root: str) -> str:
    """Return who the site says is signed in."""
    page = browser.get(f"{root}/sign-in")
    assert page.status_code == 200, page.text
    found = re.search(r"You are signed in as <bdi>([^<]*)</bdi>\.</p>", page.text)
    return found[1] if found else ""


def code_mailed_to(stack: Mapping[str, str], email: str) -> str:
    """Return the code that was mailed to an address."""

    def look() -> str | None:
        with urllib.request.urlopen(stack["mail_json_url"]) as answer:
            by_account: dict[str, list[dict[str, Any]]] = json.load(answer)["messages"]
        bodies = [mail["BodyText"] for sent in by_account.values() for mail in sent if mail["To"] == [email]]
        found = re.search(r"\b[0-9]{6}\b", bodies[-1]) if bodies else None
        return found[0] if found else None

    return eventually(look)


def test_a_visitor_signs_in_with_a_code_and_out(
    stack: Mapping[str, str], root: str, browser: httpx.Client
) -> None:
    email = f"{uuid.uuid4().hex}@example.com"
    page = press(browser, browser.get(f"{root}/sign-in"), email=email)
    page = press(browser, page, "/code", code=code_mailed_to(stack, email))

    assert (page.status_code, str(page.url)) == (200, f"{root}/")
    assert signed_in_as(browser, root) == email
    press(browser, browser.get(f"{root}/sign-in"), "/out")
    assert signed_in_as(browser, root) == ""


def test_a_user_of_the_customers_app_signs_in(
    stack: Mapping[str, str], api: Web, root: str, browser: httpx.Client
) -> None:
    assert api.patch("/v1/site/sign-in", {"method": "app", "appUrl": "http://localhost:9/help"}).status == 200
    led = browser.get(f"{root}/sign-in/go", follow_redirects=False).headers["location"]
    sent = httpx.URL(led).params
    name = uuid.uuid4().hex
    address = sign_in_address(
        stack["secret_key"], root, sent["redirect"], sent["state"], SiteUser(id=name, name=name)
    )

    page = browser.get(sent["redirect"])
    page = press(browser, page, "/return", token=address.partition("#token=")[2])

    assert str(page.url) == f"{root}/"
    assert signed_in_as(browser, root) == name
    assert api.get("/v1/site/sign-in").body["problem"] is None


def test_a_visitor_signs_in_at_a_provider(api: Web, root: str, browser: httpx.Client) -> None:
    with Provider() as provider:
        provider.account = Account(uuid.uuid4().hex, {"name": "Grace"})
        saved = api.patch("/v1/site/sign-in", provider.settings(clientSecret="wrong"))
        assert saved.status == 200, saved
        provider.client.redirect_uris = [saved.body["oidcRedirectUri"]]
        browser.get(f"{root}/sign-in/go")
        assert api.get("/v1/site/sign-in").body["problem"]["code"] == "invalid_client"

        api.patch("/v1/site/sign-in", provider.settings())
        page = browser.get(f"{root}/sign-in/go")

    assert str(page.url) == f"{root}/"
    assert signed_in_as(browser, root) == "Grace"
