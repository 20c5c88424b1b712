"""A day of a support team in the console, in a real browser on the deployed local stack.

Two people see customers' messages arrive, and each other at work. The first conversation is answered by keyboard alone.
"""

import re
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from scripts.local.people import PEOPLE
from tests.e2e.browser import codes_mailed
from tests.e2e.refunds import a_model, refund_tools
from tests.support.agent_runs import REFUND
from tests.support.chromium import chromium as chromium  # noqa: PLC0414 - a fixture
from tests.support.chromium import installed
from tests.support.tool_server import ToolServer
from tests.support.web import Web, eventually

pytestmark = installed
SLOW_MS = 40_000


def sign_in(page: Page, stack: Mapping[str, str], email: str) -> None:
    """Sign a person in to the console with a code from their mail."""
    page.goto(f"{stack['base_url']}/console/")
    before = len(codes_mailed(stack, email))
    page.get_by_label("E-mail address").fill(email)
    page.get_by_role("button", name="Send me a code").click()
    code = eventually(lambda: codes_mailed(stack, email)[before:])[-1]
    page.get_by_label("Six-digit code").fill(code)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name=re.compile("^Inbox")).wait_for()


@pytest.fixture(scope="module")
def people(chromium: Browser, stack: Mapping[str, str]) -> Iterator[dict[str, Page]]:
    """The demo organization's owner and a member, each signed in to the console in a browser of their own."""
    pages = {}
    for token in ("owner_token", "member_token"):
        role, _, email = PEOPLE[token]
        context = chromium.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        page.set_default_timeout(SLOW_MS)
        sign_in(page, stack, email)
        pages[role] = page
    yield pages
    for page in pages.values():
        page.context.close()


@pytest.fixture
def ada(people: dict[str, Page]) -> Page:
    """The owner's page, on the inbox."""
    people["owner"].keyboard.press("Escape")
    people["owner"].get_by_role("link", name=re.compile("^Inbox")).click()
    return people["owner"]


@pytest.fixture
def max_(people: dict[str, Page]) -> Page:
    """The member's page, on the inbox."""
    people["member"].get_by_role("link", name=re.compile("^Inbox")).click()
    return people["member"]


@pytest.fixture
def api(stack: Mapping[str, str]) -> Web:
    """The organization's secret key."""
    return Web(stack["base_url"], stack["secret_key"])


def asks(api: Web, body: str = "I want to talk to a person, please.", **fields: Any) -> dict[str, str]:
    """Let somebody new write; return their name, session and conversation."""
    name = f"Vera {uuid.uuid4().hex[:8]}"
    session = fields.pop("session", f"visitor-{uuid.uuid4()}")
    sent = api.post("/v1/messages", {"session": session, "body": body, "user": {"name": name}})
    assert sent.status == 200, sent
    return {"name": name, "session": session, "id": sent.body["conversationId"]}


def waits(api: Web, conversation: str) -> None:
    """Wait until the agent has handed a conversation to the team."""
    eventually(lambda: api.get(f"/v1/conversations/{conversation}").body["conversation"]["awaitingHuman"])


def read_by_visitor(api: Web, visitor: dict[str, str]) -> list[str]:
    """Return what a visitor sees in their thread."""
    found = api.get(f"/v1/messages?session={visitor['session']}").body["conversations"]
    return [message["body"] for each in found for message in each["messages"]]


def go(page: Page, stack: Mapping[str, str], conversation: str) -> None:
    """Open a conversation by its link."""
    page.goto(f"{stack['base_url']}/console/conversations/{conversation}")
    page.locator(".entry").first.wait_for()


