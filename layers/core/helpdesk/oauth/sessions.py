"""The browser that a page is shown to: its cookie, who is signed in with it, and whether a form came from our page.

A cookie is there before anybody has signed in, so that a sign-in is bound to the browser that began it (login CSRF); it
is replaced when somebody signs in, so that one that was planted is worth nothing (session fixation).
"""

import hmac
import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from helpdesk.http.content import ClientInfo
from helpdesk.oauth import repository
from helpdesk.oauth.errors import CsrfError
from helpdesk.people import service as people
from helpdesk.people.record import PersonRecord
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.units import HOUR_SECONDS

SESSION_SECONDS = 12 * HOUR_SECONDS
_VALUE = re.compile(r"[0-9A-Za-z]{43}")
_MOST_BEFORE = 5


class Browser(NamedTuple):
    """A browser by its cookie. `person` is who is signed in; `before` are the hashes of its former cookies."""

    value: str
    is_new: bool
    person: PersonRecord | None = None
    before: tuple[str, ...] = ()

    @property
    def hash(self) -> str:
        """The SHA-256 of the cookie, by which the browser is stored."""
        return sha256_hex(self.value)

    @property
    def csrf(self) -> str:
        """What a form brings along to show that it is on a page that this browser was given."""
        return sha256_hex(f"csrf {self.value}")

    def began(self, browser_hash: str) -> bool:
        """Return whether something began in this browser."""
        return browser_hash in {self.hash, *self.before}


def of(client_info: ClientInfo, base_url: str) -> Browser:
    """Return the browser that asks; one without a cookie of ours gets one."""
    value = _cookie(client_info.headers, _name_and_path(base_url)[0])
    if value is None:
        return Browser(ids.secret(), is_new=True)
    item = repository.browser(sha256_hex(value))
    if item is None:
        return Browser(value, is_new=False)
    user_id = item.get("userId")
    person = people.by_id(user_id) if user_id else None
    return Browser(value, is_new=False, person=person, before=tuple(item["before"]))


def signed_in(browser: Browser, sign_in_hash: str, user_id: str) -> Browser | None:
    """Return the browser with its new cookie after a sign-in; None where the sign-in was used before."""
    fresh = Browser(ids.secret(), is_new=True, before=(*browser.before, browser.hash)[-_MOST_BEFORE:])
    until = clock.now_ms() + SESSION_SECONDS * 1_000
    return fresh if repository.sign_in(sign_in_hash, user_id, fresh.hash, fresh.before, until) else None


def require_own_form(browser: Browser, csrf: str, client_info: ClientInfo, base_url: str) -> None:
    """Raise CsrfError unless a form comes from a page of ours that this browser was given.

    The token decides. What the browser says of the form's origin must agree where it says it: under
    `referrer-policy: no-referrer` a browser sends `Origin: null`, and then Sec-Fetch-Site is what it says.
    """
    site = client_info.headers.get("sec-fetch-site")
    origin = client_info.headers.get("origin")
    if site is not None and site not in {"same-origin", "none"}:
        raise CsrfError
    if site is None and origin not in {None, "null", _origin(base_url)}:
        raise CsrfError
    if browser.is_new or not hmac.compare_digest(csrf.encode(), browser.csrf.encode()):
        raise CsrfError


def cookie(browser: Browser, base_url: str) -> dict[str, str]:
    """Return the header that gives a browser its cookie, none where it has it.

    Over https its name promises the browser's own protection: `__Host-` where the API has a host of its own,
    `__Secure-` where it lies under a path, to which it is then limited.
    """
    if not browser.is_new:
        return {}
    name, path = _name_and_path(base_url)
    secure = "; Secure" if base_url.startswith("https:") else ""
    return {
        "set-cookie": f"{name}={browser.value}; Path={path}; Max-Age={SESSION_SECONDS}; HttpOnly; SameSite=Lax{secure}"
    }


def _name_and_path(base_url: str) -> tuple[str, str]:
    path = urlsplit(base_url).path
    if not base_url.startswith("https:"):
        return "helpdesk", f"{path}/v1"
    return ("__Secure-helpdesk", f"{path}/v1") if path else ("__Host-helpdesk", "/")


def _cookie(headers: Mapping[str, str], name: str) -> str | None:
    """Return the value of the cookie; None without it, and where there are two: one of them is not ours."""
    pairs = [part.strip().partition("=") for part in (headers.get("cookie") or "").split(";")]
    values = [value for found, _, value in pairs if found == name]
    return values[0] if len(values) == 1 and _VALUE.fullmatch(values[0]) else None


def _origin(base_url: str) -> str:
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{parts.netloc}"
