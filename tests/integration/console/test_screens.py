"""Every screen in a browser: nothing for a checker of accessibility to find, no wider than a phone, no error."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from helpdesk.accounts.organizations.schemas import NewOrganization
from tests.integration.console.conftest import OpenConsole
from tests.support.api import Client
from tests.support.approvals import ask, conversation_of
from tests.support.chromium import installed

pytestmark = installed

# A path of the console, and what is on its screen once it has loaded.
SCREENS = [
    ("", ".item"),
    ("conversations/{conversation}", ".entry"),
    ("approvals", "article.approval"),
    ("customers", "h1"),
    ("customers/{customer}", "h1, h2"),
    ("knowledge", "h1"),
    ("knowledge/{document}", "h1, h2, input"),
    ("signals", "h1"),
    ("signals/{signal}", "h1"),
    ("board", "h1"),
    ("tasks", "h1"),
    ("analytics", ".report .chart, .report .nothing"),
    ("analytics/explore", ".chart, .nothing"),
    ("logs", ".rows li"),
    ("settings", "h1, h2"),
    ("settings/agent", "h1, h2"),
    ("settings/webhooks", "h1, h2"),
    ("nowhere", "h1"),
]
WIDE_WORD = "W" * 90


@pytest.fixture
def things(api: Client, organization: NewOrganization) -> dict[str, str]:
    """A thing of each kind, with words that break layouts."""
    user = {"name": f"Mara {WIDE_WORD}", "email": "mara@example.com", "metadata": {"plan": WIDE_WORD}}
    message = {
        "session": "a-visitor-of-the-console",
        "body": f"Where is my parcel? {WIDE_WORD * 3}",
        "user": user,
    }
    conversation = api.post("/v1/messages", message).body["conversationId"]
    customer = api.get(f"/v1/conversations/{conversation}").body["conversation"]["customer"]["id"]
    api.post(f"/v1/conversations/{conversation}/take-over")
    api.post(f"/v1/conversations/{conversation}/note", {"body": f"A note {WIDE_WORD}"})
    ask(conversation_of(api, organization.organization_id))
    report = {"conversationId": conversation, "quote": WIDE_WORD}
    signal = api.post("/v1/signals", {**report, "kind": "bug", "title": f"Parcels {WIDE_WORD}"}).body["id"]
    api.post("/v1/tasks", {"title": f"Pack faster {WIDE_WORD}"})
    api.post("/v1/board/posts", {"boardId": "ideas", "title": f"Dark mode {WIDE_WORD}"})
    document = api.post("/v1/knowledge/documents", {"title": WIDE_WORD, "body": "## How\n\nFive days."}).body[
        "id"
    ]
    return {"conversation": conversation, "customer": customer, "signal": signal, "document": document}


def show(page: Page, path: str, shown: str) -> None:
    page.goto(path)
    page.locator(shown).locator("visible=true").first.wait_for()
    expect(page.locator(".ghost")).to_have_count(0, timeout=20_000)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_screen_has_anything_for_a_checker_of_accessibility_to_find(
    open_console: OpenConsole, things: dict[str, str], scheme: str
) -> None:
    page = open_console(scheme=scheme, checked=True)
    found = {}
    for path, shown in SCREENS:
        show(page, path.format(**things), shown)
        violations = Axe().run(page).response["violations"]
        if violations:
            found[path] = [
                (each["id"], [node["html"][:150] for node in each["nodes"]]) for each in violations
            ]

    assert found == {}


@pytest.mark.parametrize("width", [360, 768, 2560])
def test_no_screen_is_wider_than_its_window(
    open_console: OpenConsole, things: dict[str, str], width: int
) -> None:
    page = open_console(width=width)
    wide = []
    for path, shown in SCREENS:
        show(page, path.format(**things), shown)
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wide.append(path)

    assert wide == []


def test_a_member_gets_every_screen_without_an_error(
    open_console: OpenConsole, things: dict[str, str]
) -> None:
    page = open_console(role="member")
    for path, shown in SCREENS:
        show(page, path.format(**things), shown)

    assert re.search("Inbox", page.title()) is None