def test_a_message_appears_in_an_open_inbox_and_is_answered_by_keyboard_alone(
    ada: Page, api: Web, stack: Mapping[str, str]
) -> None:
    visitor = asks(api)
    row = ada.locator(".item", has_text=visitor["name"])
    row.wait_for()  # without a reload

    ada.keyboard.press("u")
    for _ in range(200):
        ada.keyboard.press("j")
        if visitor["id"] in ada.url:
            break
    expect(ada).to_have_url(re.compile(visitor["id"]))
    ada.locator(".entry").first.wait_for()
    ada.keyboard.press("r")
    ada.keyboard.type("Your parcel is on its way.")
    ada.keyboard.press("Control+Enter")
    ada.get_by_role("button", name="Take back").wait_for()
    assert "Your parcel is on its way." not in read_by_visitor(api, visitor)

    eventually(lambda: "Your parcel is on its way." in read_by_visitor(api, visitor))
    ada.keyboard.press("Escape")
    ada.keyboard.press("e")
    eventually(
        lambda: api.get(f"/v1/conversations/{visitor['id']}").body["conversation"]["status"] == "resolved"
    )


def test_a_reply_can_be_taken_back_for_five_seconds(ada: Page, api: Web, stack: Mapping[str, str]) -> None:
    visitor = asks(api)
    waits(api, visitor["id"])
    go(ada, stack, visitor["id"])
    ada.keyboard.press("r")
    ada.keyboard.type("Wrong window.")
    ada.keyboard.press("Control+Enter")
    ada.get_by_role("button", name="Take back").click()

    expect(ada.get_by_label(re.compile("^Reply to"))).to_have_value("Wrong window.")
    ada.wait_for_timeout(6_000)
    assert "Wrong window." not in read_by_visitor(api, visitor)


def test_two_people_see_each_other_and_a_reply_that_crosses_another_is_stopped(
    ada: Page, max_: Page, api: Web, stack: Mapping[str, str]
) -> None:
    visitor = asks(api)
    waits(api, visitor["id"])
    go(ada, stack, visitor["id"])
    go(max_, stack, visitor["id"])
    ada.get_by_text("Demo Member is here, too").wait_for()
    ada.keyboard.press("r")
    ada.keyboard.type("Let me look into it.")
    max_.get_by_text("Demo Owner is typing").wait_for()

    # The member's answer comes first.
    member = Web(stack["base_url"], stack["member_token"])
    ada.context.set_offline(True)
    assert member.post(f"/v1/conversations/{visitor['id']}/reply", {"body": "I have it here."}).status == 200
    ada.keyboard.press("Control+Enter")
    ada.context.set_offline(False)
    ada.get_by_text("Somebody wrote while you did.").wait_for()
    ada.get_by_text("I have it here.").first.wait_for()
    expect(ada.get_by_label(re.compile("^Reply to"))).to_have_value("Let me look into it.")
    assert "Let me look into it." not in read_by_visitor(api, visitor)


def test_a_note_cannot_go_out(ada: Page, api: Web, stack: Mapping[str, str]) -> None:
    visitor = asks(api)
    waits(api, visitor["id"])
    go(ada, stack, visitor["id"])
    ada.keyboard.press("n")
    ada.keyboard.type("Is on the list of fraud.")
    expect(ada.get_by_role("button", name="Add note for your team")).to_be_visible()
    expect(ada.get_by_role("button", name=re.compile("^Send to"))).to_have_count(0)
    ada.keyboard.press("Control+Enter")
    ada.locator(".entry.note", has_text="Is on the list of fraud.").wait_for()

    assert "Is on the list of fraud." not in read_by_visitor(api, visitor)


def test_a_refund_is_approved_in_the_thread_and_made_once(
    ada: Page, api: Web, stack: Mapping[str, str]
) -> None:
    with refund_tools(stack) as tools, a_model(stack):
        visitor = asks(api, "Please refund order A-17.")
        eventually(
            lambda: api.get(f"/v1/conversations/{visitor['id']}").body["conversation"]["pendingApprovals"]
        )
        go(ada, stack, visitor["id"])
        ada.get_by_role("button", name="Approve and run").click()
        ada.get_by_text("The refund: succeeded.").wait_for()

        assert _refunds(tools) == [REFUND]


