"""What somebody left on the help site, signed in or not, is exported and erased with the customer whom they became."""

import json

import pytest

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.platform import clock
from helpdesk.platform.settings import settings
from helpdesk.site import authors, router
from tests.support import site
from tests.support.api import Client
from tests.support.mail import post_office
from tests.support.site_browser import SiteBrowser
from tests.support.table import of_kind
from tests.support.traces import in_buckets, in_queues, in_the_index, in_the_table, logged
from tests.support.workers import Workers

BASE_URL = "https://support.example.com"
ADDRESS = "quillfeather@example.com"
WORDS = ["quillfeather", "zephyrine", "xylophone", "marmalade", "theremin", "ocelot", "tamarind"]


@pytest.fixture
def browser(api: Client, monkeypatch: pytest.MonkeyPatch) -> SiteBrowser:
    """A browser on the site of the API's organization."""
    monkeypatch.setenv("BASE_URL", BASE_URL)
    settings.cache_clear()
    router.forget()
    authors.forget()
    return SiteBrowser(f"{BASE_URL}/site/{site.opened(api, showBoard=True).slug}")


def live(browser: SiteBrowser, api: Client, workers: Workers, monkeypatch: pytest.MonkeyPatch) -> str:
    """Write, comment and suggest without signing in, sign in, and go on; return the customer's id."""
    number = api.post("/v1/board/posts", {"title": "Dark mode", "body": "At night."}).body["number"]
    browser.open("/contact")
    browser.press("/contact", body="My xylophone is lost", name="Zephyrine", email=ADDRESS)
    browser.open(f"/board/{number}")
    browser.press("/vote")
    browser.press("/comments", body="With a theremin, please")
    browser.open("/board/new")
    browser.press("/board/new", title="Marmalade", body="An ocelot says so")
    with post_office(monkeypatch) as taken:
        browser.open("/sign-in")
        browser.press(email=ADDRESS)
    code = next(line for line in taken[0].text.splitlines() if line.isdigit())
    browser.press("/code", code=code)
    workers.run()
    [conversation] = api.get("/v1/conversations").body["conversations"]
    assert api.post(f"/v1/conversations/{conversation['id']}/resolve", {}).status == 200
    browser.open(f"/contact/{conversation['id']}")
    browser.press("/rating", stars="4", note="A tamarind would be nice")
    workers.run()
    [customer] = api.get("/v1/customers").body["customers"]
    return str(customer["id"])


def test_everything_of_the_site_is_exported_and_after_an_erasure_nothing_is_left(
    browser: SiteBrowser, api: Client, organization: NewOrganization, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers = Workers()
    with logged() as logs:
        customer = live(browser, api, workers, monkeypatch)

    exported = json.dumps(api.get(f"/v1/customers/{customer}/export").body).lower()
    assert [word for word in WORDS if word not in exported] == []
    assert {line.partition(" in ")[0] for line in in_the_table(WORDS)} == set(WORDS)
    receipt = api.delete(f"/v1/customers/{customer}").body["receipt"]
    workers.run()

    counts = api.get(f"/v1/erasures/{receipt['id']}").body["receipt"]["counts"]
    assert {name: counts[name] for name in ("conversations", "posts", "votes", "comments", "ratings")} == {
        "conversations": 1,
        "posts": 1,
        "votes": 1,
        "comments": 1,
        "ratings": 1,
    }
    assert in_the_table(WORDS) == []
    assert in_buckets(WORDS) == []
    assert in_queues(WORDS) == []
    assert in_the_index(organization.organization_id, WORDS) == []
    assert [word for word in WORDS if word in logs.text.lower()] == []
    assert [each["SK"] for each in of_kind("IDENTITY") + of_kind("CUS")] == []
    assert browser.open("/contact").html.css("form.account") == []


def test_a_code_that_nobody_entered_is_gone_within_seventy_minutes(
    browser: SiteBrowser, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser.open("/sign-in")
    with post_office(monkeypatch):
        browser.press(email=ADDRESS)

    [waiting] = of_kind("CODE")
    assert 0 < waiting["expiresAt"] - clock.now_ms() // 1_000 <= 70 * 60
