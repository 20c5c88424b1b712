"""A help site whose visitors sign in, a provider, an app, and what was mailed."""

from collections.abc import Callable, Iterator

import pytest

from helpdesk.mail import service as mail
from helpdesk.platform.settings import settings
from helpdesk.site import router
from helpdesk.site.sign_in import provider as flow
from tests.support import site
from tests.support.api import Client
from tests.support.openid import Provider
from tests.support.site_browser import SiteBrowser

BASE_URL = "https://support.example.com"


@pytest.fixture(autouse=True)
def _deployment(monkeypatch: pytest.MonkeyPatch, aws: None) -> None:
    monkeypatch.setenv("STAGE", "local")
    monkeypatch.setenv("ALLOW_LOOPBACK_URLS", "true")
    monkeypatch.setenv("BASE_URL", BASE_URL)
    settings.cache_clear()
    router.forget()
    flow.forget()


@pytest.fixture
def mails(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, str]]:
    """What was mailed: address, code, and the subject."""
    sent: list[tuple[str, str, str]] = []

    def send(email: str, code: str, *, subject: str, **_: object) -> None:
        sent.append((email, code, subject))

    monkeypatch.setattr(mail, "send_site_code", send)
    return sent


@pytest.fixture
def provider() -> Iterator[Provider]:
    """An OpenID Connect provider."""
    with Provider() as running:
        yield running


@pytest.fixture
def root(api: Client) -> str:
    """The address of the organization's site."""
    return f"{BASE_URL}/site/{site.opened(api).slug}"


@pytest.fixture
def browser(root: str) -> SiteBrowser:
    """A browser in which nobody is signed in."""
    return SiteBrowser(root)


@pytest.fixture
def at_provider(api: Client, root: str, provider: Provider) -> Callable[[SiteBrowser], str]:
    """Let visitors sign in at the provider. Returns what goes there in a browser; it returns where that comes back."""
    answer = api.patch("/v1/site/sign-in", provider.settings())
    assert answer.status == 200, answer.body
    provider.client.redirect_uris = [answer.body["oidcRedirectUri"]]

    def go(browser: SiteBrowser, to: str = "") -> str:
        led = browser.ask("GET", f"/sign-in/go?to={to}", None)
        assert led.status == 303, led.text
        return provider.visit(led.headers["location"])

    return go
