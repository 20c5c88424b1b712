"""What of a provider is passed over and not refused, how often it is asked, and how often its problems are written."""

from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.api.admission import waits
from helpdesk.api.admission.limits import Tier
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


def test_a_provider_is_asked_once_for_a_state_also_while_it_still_answers(
    at_provider: Go, browser: SiteBrowser, provider: Provider
) -> None:
    came_back = at_provider(browser)
    answers: list[str] = []

    def again(path: str) -> None:
        if path == "/token" and not answers:
            answers.append(browser.ask("GET", came_back, None).headers["location"])

    provider.before = again
    browser.open(came_back)

    assert answers[0].endswith("/sign-in?why=over")
    assert provider.requests.count("/token") == 1


def test_a_sign_in_waits_for_its_turn_while_too_many_wait_and_works_then(
    at_provider: Go, browser: SiteBrowser, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    came_back = at_provider(browser)
    with monkeypatch.context() as patched:
        for tier in Tier:
            patched.setitem(waits.WAITS, tier, 0)
        page = browser.ask("GET", came_back, None)

        assert (page.status, page.headers["retry-after"]) == (429, "5")
        assert "Too many requests" in page.words("h1")
        assert "/token" not in provider.requests

    browser.open(came_back)
    assert "signed in as Ada" in browser.open("/sign-in").words()


def test_all_that_a_provider_is_asked_has_one_deadline(
    at_provider: Go, browser: SiteBrowser, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    came_back = at_provider(browser)
    monkeypatch.setattr("helpdesk.site.sign_in.provider.SIGN_IN_SECONDS", 0.0)

    page = browser.open(came_back)

    assert "did not work" in page.words()
    assert "/token" not in provider.requests
