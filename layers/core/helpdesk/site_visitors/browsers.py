"""The browser of a help site's visitor: its cookie, who is signed in, and whether a form came from the site's own page.

Every page that has a form, or that shows who is signed in, asks `of` for the browser. A browser without our cookie, or
in which nobody has signed in, costs no call. A page that reads other items anyway reads those of the browser with them:

    sent = browsers.sent(client_info, site)
    items = table.get_many([..., *sent.keys])
    browser = sent.browser(items)

A browser gets its cookie before anyone signs in, so that a sign-in is bound to the browser in which it began (login
CSRF). Signing in replaces the cookie, so that a planted one is worthless (session fixation).
"""

import hmac
import re
from collections.abc import Mapping, Sequence

from helpdesk.http.content import ClientInfo
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.frozen_record import FrozenRecord
from helpdesk.platform.units import DAY_SECONDS, HOUR_SECONDS
from helpdesk.site_visitors import repository
from helpdesk.site_visitors.errors import FormNotOwn
from helpdesk.site_visitors.place import SitePlace
from helpdesk.site_visitors.record import SessionRecord
from helpdesk.site_visitors.repository import SessionKeys
from helpdesk.storage.item_key import ItemKey
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction

SESSION_SECONDS = 30 * DAY_SECONDS
ANONYMOUS_SECONDS = 12 * HOUR_SECONDS
WRITER_SECONDS = 180 * DAY_SECONDS
"""How long a browser keeps the cookie of an anonymous visitor after they wrote: with it they find the answer."""
_NAME = "helpdesk-site"
# The cookie of a signed-in browser names its customer, so that one call reads the session and the customer.
_VALUE = re.compile(r"[0-9A-Za-z]{43}(?:\.(cus_[0-9a-z]{26}))?")


class Visitor(FrozenRecord):
    """A customer who is signed in.

    `session_hash` is the session in which they write (`messages.service.post_as`). `email` can be one that nobody has
    verified.
    """

    customer_id: str
    session_hash: str
    name: str | None
    email: str | None


class Browser(FrozenRecord):
    """A browser by its cookie, and who is signed in; None for an anonymous visitor."""

    value: str
    is_new: bool
    visitor: Visitor | None = None

    @property
    def hash(self) -> str:
        """The SHA-256 of the cookie, by which the browser is stored."""
        return sha256_hex(self.value)

    @property
    def csrf(self) -> str:
        """The value of the field `csrf` in every form of a page that this browser gets."""
        return sha256_hex(f"csrf {self.value}")


class SentCookie(FrozenRecord):
    """The cookie of a request, before anything is read. `keys` are the items that say who is signed in."""

    value: str | None
    wanted: SessionKeys | None

    @property
    def keys(self) -> Sequence[ItemKey]:
        """The items that `browser` needs; none for a browser in which nobody has signed in."""
        return self.wanted or ()

    def browser(self, found: Mapping[ItemKey, Item]) -> Browser:
        """Return the browser, given the items that were found; one without our cookie gets a new one."""
        if self.value is None:
            return Browser(ids.secret(), is_new=True)
        signed_in = repository.signed_in(self.wanted, found) if self.wanted is not None else None
        if signed_in is None:
            return Browser(self.value, is_new=False)
        session, customer = signed_in
        visitor = Visitor(customer.id, session.visitor_hash, customer.name, customer.email)
        return Browser(self.value, is_new=False, visitor=visitor)


def sent(client_info: ClientInfo, site: SitePlace) -> SentCookie:
    """Return the cookie of a request. No call."""
    value = _cookie(client_info.headers, _cookie_name(site))
    named = None if value is None else _VALUE.fullmatch(value)
    if value is None or named is None or named[1] is None:
        return SentCookie(value, None)
    return SentCookie(value, repository.session_keys(site.organization, sha256_hex(value), named[1]))


