"""What a teammate meets when they open a conversation: its end, its team by name, and dialogs ready to type in."""

import pytest
from playwright.sync_api import Page, expect

from tests.integration.console.conftest import OpenConsole
from tests.support.api import Client
from tests.support.chromium import installed

pytestmark = installed


@pytest.fixture
def opened(open_console: OpenConsole, api: Client, admin: Client) -> Page:
    """A long conversation of a team."""
    visitor = {"session": "a-visitor-who-writes", "body": "Where is my parcel?"}
    conversation = api.post("/v1/messages", visitor).body["conversationId"]
    for number in range(8):
        api.post(f"/v1/conversations/{conversation}/note", {"body": f"Note {number}\n\n\n\nwith its end"})
    team = admin.post("/v1/teams", {"name": "Billing", "memberIds": []}).body["id"]
    assert admin.post(f"/v1/conversations/{conversation}/assign", {"teamId": team}).status == 200
    page = open_console(role="member")
    page.goto(f"conversations/{conversation}")
    page.locator(".entry").first.wait_for()
    return page


def test_a_conversation_opens_at_its_newest_message_and_names_its_team(opened: Page) -> None:
    expect(opened.locator(".entry").last).to_be_in_viewport()
    expect(opened.locator(".thread-title")).to_contain_text("Billing")


def test_a_signal_is_filed_from_a_title_that_can_be_typed_at_once(opened: Page) -> None:
    opened.keyboard.press("b")

    expect(opened.get_by_label("Title")).to_be_focused()
