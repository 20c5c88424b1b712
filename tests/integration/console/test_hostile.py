"""What a visitor, a document or a teammate writes stays text: no screen runs it, loads it or links to a script."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Dialog, Request

from helpdesk.accounts.organizations.schemas import NewOrganization
from tests.integration.console.conftest import OpenConsole
from tests.integration.console.test_screens import SCREENS, show
from tests.support.api import Client
from tests.support.approvals import ask, conversation_of
from tests.support.chromium import installed

pytestmark = installed

MARKUP = '<img src=x onerror=alert(1)><script>alert(2)</script><iframe src="https://evil.example"></iframe>'
LINKS = "[click](javascript:alert(3)) <javascript:alert(4)> ![p](https://evil.example/pixel) data:text/html,x"
STYLE = '"><style>*{display:none}</style>{{constructor.constructor("alert(5)")()}}'
HOSTILE = f"{MARKUP} {LINKS} {STYLE}"

# What a page must not have: anything that runs, frames or loads from elsewhere, and links to other schemes.
FORBIDDEN = """() => [
  ...document.querySelectorAll("script:not([src]), iframe, object, embed, body style, [onerror], [onload], [onclick]"),
  ...[...document.querySelectorAll("a[href], form[action]")].filter(
    (each) => !["http:", "https:", "mailto:"].includes(new URL(each.href ?? each.action).protocol)),
  ...[...document.querySelectorAll("[src]")].filter((each) => new URL(each.src).origin !== location.origin),
].map((each) => each.outerHTML.slice(0, 200))"""


@pytest.fixture
def things(api: Client, organization: NewOrganization) -> dict[str, str]:
    """A thing of each kind, in which every text that somebody else writes is hostile."""
    user = {"name": HOSTILE[:120], "email": "mara@example.com", "metadata": {"plan": HOSTILE[:200]}}
    page = {"url": "https://shop.example/", "title": HOSTILE[:200], "referrer": "javascript:alert(6)"}
    context = {"browser": MARKUP[:80], "locale": "en"}
    message = {
        "session": "a-hostile-visitor-of-ours",
        "body": HOSTILE,
        "user": user,
        "page": page,
        "context": context,
    }
    sent = api.post("/v1/messages", message)
    assert sent.status == 200, sent.body
    conversation = sent.body["conversationId"]
    customer = api.get(f"/v1/conversations/{conversation}").body["conversation"]["customer"]["id"]
    api.post(f"/v1/conversations/{conversation}/take-over")
    api.post(f"/v1/conversations/{conversation}/note", {"body": HOSTILE})
    api.post(f"/v1/customers/{customer}/facts", {"text": HOSTILE})
    ask(conversation_of(api, organization.organization_id), {"order": HOSTILE})
    report = {"conversationId": conversation, "quote": HOSTILE}
    signal = api.post("/v1/signals", {**report, "kind": "bug", "title": HOSTILE[:200], "body": HOSTILE}).body[
        "id"
    ]
    api.post("/v1/tasks", {"title": HOSTILE[:200]})
    api.post("/v1/board/posts", {"boardId": "ideas", "title": HOSTILE[:120], "body": HOSTILE})
    document = api.post("/v1/knowledge/documents", {"title": HOSTILE[:120], "body": HOSTILE}).body["id"]
    return {"conversation": conversation, "customer": customer, "signal": signal, "document": document}


def test_hostile_text_stays_text_on_every_screen(open_console: OpenConsole, things: dict[str, str]) -> None:
    page = open_console()
    asked: list[str] = []
    elsewhere: list[str] = []
    found = {}

    def dismiss(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    def note(request: Request) -> None:
        if urlsplit(request.url).hostname == "evil.example":
            elsewhere.append(request.url)

    page.on("dialog", dismiss)
    page.on("request", note)
    for path, shown in SCREENS:
        show(page, path.format(**things), shown)
        if forbidden := page.evaluate(FORBIDDEN):
            found[path] = forbidden

    assert (asked, elsewhere, found) == ([], [], {})
