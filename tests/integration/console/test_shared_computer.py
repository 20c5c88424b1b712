"""A browser that more than one person uses, or one person in several tabs."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, expect

from helpdesk.accounts.organizations.schemas import NewOrganization
from tests.integration.console.conftest import OpenConsole, sign_in
from tests.support.chromium import installed
from tests.support.people import make_person

pytestmark = installed


def sign_in_as(context: BrowserContext, host: str, organization: NewOrganization, name: str) -> None:
    """Let a browser be another person's, as after a sign-in in another tab."""
    user_id = make_person(organization.organization_id, role="member", name=name)
    sign_in(context, host, user_id)


def test_who_signs_out_in_one_tab_is_signed_out_in_all(open_console: OpenConsole) -> None:
    page = open_console()
    page.goto("")
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.get_by_text("Ada Lovelace")).to_be_visible()

    page.get_by_label("Your menu", exact=True).first.click()
    page.get_by_role("menuitem", name="Sign out").click()

    for each in (page, other):
        each.wait_for_url("**/v1/oauth/consent?**")


def test_drafts_of_one_person_are_not_for_the_next(
    open_console: OpenConsole, host: str, organization: NewOrganization
) -> None:
    page = open_console()
    page.goto("")
    expect(page.get_by_text("Ada Lovelace")).to_be_visible()
    page.evaluate("localStorage.setItem('helpdesk:draft:conv_1:reply', '{}')")
    page.reload()
    expect(page.get_by_text("Ada Lovelace")).to_be_visible()
    assert page.evaluate("localStorage.getItem('helpdesk:draft:conv_1:reply')") == "{}"

    sign_in_as(page.context, host, organization, "Grace Hopper")
    page.reload()

    expect(page.get_by_text("Grace Hopper")).to_be_visible()
    assert page.evaluate("localStorage.getItem('helpdesk:draft:conv_1:reply')") is None


def test_a_tab_of_one_person_does_nothing_in_the_name_of_another_who_signed_in_since(
    open_console: OpenConsole, host: str, organization: NewOrganization
) -> None:
    page = open_console()
    page.clock.install()
    page.goto("")
    expect(page.get_by_text("Ada Lovelace")).to_be_visible()
    sign_in_as(page.context, host, organization, "Grace Hopper")

    page.clock.fast_forward("01:00:00")
    page.get_by_role("link", name="Customers").first.click()

    expect(page.get_by_text("Grace Hopper")).to_be_visible()


@pytest.mark.parametrize("piece", ["..%2Fmembers", "x%2F..%2F..%2Fmembers", "%252e%252e"])
def test_a_link_to_a_conversation_asks_for_a_conversation(open_console: OpenConsole, piece: str) -> None:
    page = open_console()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(urlsplit(request.url).path))

    page.goto(f"conversations/{piece}")

    expect(page.locator(".problem")).to_be_visible()
    assert f"/v1/conversations/{piece}" in asked


def test_the_sign_in_page_leads_back_to_where_the_person_was(open_console: OpenConsole) -> None:
    page = open_console()
    page.route("**/v1/oauth/authorize?*prompt=none*", lambda route: route.fulfill(body=""))
    page.goto("customers?q=mara")

    expect(page.get_by_text("Ada Lovelace")).to_be_visible()
    assert page.url.endswith("/console/customers?q=mara")