def of(client_info: ClientInfo, site: SitePlace) -> Browser:
    """Return the browser that sends a request; one without our cookie gets a new one. One call, or none."""
    cookie_sent = sent(client_info, site)
    found = {} if cookie_sent.wanted is None else repository.read(cookie_sent.wanted)
    return cookie_sent.browser(found)


def sign_in(transaction: Transaction, site: SitePlace, visitor: Visitor, epoch: int) -> Browser:
    """Add a new session of a customer to a transaction; return the browser with its new cookie.

    `epoch` is that of the settings by which they signed in.
    """
    browser = Browser(f"{ids.secret()}.{visitor.customer_id}", is_new=True, visitor=visitor)
    until = clock.now_ms() + SESSION_SECONDS * 1_000
    record = SessionRecord(visitor.customer_id, visitor.session_hash, epoch, until)
    repository.put(transaction, site.organization, browser.hash, record)
    return browser


def sign_out(browser: Browser, site: SitePlace) -> Browser:
    """End the session of a browser; return the browser with a new cookie. One call."""
    repository.delete(site.organization, browser.hash)
    return Browser(ids.secret(), is_new=True)


def cookie(browser: Browser, site: SitePlace) -> dict[str, str]:
    """Return the header that sets a new browser's cookie; no header if the browser has it.

    A page that sets it must not be cached. Over https the name's prefix adds the browser's own protection: `__Host-` if
    the site has its own host, `__Secure-` if it is below a path. The cookie is then limited to that path.
    """
    if not browser.is_new:
        return {}
    return _set(browser, site, ANONYMOUS_SECONDS if browser.visitor is None else SESSION_SECONDS)


def lasting_cookie(browser: Browser, site: SitePlace) -> dict[str, str]:
    """Return the header with which a browser keeps its cookie from the last time that an anonymous visitor wrote.

    No header for a visitor who is signed in: what they write, they find on any device.
    """
    return {} if browser.visitor is not None else _set(browser, site, WRITER_SECONDS)


def _set(browser: Browser, site: SitePlace, seconds: int) -> dict[str, str]:
    path = "/" if site.own_host else site.path
    secure = "; Secure" if site.is_secure else ""
    return {
        "set-cookie": f"{_cookie_name(site)}={browser.value}; Path={path}; Max-Age={seconds}; HttpOnly; "
        f"SameSite=Lax{secure}"
    }


def require_own_form(browser: Browser, csrf: str, client_info: ClientInfo, site: SitePlace) -> None:
    """Raise FormNotOwn unless a form comes from one of the site's pages, in this browser.

    The token decides. If the browser also says where the form is from, that must be the site.
    """
    require_same_site(client_info, site)
    if browser.is_new or not hmac.compare_digest(csrf.encode(), browser.csrf.encode()):
        raise FormNotOwn


def require_same_site(client_info: ClientInfo, site: SitePlace) -> None:
    """Raise FormNotOwn where the browser says that a form is from elsewhere.

    For forms of pages that are cached, which have no token. Such a form may do nothing in the name of a signed-in
    visitor. Under `referrer-policy: no-referrer` a browser sends `Origin: null`, so Sec-Fetch-Site is checked first.
    """
    fetched_from = client_info.headers.get("sec-fetch-site")
    origin = client_info.headers.get("origin")
    if fetched_from is not None and fetched_from not in {"same-origin", "none"}:
        raise FormNotOwn
    if fetched_from is None and origin not in {None, "null", site.origin}:
        raise FormNotOwn


def _cookie_name(site: SitePlace) -> str:
    if not site.is_secure:
        return _NAME
    return f"__Host-{_NAME}" if site.own_host else f"__Secure-{_NAME}"


def _cookie(headers: Mapping[str, str], name: str) -> str | None:
    """Return the value of the cookie; None without one, and with two: one of them is not ours."""
    pairs = [part.strip().partition("=") for part in (headers.get("cookie") or "").split(";")]
    values = [value for found, _, value in pairs if found == name]
    return values[0] if len(values) == 1 and _VALUE.fullmatch(values[0]) else None
