"""The console in Debian's Chromium, with the real handlers behind it and a person who is signed in."""

from collections.abc import Callable, Iterator
from typing import Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

from helpdesk.accounts.organizations.schemas import NewOrganization
from scripts.mailbox.console import SignIn
from tests.support.chromium import chromium as chromium  # noqa: PLC0414 - a fixture
from tests.support.chromium import host as host  # noqa: PLC0414 - a fixture
from tests.support.chromium import working as working  # noqa: PLC0414 - a fixture
from tests.support.people import make_person

# What a browser reports for an answer that the console expects: it says what to do instead.
EXPECTED = ("the server responded with a status of 4", "WebSocket")

type OpenConsole = Callable[..., Page]
type Scheme = Literal["light", "dark"]


def sign_in(context: BrowserContext, host: str, user_id: str) -> None:
    """Let a browser be a person's, as after a sign-in."""
    cookie = SignIn(host, {"person": user_id}).cookie_of("person")
    assert cookie is not None
    name, value = cookie.partition(";")[0].split("=", 1)
    domain = urlsplit(host).hostname or ""
    context.add_cookies([{"name": name, "value": value, "domain": domain, "path": "/v1"}])


@pytest.fixture
def open_console(chromium: Browser, host: str, organization: NewOrganization) -> Iterator[OpenConsole]:
    """Open the console as somebody new, and require at the end that no page reported an error.

    The arguments are the role, the window's width, the scheme of colors, and `checked` for pages that a script of the
    tests runs in, for which the policy is lifted.
    """
    contexts, problems = [], []

    def report(message: ConsoleMessage) -> None:
        if message.type == "error" and not any(each in message.text for each in EXPECTED):
            problems.append(message.text)

    def open_it(
        *, role: str = "owner", width: int = 1280, scheme: Scheme = "light", checked: bool = False
    ) -> Page:
        user_id = make_person(organization.organization_id, role=role, name="Ada Lovelace")
        context = chromium.new_context(
            viewport={"width": width, "height": 800},
            color_scheme=scheme,
            bypass_csp=checked,
            base_url=f"{host}/console/",
        )
        contexts.append(context)
        sign_in(context, host, user_id)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", report)
        page.on("pageerror", lambda error: problems.append(str(error)))
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert problems == []
