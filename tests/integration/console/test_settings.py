"""Settings in the console: each section opens, what the API refuses stays as typed, secrets are shown once."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Dialog, Page, expect

from helpdesk.accounts.organizations.schemas import NewOrganization
from tests.integration.console.conftest import OpenConsole
from tests.support.api import Client
from tests.support.chromium import installed
from tests.support.people import make_person

pytestmark = installed

EVERYONE = ["me", "grants", "organization", "members", "teams", "hours", "agent", "sentences", "replies"]
EVERYONE += ["site", "site/appearance", "site/widget", "integrations", "integrations/tracker", "tools"]
ADMINS = ["site/sign-in", "webhooks", "keys"]


def open_section(page: Page, section: str) -> None:
    page.goto(f"settings/{section}")
    page.locator("h1").wait_for()
    expect(page.locator(".ghost")).to_have_count(0, timeout=20_000)


@pytest.mark.parametrize("role", ["owner", "member"])
def test_every_section_opens_without_anything_for_a_checker_of_accessibility_to_find(
    open_console: OpenConsole, role: str
) -> None:
    page = open_console(role=role, checked=True, width=360, scheme="dark" if role == "member" else "light")
    found = {}
    for section in EVERYONE + ADMINS:
        open_section(page, section)
        violations = Axe().run(page).response["violations"]
        if violations:
            found[section] = [(each["id"], each["nodes"][0]["html"][:150]) for each in violations]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), section

    assert found == {}


def test_a_field_that_the_api_refuses_is_marked_and_keeps_what_was_typed(
    open_console: OpenConsole, api: Client
) -> None:
    page = open_console(role="admin")
    open_section(page, "organization")
    slug = page.get_by_label("Short name in addresses")
    slug.fill("Not A Slug")
    page.get_by_label("Prefix of task keys").fill("OPS")
    page.get_by_role("button", name="Save changes").click()

    expect(slug).to_have_attribute("aria-invalid", "true")
    expect(slug).to_be_focused()
    expect(slug).to_have_value("Not A Slug")
    assert api.get("/v1/organization").body["taskKeyPrefix"] is None


def test_a_word_where_a_number_belongs_does_not_remove_the_setting(
    open_console: OpenConsole, api: Client
) -> None:
    api.patch("/v1/organization", {"retentionDays": 365})
    page = open_console()
    open_section(page, "organization")
    days = page.get_by_label("Erase conversations after")
    days.fill("a year")
    page.get_by_role("button", name="Save changes").click()

    expect(days).to_have_attribute("aria-invalid", "true")
    assert api.get("/v1/organization").body["retentionDays"] == 365


def test_leaving_a_section_with_changes_asks_first(open_console: OpenConsole) -> None:
    page = open_console()
    open_section(page, "agent")
    page.get_by_label("Name", exact=True).fill("Fern")
    questions = []

    def stay(dialog: Dialog) -> None:
        questions.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", stay)
    page.get_by_role("navigation", name="Settings").get_by_role("link", name="Members").click()

    assert len(questions) == 1
    expect(page.get_by_label("Name", exact=True)).to_have_value("Fern")


def test_a_member_reads_settings_and_changes_none_of_them(open_console: OpenConsole) -> None:
    page = open_console(role="member")
    open_section(page, "agent")

    expect(page.get_by_label("Personality")).to_be_disabled()
    expect(page.get_by_role("button", name="Save changes")).to_have_count(0)
    expect(page.get_by_role("link", name="API keys")).to_have_count(0)
    expect(page.get_by_label("Question")).to_be_enabled()


def test_a_key_is_shown_once_and_is_gone_after_it_is_revoked(open_console: OpenConsole, api: Client) -> None:
    page = open_console(role="admin")
    open_section(page, "keys")
    page.get_by_role("button", name="New API key").click()
    page.get_by_label("Name").fill("Shop server")
    page.get_by_role("button", name="Create the key").click()
    secret = page.get_by_label("Secret key", exact=True).input_value()
    page.get_by_role("button", name="I saved it").click()

    assert Client(secret).get("/v1/organization").status == 200
    expect(page.locator("body")).not_to_contain_text(secret)

    page.get_by_role("button", name="Revoke Shop server").click()
    page.get_by_role("button", name="Revoke the key").click()
    expect(page.get_by_text("Revoked on")).to_be_visible()
    assert Client(secret).get("/v1/organization").status == 401


def test_a_dialog_gives_the_focus_back(open_console: OpenConsole) -> None:
    page = open_console()
    open_section(page, "keys")
    button = page.get_by_role("button", name="New API key")
    button.click()
    page.keyboard.press("Escape")

    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(button).to_be_focused()


def test_a_team_is_made_of_the_chosen_members(open_console: OpenConsole, api: Client) -> None:
    page = open_console(role="admin")
    open_section(page, "teams")
    page.get_by_role("button", name="New team").click()
    page.get_by_label("Name").fill("Billing")
    page.get_by_label("Ada Lovelace").check()
    page.get_by_role("button", name="Create the team").click()

    expect(page.get_by_role("list", name="Teams")).to_contain_text("Billing")
    (team,) = api.get("/v1/teams").body["teams"]
    assert (team["name"], len(team["memberIds"])) == ("Billing", 1)


def test_a_member_becomes_an_admin(
    open_console: OpenConsole, organization: NewOrganization, api: Client
) -> None:
    user_id = make_person(organization.organization_id, role="member", name="Jonas Berg")
    page = open_console()
    open_section(page, "members")
    page.get_by_label("Role of Jonas Berg").select_option("admin")

    expect(page.locator(".said")).to_contain_text("Jonas Berg is now an admin")
    roles = {each["userId"]: each["role"] for each in api.get("/v1/members").body["members"]}
    assert roles[user_id] == "admin"


def test_the_link_of_an_invitation_is_shown_when_it_is_sent(open_console: OpenConsole, api: Client) -> None:
    page = open_console()
    open_section(page, "members")
    page.get_by_role("button", name="Invite a teammate").click()
    page.get_by_label("E-mail address").fill("jana@example.com")
    page.get_by_role("button", name="Send the invitation").click()

    expect(page.get_by_label("Link of the invitation", exact=True)).to_have_value(re.compile("/v1/invite/"))
    page.get_by_role("button", name="Done").click()
    expect(page.get_by_role("list", name="Invitations")).to_contain_text("jana@example.com")
    assert [each["email"] for each in api.get("/v1/invites").body["invites"]] == ["jana@example.com"]
