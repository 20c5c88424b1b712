"""The example sites with the chat widget, in a browser: their user is known to it, and forgotten when they sign out."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from helpdesk.accounts.organizations.schemas import NewOrganization
from tests.integration.examples.test_site_sign_in import javascript_app, python_app, running
from tests.support.api import Client
from tests.support.chromium import chromium as chromium  # noqa: PLC0414 - a fixture
from tests.support.chromium import host as host  # noqa: PLC0414 - a fixture
from tests.support.chromium import installed
from tests.support.chromium import working as working  # noqa: PLC0414 - a fixture

pytestmark = installed


@pytest.mark.parametrize("app", [python_app, javascript_app])
def test_the_widget_knows_the_sites_user_until_they_sign_out(
    chromium: Browser,
    host: str,
    api: Client,
    organization: NewOrganization,
    working: threading.RLock,
    tmp_path: Path,
    app: Callable[[Path, str], list[str]],
) -> None:
    root = str(api.get("/v1/site").body["url"]).rstrip("/")
    with (
        running(app(tmp_path, "widget"), HELPDESK_KEY=organization.secret_key, HELP_SITE=root) as address,
        chromium.new_context() as context,
    ):
        shop = address.replace("127.0.0.1", "localhost")
        with working:
            answer = api.patch("/v1/site", {"widgetOrigins": [shop], "language": "en"})
        assert answer.status == 200, answer.body
        page = context.new_page()
        page.set_default_timeout(20_000)
        frame = page.frame_locator("helpdesk-widget iframe")
        page.goto(shop)
        page.get_by_role("button", name="Sign in as Ada").click()
        expect(frame.locator("html[data-user]")).to_be_attached()
        page.get_by_role("link", name="Ask us").click()
        frame.get_by_role("textbox").fill("Where is my fern?")
        frame.get_by_role("button", name="Send").click()
        expect(frame.locator(".thread > li")).to_have_count(1)
        with working:
            [conversation] = api.get("/v1/conversations").body["conversations"]
        assert conversation["customer"]["email"] == "ada@example.com"

        page.get_by_role("button", name="Sign out").click()
        expect(frame.locator("html:not([data-user])")).to_be_attached()
        page.get_by_role("link", name="Ask us").click()
        expect(frame.get_by_text("How can we help?")).to_be_visible()
