"""Signing in to the help site in a browser: by mail, with both example apps, and at a provider; and signing out.

The apps run as a customer would start them. What the browser sees are the real handlers, behind a server on loopback.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from helpdesk.accounts.organizations.schemas import NewOrganization
from helpdesk.mail import service as mail
from tests.clients.example_server import EXAMPLES, ROOT, Server
from tests.support import site
from tests.support.api import Client
from tests.support.chromium import chromium as chromium  # noqa: PLC0414 - a fixture
from tests.support.chromium import host as host  # noqa: PLC0414 - a fixture
from tests.support.chromium import installed
from tests.support.chromium import working as working  # noqa: PLC0414 - a fixture
from tests.support.node import node
from tests.support.openid import Provider

pytestmark = installed


@pytest.fixture
def root(host: str, api: Client) -> str:
    """The address of the help site."""
    return f"{host}/site/{site.opened(api).slug}"


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    """A page of a new browser, in which nothing may go wrong unseen."""
    with chromium.new_context() as context:
        opened = context.new_page()
        opened.set_default_timeout(10_000)
        said: list[str] = []
        opened.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
        opened.on("pageerror", lambda error: said.append(str(error)))
        yield opened
        assert [text for text in said if "status of 40" not in text] == []


def python_app(_: Path, example: str = "site_sign_in") -> list[str]:
    """Return what starts the Flask app."""
    return [
        sys.executable,
        "-m",
        "flask",
        "--app",
        str(EXAMPLES / example / "app"),
        "run",
        "--port",
        "0",
    ]


def javascript_app(folder: Path, example: str = "site_sign_in") -> list[str]:
    """Return what starts the Node app, with the client installed beside it."""
    package = folder / "node_modules" / "helpdesk-webhooks"
    package.parent.mkdir()
    package.symlink_to(ROOT / "clients" / "javascript")
    shutil.copy(EXAMPLES / example / "app.mjs", folder)
    return [node(), str(folder / "app.mjs")]


@contextmanager
def running(command: list[str], **variables: str) -> Iterator[str]:
    """Run an app on a free port; return its address."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    environment = {**own, **variables, "PORT": "0", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
    ) as process:
        server = Server(process)
        try:
            yield f"http://127.0.0.1:{server.port}"
        finally:
            server.crash()


def saved(api: Client, body: dict[str, Any]) -> Any:
    """Save the settings of sign-in. In a thread: Playwright's loop runs in this one, and discovery has its own."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(api.patch, "/v1/site/sign-in", body).result().body


def sign_out(page: Page, root: str) -> None:
    """Sign out, and see that nobody is signed in."""
    page.goto(f"{root}/sign-in")
    page.get_by_role("button", name="Sign out").click()
    page.goto(f"{root}/sign-in")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_a_visitor_signs_in_with_a_code_and_out_again(
    page: Page, root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes: list[str] = []
    monkeypatch.setattr(mail, "send_site_code", lambda _email, code, **_: codes.append(code))
    page.goto(f"{root}/sign-in")
    page.get_by_label("E-mail address").fill("ada@example.com")
    page.get_by_role("button", name="Send me a code").click()
    page.get_by_label("Six-digit code").fill("000000" if codes[0] != "000000" else "111111")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("Tries left: 4")
    page.get_by_label("Six-digit code").fill(codes[0])
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{root}/")

    page.goto(f"{root}/sign-in")
    expect(page.get_by_text("You are signed in as ada@example.com.")).to_be_visible()
    assert page.evaluate("document.cookie") == ""
    sign_out(page, root)


@pytest.mark.parametrize("app", [python_app, javascript_app])
def test_a_user_of_an_app_signs_in_with_their_account_there(
    page: Page,
    root: str,
    api: Client,
    organization: NewOrganization,
    tmp_path: Path,
    app: Callable[[Path], list[str]],
) -> None:
    with running(app(tmp_path), HELPDESK_KEY=organization.secret_key, HELP_SITE=root) as started:
        # Another site than the help site's: a browser sends no cookie with a form that it posts.
        url = started.replace("127.0.0.1", "localhost")
        api.patch("/v1/site/sign-in", {"method": "app", "appUrl": f"{url}/help-sign-in"})
        page.goto(f"{root}/sign-in")
        page.get_by_role("link", name="Sign in", exact=True).last.click()
        page.get_by_role("button", name="Sign in as Ada").click()
        expect(page).to_have_url(f"{root}/")

        page.goto(f"{root}/sign-in")
        expect(page.get_by_text("You are signed in as Ada Lovelace.")).to_be_visible()
        refused = page.request.get(
            f"{url}/help-sign-in?redirect=https://evil.example/&state=s", max_redirects=0
        )
        assert refused.status == 400
        sign_out(page, root)
    assert api.get("/v1/site/sign-in").body["problem"] is None


def test_a_visitor_signs_in_at_a_provider_after_its_secret_is_corrected(
    page: Page, root: str, api: Client
) -> None:
    with Provider() as provider:
        answer = saved(api, provider.settings(clientSecret="wrong"))
        provider.client.redirect_uris = [answer["oidcRedirectUri"]]
        page.goto(f"{root}/sign-in")
        page.get_by_role("link", name="Sign in", exact=True).last.click()
        expect(page.get_by_role("alert")).to_contain_text("did not work")
        assert api.get("/v1/site/sign-in").body["problem"]["code"] == "invalid_client"

        saved(api, provider.settings())
        page.get_by_role("link", name="Sign in", exact=True).last.click()
        expect(page).to_have_url(f"{root}/")
    page.goto(f"{root}/sign-in")
    expect(page.get_by_text("You are signed in as Ada.")).to_be_visible()
    sign_out(page, root)