def _refunds(tools: ToolServer) -> list[Any]:
    return [call["input"] for call in tools.calls if call["tool"] == "refund"]


def test_a_bug_is_filed_from_a_thread_and_the_next_report_joins_it(
    ada: Page, api: Web, stack: Mapping[str, str]
) -> None:
    title = f"Export {uuid.uuid4().hex[:8]} does nothing"
    first, second = asks(api), asks(api)
    for visitor in (first, second):
        waits(api, visitor["id"])
        go(ada, stack, visitor["id"])
        ada.keyboard.press("b")
        ada.get_by_label("Title").fill(title)
        if visitor is second:
            ada.get_by_role("dialog").get_by_role("button", name=title).click()
        else:
            ada.get_by_role("button", name="File it").click()
        ada.get_by_role("dialog").wait_for(state="detached")

    [signal] = [each for each in api.get("/v1/signals?limit=200").body["signals"] if each["title"] == title]
    assert signal["reporterCount"] == 2


def test_a_saved_reply_is_inserted_with_the_customers_name(
    ada: Page, api: Web, stack: Mapping[str, str]
) -> None:
    title = f"Late parcel {uuid.uuid4().hex[:8]}"
    saved = api.post("/v1/replies", {"title": title, "body": "Dear {{customer.name}}, it's late."})
    assert saved.status == 200, saved
    visitor = asks(api)
    waits(api, visitor["id"])
    go(ada, stack, visitor["id"])
    ada.keyboard.press("r")
    ada.keyboard.press("/")
    ada.get_by_label("Search saved replies").fill(title)
    ada.get_by_role("option", name=re.compile(title)).wait_for()
    ada.keyboard.press("Enter")

    expect(ada.get_by_label(re.compile("^Reply to"))).to_have_value(f"Dear {visitor['name']}, it's late.")


def test_two_conversations_of_a_customer_become_one(ada: Page, api: Web, stack: Mapping[str, str]) -> None:
    visitor = asks(api)
    waits(api, visitor["id"])
    assert api.post(f"/v1/conversations/{visitor['id']}/resolve", {}).status == 200
    again = api.post("/v1/messages", {"session": visitor["session"], "body": "It broke again."})
    assert api.post(f"/v1/conversations/{visitor['id']}/reopen", {}).status == 200
    go(ada, stack, again.body["conversationId"])
    ada.get_by_role("button", name="More actions").click()
    ada.get_by_role("menuitem", name=re.compile("^Merge")).click()
    ada.get_by_label("Or its ID").fill(visitor["id"])
    ada.get_by_role("button", name="Merge", exact=True).click()

    expect(ada).to_have_url(re.compile(visitor["id"]))
    ada.get_by_text("It broke again.").first.wait_for()


def test_tags_and_assignment_show_in_the_list(ada: Page, api: Web, stack: Mapping[str, str]) -> None:
    visitor = asks(api)
    waits(api, visitor["id"])
    go(ada, stack, visitor["id"])
    ada.keyboard.press("l")
    ada.get_by_label("Add a tag").fill("billing")
    ada.get_by_role("button", name="Save", exact=True).click()
    ada.get_by_role("dialog").wait_for(state="detached")
    ada.keyboard.press("a")
    ada.get_by_label("Find a teammate").fill("Demo Member")
    ada.keyboard.press("Enter")
    ada.get_by_role("dialog").wait_for(state="detached")

    found = api.get(f"/v1/conversations/{visitor['id']}").body["conversation"]
    members = Web(stack["base_url"], stack["member_token"]).get("/v1/me").body["user"]
    assert (found["tags"], found["assignee"]) == (["billing"], members["id"])


def test_the_figures_are_read(ada: Page) -> None:
    ada.keyboard.press("Escape")
    ada.get_by_role("link", name="Analytics").click()

    ada.get_by_role("heading", name="New conversations by day").wait_for()
    ada.get_by_role("img", name=re.compile("^New conversations by day")).wait_for()
