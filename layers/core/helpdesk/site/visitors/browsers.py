"""The browser of a help site's visitor: its cookie, who is signed in, and whether a form came from the site's own page.

Each request of a page reads who is signed in together with its site. A browser without our cookie, or in which nobody
has signed in, has no item to read:

    sent = browsers.sent(headers, is_secure=True)
    items = table.get_many([..., *sent.keys_in(organization)])
    browser = sent.browser_in(organization, items)

A browser gets its cookie before anyone signs in, so that a sign-in is bound to the browser in which it began (login
CSRF). Signing in replaces the cookie, so that a planted one is worthless (session fixation).
"""

import hmac
import re
from collections.abc import Mapping, Sequence

from helpdesk.api.http import gateway
from helpdesk.api.http.content import ClientInfo
from helpdesk.customers.record import Customer
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.record import Record
from helpdesk.platform.units import DAY_SECONDS, HOUR_SECONDS
from helpdesk.site.visitors.errors import FormNotOwn
from helpdesk.site.visitors.record import SitePlace, SiteSession, SiteSignIn
from helpdesk.storage import table
from helpdesk.storage.stored import Key
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction

SESSION_SECONDS = 30 * DAY_SECONDS
ANONYMOUS_SECONDS = 12 * HOUR_SECONDS
WRITER_SECONDS = 180 * DAY_SECONDS
"""How long a browser keeps the cookie of an anonymous visitor after they wrote: with it they find the answer."""
KNOWN_SECONDS = 180 * DAY_SECONDS
"""How long a browser keeps its cookie after a sign-in. It proves who signed in there before, and signs nobody in."""
_NAME, _FRAMED_NAME = "helpdesk-site", "helpdesk-widget"
# The cookie of a signed-in browser names its customer, so that one call reads the session and the customer.
_VALUE = re.compile(r"[0-9A-Za-z]{43}(?:\.(cus_[0-9a-z]{26}))?")


class Visitor(Record):
    """A customer who is signed in.

    `session_hash` is the session in which they write (`messages.service.post_as`). `email` can be one that nobody has
    verified. `signed_in_at` (ms) is when they signed in; None where nobody asks.
    """

    customer_id: str
    session_hash: str
    name: str | None
    email: str | None
    signed_in_at: int | None = None


class Browser(Record):
    """A browser by its cookie, and who is signed in; None for an anonymous visitor.

    `known_email` is the address that signed in there before, where nobody is signed in now.
    """

    value: str
    is_new: bool
    visitor: Visitor | None = None
    known_email: str | None = None

    @property
    def hash(self) -> str:
        """The SHA-256 of the cookie, by which the browser is stored."""
        return sha256_hex(self.value)

    @property
    def csrf(self) -> str:
        """The value of the field `csrf` in every form of a page that this browser gets."""
        return sha256_hex(f"csrf {self.value}")


class SentCookie(Record):
    """The cookie of a request, before anything is read; `customer_id` is whom it says is signed in."""

    value: str | None
    customer_id: str | None

    @property
    def names_visitor(self) -> bool:
        """Whether somebody has signed in, who may be signed out again."""
        return self.customer_id is not None

    def keys_in(self, organization: str) -> Sequence[Key]:
        """Return the keys of what `browser_in` needs; none for a browser in which nobody has signed in."""
        if self.value is None or self.customer_id is None:
            return ()
        return (
            SiteSession.key_for(organization, sha256_hex(self.value)),
            SiteSignIn.key_for(organization),
            Customer.key_for(organization, self.customer_id),
        )

    def browser_in(self, organization: str, found: Mapping[Key, Item]) -> Browser:
        """Return the browser, given the items that were found; one without our cookie gets a new one.

        A session is over when its time is, when visitors sign in another way since, and when its customer was erased.
        """
        if self.value is None:
            return Browser(ids.secret(), is_new=True)
        known = self._known_in(organization, found)
        if known is None:
            return Browser(self.value, is_new=False)
        session, customer = known
        epoch = settings_in(organization, found).epoch
        if session.epoch != epoch or session.valid_until <= clock.now_ms():
            return Browser(self.value, is_new=False, known_email=customer.email)
        signed_in_at = session.valid_until - SESSION_SECONDS * 1_000
        visitor = Visitor(customer.id, session.visitor_hash, customer.name, customer.email, signed_in_at)
        return Browser(self.value, is_new=False, visitor=visitor)

    def _known_in(self, organization: str, found: Mapping[Key, Item]) -> tuple[SiteSession, Customer] | None:
        """Return the session of the browser, also when it is over, and whose it is; None if they are gone."""
        items = [found.get(key) for key in self.keys_in(organization)]
        if not items or items[0] is None or items[2] is None:
            return None
        session, customer = SiteSession.from_item(items[0]), Customer.from_item(items[2])
        is_theirs = customer.erasing is None and session.customer_id == customer.id
        return (session, customer) if is_theirs else None


