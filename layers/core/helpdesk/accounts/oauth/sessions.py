"""Browser sessions: the cookie, the person who is signed in, and whether a form came from our own page.

A browser gets its cookie before anyone signs in, so that a sign-in is bound to the browser that began it (login CSRF).
Signing in replaces the cookie, so that a planted one is worthless (session fixation).
"""

import hmac
from urllib.parse import urlsplit

from helpdesk.accounts.oauth import repository
from helpdesk.accounts.oauth.errors import CsrfError
from helpdesk.accounts.oauth.record import BrowserSession
from helpdesk.accounts.people import service as people
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.api.http import gateway
from helpdesk.api.http.content import ClientInfo
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.record import Record
from helpdesk.platform.units import DAY_MS, DAY_SECONDS, HOUR_SECONDS

SESSION_SECONDS = 12 * HOUR_SECONDS
KNOWN_SECONDS = 180 * DAY_SECONDS
"""How long a browser keeps its cookie after a sign-in. It proves who signed in there before, and signs nobody in."""
CONSOLE_SECONDS = 7 * DAY_SECONDS
"""How long a browser stays signed in after the console was used there."""
_MOST_BEFORE, _MOST_KNOWN = 5, 5


class Browser(Record):
    """A browser by its cookie. `person` is who is signed in; `before` holds the hashes of its earlier cookies.

    `known` holds the hashes of the addresses that signed in there, the latest last. `organization` is the one that the
    console was in last. `valid_until` (ms) is when the session ends.
    """

    value: str
    is_new: bool
    person: PersonRecord | None = None
    before: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    organization: str | None = None
    valid_until: int = 0

    @property
    def hash(self) -> str:
        """The SHA-256 of the cookie, by which the browser is stored."""
        return sha256_hex(self.value)

    @property
    def csrf(self) -> str:
        """The token in every form that shows that the form is on a page that this browser received."""
        return sha256_hex(f"csrf {self.value}")

    def began(self, browser_hash: str) -> bool:
        """Return whether a request began in this browser, given the hash of the cookie at that time."""
        return browser_hash in {self.hash, *self.before}


def of(client_info: ClientInfo, base_url: str) -> Browser:
    """Return the browser that sends a request; one without our cookie gets a new one."""
    value = gateway.cookie(client_info.headers, _name_and_path(base_url)[0])
    if value is None or not ids.is_secret(value):
        return Browser(ids.secret(), is_new=True)
    known = repository.browsers.find(sha256_hex(value))
    if known is None:
        return Browser(value, is_new=False)
    if known.valid_until <= clock.now_ms():
        return Browser(value, is_new=False, known=known.known, organization=known.organization)
    person = people.by_id(known.user_id) if known.user_id else None
    return Browser(
        value,
        is_new=False,
        person=person,
        before=known.before,
        known=known.known,
        organization=known.organization,
        valid_until=known.valid_until,
    )


def signed_in(browser: Browser, sign_in_hash: str, user_id: str, email_hash: str) -> Browser | None:
    """Return the browser with its new cookie after a sign-in; None if the sign-in was used before."""
    before = (*browser.before, browser.hash)[-_MOST_BEFORE:]
    known = (*(each for each in browser.known if each != email_hash), email_hash)[-_MOST_KNOWN:]
    fresh = Browser(ids.secret(), is_new=True, before=before, known=known)
    session = BrowserSession(
        browser_hash=fresh.hash,
        user_id=user_id,
        before=before,
        valid_until=clock.now_ms() + SESSION_SECONDS * 1_000,
        known=known,
        expires_at=clock.seconds_from_now(KNOWN_SECONDS),
        organization=browser.organization,
    )
    return fresh if repository.sign_in(sign_in_hash, session) else None


def keep_for_console(browser: Browser, user_id: str, organization: str | None) -> None:
    """Keep a browser signed in for another week, and note the organization. At most one write, and usually none."""
    until = clock.now_ms() + CONSOLE_SECONDS * 1_000
    if browser.organization != organization or browser.valid_until < until - DAY_MS:
        repository.keep_browser(browser.hash, user_id, until, organization)


def require_same_origin(client_info: ClientInfo, base_url: str) -> None:
    """Raise CsrfError unless the browser proves that a request comes from a page of this origin."""
    if not client_info.is_from(_origin(base_url)):
        raise CsrfError


def require_own_form(browser: Browser, csrf: str, client_info: ClientInfo, base_url: str) -> None:
    """Raise CsrfError unless a form comes from one of our pages, in this browser.

    The token decides. If the browser also sends the form's origin, it must match.
    """
    if client_info.is_from_elsewhere(_origin(base_url)):
        raise CsrfError
    if browser.is_new or not hmac.compare_digest(csrf.encode(), browser.csrf.encode()):
        raise CsrfError


def cookie(browser: Browser, base_url: str) -> dict[str, str]:
    """Return the header that sets a new browser's cookie; no header if the browser has it.

    Over https the name's prefix adds the browser's own protection: `__Host-` if the API has its own host, `__Secure-`
    if it is below a path. The cookie is then limited to that path.
    """
    if not browser.is_new:
        return {}
    name, path = _name_and_path(base_url)
    secure = "; Secure" if base_url.startswith("https:") else ""
    seconds = KNOWN_SECONDS if browser.known else SESSION_SECONDS
    return {
        "set-cookie": f"{name}={browser.value}; Path={path}; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}"
    }


def _name_and_path(base_url: str) -> tuple[str, str]:
    path = urlsplit(base_url).path
    if not base_url.startswith("https:"):
        return "helpdesk", f"{path}/v1"
    return ("__Secure-helpdesk", f"{path}/v1") if path else ("__Host-helpdesk", "/")


def _origin(base_url: str) -> str:
    parts = urlsplit(base_url)
    return f"{parts.scheme}://{parts.netloc}"
