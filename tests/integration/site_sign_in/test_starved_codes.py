"""Strangers who ask for codes keep nobody from their own, and an organization none of another's visitors."""

import pytest

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.api.admission.limits import Plan
from helpdesk.platform import clock
from helpdesk.platform.settings import settings
from helpdesk.platform.units import MINUTE_MS
from tests.integration.site_sign_in.conftest import BASE_URL
from tests.support import site
from tests.support.api import Client
from tests.support.mail import post_office
from tests.support.site_browser import SiteBrowser

type Mails = list[tuple[str, str, str]]


def test_a_stranger_who_asks_for_somebodys_codes_leaves_them_some(root: str, mails: Mails) -> None:
    def asks(network: str) -> int:
        before = len(mails)
        browser = SiteBrowser(root, address=network)
        browser.open("/sign-in")
        browser.press(email="ada@example.com")
        return len(mails) - before

    assert [asks("203.0.113.66") for _ in range(5)] == [1, 1, 1, 0, 0]
    assert [asks("198.51.100.7") for _ in range(4)] == [1, 1, 1, 0]
    # All networks together are limited, too.
    assert [asks(f"192.0.2.{number}") for number in range(7)] == [1, 1, 1, 1, 1, 1, 0]


@pytest.mark.parametrize("over", ["signed out", "after thirty days"])
def test_strangers_keep_nobody_from_signing_in_again_where_they_signed_in_before(
    root: str, mails: Mails, monkeypatch: pytest.MonkeyPatch, over: str
) -> None:
    now = [clock.now_us()]
    with clock.frozen(lambda: now[0]):
        browser = SiteBrowser(root, address="203.0.113.66")
        browser.open("/sign-in")
        browser.press(email="ada@example.com")
        browser.press(code=mails[-1][1])
        if over == "signed out":
            browser.open("/sign-in")
            browser.press("/out")
        else:
            now[0] += 30 * 24 * 60 * MINUTE_MS * 1_000
        monkeypatch.setenv("CODES_PER_HOUR", "600")
        settings.cache_clear()
        statuses = []
        for number in range(60):
            stranger = SiteBrowser(root, address=f"192.0.2.{number}")
            stranger.open("/sign-in")
            statuses.append(stranger.press(email="ada@example.com").status)
        assert statuses[-1] == 503

        browser.open("/sign-in")
        browser.press(email="ada@example.com")
        browser.press(code=mails[-1][1])

        assert "signed in as ada@example.com" in browser.open("/sign-in").words()


def test_one_organizations_site_leaves_codes_to_all_others(
    root: str, stranger: Client, mails: Mails, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = f"{BASE_URL}/site/{site.opened(stranger).slug}"
    monkeypatch.setenv("CODES_PER_HOUR", "600")
    settings.cache_clear()

    def asks(where: str, number: int) -> int:
        browser = SiteBrowser(where, address=f"192.0.2.{number}")
        browser.open("/sign-in")
        return browser.press(email=f"ada{number}@example.com").status

    at = clock.now_us()
    with clock.frozen(lambda: at):
        assert [asks(root, number) for number in range(40)] == [200] * 10 + [503] * 30
        assert [asks(other, number) for number in range(3)] == [200] * 3


def test_one_network_gets_half_of_an_organizations_codes(
    root: str, mails: Mails, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODES_PER_HOUR", "600")
    settings.cache_clear()

    def asks(network: str, number: int) -> int:
        browser = SiteBrowser(root, address=network)
        browser.open("/sign-in")
        return browser.press(email=f"ada{number}@example.com").status

    at = clock.now_us()
    with clock.frozen(lambda: at):
        assert [asks("203.0.113.66", number) for number in range(7)] == [200] * 5 + [429] * 2
        assert [asks("198.51.100.7", number) for number in range(3)] == [200] * 3


@pytest.mark.parametrize("language", [None, "de"])
def test_on_the_free_plan_a_mail_has_no_word_of_the_organization(
    root: str,
    api: Client,
    organization: NewOrganization,
    monkeypatch: pytest.MonkeyPatch,
    language: str | None,
) -> None:
    api.patch("/v1/site", {"title": "Chase: locked! Call +1 900 555 0199", "language": language})
    organizations.set_plan(organization.organization_id, Plan.EXPLORE, api_limits=False, unlimited_api=False)
    browser = SiteBrowser(root)
    browser.open("/sign-in")

    with post_office(monkeypatch) as taken:
        browser.press(email="stranger@example.net")

    [mailed] = taken
    own = {
        None: (
            "Your code to sign in to a help site",
            "Your code to sign in to the help site that you opened is:",
        ),
        "de": (
            "Ihr Code zum Anmelden bei einer Hilfeseite",
            "Ihr Code zum Anmelden auf der Hilfeseite, die Sie geöffnet haben, lautet:",
        ),
    }
    assert (mailed.subject, mailed.text.split("\n")[0]) == own[language]
    assert "Chase" not in mailed.html
