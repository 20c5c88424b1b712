"""What of a provider is passed over and not refused, and how often its problems are written."""

from collections.abc import Callable
from typing import Any

from helpdesk.platform import clock
from tests.support.api import Client
from tests.support.openid import Account, Provider, public_keys
from tests.support.site_browser import SiteBrowser

type Go = Callable[..., str]


def test_keys_that_cannot_be_used_leave_the_others_usable(
    at_provider: Go, browser: SiteBrowser, provider: Provider
) -> None:
    unusable: list[Any] = [{"kty": "EC", "crv": "P-999", "x": "a", "y": "b"}, {"kty": "RSA", "kid": "one"}]
    unusable += [{"kty": "ML-DSA", "kid": "new"}, {"kty": []}, 7, None]
    provider.before = lambda path: {"keys": unusable + public_keys()} if path == "/jwks" else None

    browser.open(at_provider(browser))

    assert "signed in as Ada" in browser.open("/sign-in").words()


def test_the_only_key_of_a_provider_needs_no_name(
    at_provider: Go, browser: SiteBrowser, provider: Provider
) -> None:
    [key] = public_keys()
    del key["kid"]
    provider.before = lambda path: {"keys": [key]} if path == "/jwks" else None

    browser.open(at_provider(browser))

    assert "signed in as Ada" in browser.open("/sign-in").words()


def test_a_subject_too_long_for_tools_signs_in_and_no_part_of_it_stands_for_it(
    at_provider: Go, root: str, provider: Provider, api: Client
) -> None:
    for sub in ("s" * 200 + "a" * 55, "s" * 200 + "b" * 55):
        provider.account = Account(sub, {"name": "Ada"})
        browser = SiteBrowser(root)
        browser.open(at_provider(browser))

    assert [each["metadata"] for each in api.get("/v1/customers").body["customers"]] == [{}, {}]


def test_problems_that_are_brought_by_turns_are_written_every_few_seconds(
    at_provider: Go, browser: SiteBrowser, provider: Provider, api: Client
) -> None:
    provider.error = ("first", "words")
    browser.open(at_provider(browser))
    provider.error = ("second", "words")
    browser.open(at_provider(browser))
    assert api.get("/v1/site/sign-in").body["problem"]["code"] == "first"

    later = clock.now_us() + 6_000_000
    with clock.frozen(lambda: later):
        browser.open(at_provider(browser))
    assert api.get("/v1/site/sign-in").body["problem"]["code"] == "second"