def sent(headers: Mapping[str, str], *, is_secure: bool, is_framed: bool = False) -> SentCookie:
    """Return the cookie of a request, given its headers and whether the site is reached over https. No call.

    `is_framed` is whether the request is for the chat widget, which has a cookie of its own.
    """
    value = gateway.cookie(headers, _cookie_name(is_secure=is_secure, is_framed=is_framed))
    named = None if value is None else _VALUE.fullmatch(value)
    return SentCookie(None, None) if named is None else SentCookie(value, named[1])


def settings_in(organization: str, found: Mapping[Key, Item]) -> SiteSignIn:
    """Return how visitors sign in, given the items that were read with the site."""
    item = found.get(SiteSignIn.key_for(organization))
    return SiteSignIn(organization=organization) if item is None else SiteSignIn.from_item(item)


def sign_in(transaction: Transaction, site: SitePlace, visitor: Visitor, epoch: int) -> Browser:
    """Add a new session of a customer to a transaction; return the browser with its new cookie.

    `epoch` is that of the settings by which they signed in.
    """
    browser = Browser(f"{ids.secret()}.{visitor.customer_id}", is_new=True, visitor=visitor)
    until = clock.now_ms() + SESSION_SECONDS * 1_000
    transaction.put(_session(browser, site, visitor, epoch, until), new=True)
    return browser


def end(browser: Browser, site: SitePlace) -> None:
    """End the session of a browser. One call."""
    table.delete(SiteSession.key_for(site.organization, browser.hash))


def sign_out(browser: Browser, site: SitePlace) -> Browser:
    """End the session of a browser; return the browser with a new cookie, which says whose it was. Two calls."""
    end(browser, site)
    visitor = browser.visitor
    if visitor is None:
        return Browser(ids.secret(), is_new=True)
    after = Browser(f"{ids.secret()}.{visitor.customer_id}", is_new=True, known_email=visitor.email)
    table.put_new(_session(after, site, visitor, epoch=0, valid_until=0))
    return after


def _session(
    browser: Browser, site: SitePlace, visitor: Visitor, epoch: int, valid_until: int
) -> SiteSession:
    return SiteSession(
        organization=site.organization,
        browser_hash=browser.hash,
        customer_id=visitor.customer_id,
        visitor_hash=visitor.session_hash,
        epoch=epoch,
        valid_until=valid_until,
        expires_at=clock.seconds_from_now(KNOWN_SECONDS),
    )


def cookie(browser: Browser, site: SitePlace) -> dict[str, str]:
    """Return the header that sets a new browser's cookie; no header if the browser has it.

    A page that sets it must not be cached. The cookie is limited to the site's path, as other organizations' sites
    are on the same host. Over https its name begins with `__Secure-`, so that only pages over https can set it.

    In a frame, a browser sends only a cookie with `SameSite=None`, and `Partitioned` keeps it apart for each site that
    has the frame (CHIPS). Browsers take it on this machine over http, too.
    """
    if not browser.is_new:
        return {}
    signed_in_before = browser.visitor is not None or browser.known_email is not None
    return _set(browser, site, KNOWN_SECONDS if signed_in_before else ANONYMOUS_SECONDS)


def lasting_cookie(browser: Browser, site: SitePlace) -> dict[str, str]:
    """Return the header with which a browser keeps its cookie from the last time that an anonymous visitor wrote.

    No header for a visitor who is signed in: what they write, they find on any device.
    """
    return {} if browser.visitor is not None else _set(browser, site, WRITER_SECONDS)


def _set(browser: Browser, site: SitePlace, seconds: int) -> dict[str, str]:
    name = _cookie_name(is_secure=site.is_secure, is_framed=site.is_framed)
    secure = "; Secure" if site.is_secure else ""
    rules = "SameSite=None; Secure; Partitioned" if site.is_framed else f"SameSite=Lax{secure}"
    return {"set-cookie": f"{name}={browser.value}; Path={site.path}; Max-Age={seconds}; HttpOnly; {rules}"}


def require_own_form(browser: Browser, csrf: str, client_info: ClientInfo, site: SitePlace) -> None:
    """Raise FormNotOwn unless a form comes from one of the site's pages, in this browser.

    The token decides. If the browser also says where the form is from, that must be the site. A page that proxies keep
    has forms without a token. For a visitor who is not signed in, they count if the browser says that they are the
    site's own.
    """
    require_same_site(client_info, site)
    if not csrf and not browser.is_new and browser.visitor is None and client_info.is_from(site.origin):
        return
    if browser.is_new or not hmac.compare_digest(csrf.encode(), browser.csrf.encode()):
        raise FormNotOwn


def require_same_site(client_info: ClientInfo, site: SitePlace) -> None:
    """Raise FormNotOwn where the browser says that a form is from elsewhere.

    For forms of pages that are cached, which have no token. Such a form may do nothing in the name of a signed-in
    visitor.
    """
    if client_info.is_from_elsewhere(site.origin):
        raise FormNotOwn


def _cookie_name(*, is_secure: bool, is_framed: bool) -> str:
    if is_framed:
        return f"__Secure-{_FRAMED_NAME}"
    return f"__Secure-{_NAME}" if is_secure else _NAME
