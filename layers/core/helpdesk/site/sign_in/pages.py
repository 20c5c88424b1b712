"""The pages of sign-in. The organization's own style sheet is not on them: it could read what is typed."""

from collections.abc import Mapping
from enum import StrEnum
from http import HTTPStatus
from typing import Self

from helpdesk.api.http.content import HtmlPage
from helpdesk.site import assets, rendering, sending
from helpdesk.site.sign_in.codes import CODE_MINUTES
from helpdesk.site.texts import texts_in
from helpdesk.site.visit import Visit
from helpdesk.site.visitors import browsers
from helpdesk.site.visitors.browsers import Browser, Visitor
from helpdesk.site.visitors.record import SignInMethod, SitePlace


class Why(StrEnum):
    """Why a sign-in did not work, as the page says it."""

    REFUSED = "refused"
    DECLINED = "declined"
    OVER = "over"
    BUSY = "busy"
    EMAIL = "email"
    NO_MAIL = "no_mail"

    @classmethod
    def named(cls, name: str) -> Self | None:
        """Return the reason of a name; None for another text."""
        return cls(name) if name in cls else None


def sign_in(
    visit: Visit,
    site: SitePlace,
    browser: Browser,
    method: SignInMethod,
    to: str,
    *,
    why: Why | None = None,
    email: str = "",
) -> HtmlPage:
    """Return the page that begins a sign-in; `why` says why the last one did not work."""
    values = {
        "csrf": browser.csrf,
        "to": to,
        "method": method.value,
        "why": why.value if why else "",
        "email": email,
    }
    status = HTTPStatus.BAD_REQUEST if why is Why.EMAIL else None
    return _page("sign_in", visit, values, browsers.cookie(browser, site), status)


def code(
    visit: Visit,
    site: SitePlace,
    browser: Browser,
    to: str,
    *,
    handle: str,
    email: str,
    tries_left: int | None = None,
) -> HtmlPage:
    """Return the page that asks for the code that was mailed; with `tries_left` the last one was wrong."""
    values = {
        "csrf": browser.csrf,
        "to": to,
        "handle": handle,
        "email": email,
        "minutes": CODE_MINUTES,
        "tries_left": tries_left,
    }
    status = None if tries_left is None else HTTPStatus.BAD_REQUEST
    return _page("sign_in_code", visit, values, browsers.cookie(browser, site), status)


def signed_in(visit: Visit, site: SitePlace, browser: Browser, visitor: Visitor, to: str) -> HtmlPage:
    """Return the page of a visitor who is signed in, with which they sign out."""
    values = {"csrf": browser.csrf, "to": to, "name": visitor.name or visitor.email or ""}
    return _page("signed_in", visit, values, browsers.cookie(browser, site))


def arriving(visit: Visit) -> HtmlPage:
    """Return the page to which an app leads with its token behind the `#`. Its script sends the token on as a form."""
    values = {"script": visit.link(assets.script_path("return"))}
    return _page("sign_in_return", visit, values, {"content-security-policy": sending.WITH_SCRIPTS})


def _page(
    template: str,
    visit: Visit,
    values: Mapping[str, object],
    headers: Mapping[str, str],
    status: int | None = None,
) -> HtmlPage:
    # Without the organization's own style sheet, and without the script of the search box.
    styles = [visit.link(path) for path in assets.styles_of(visit.site.settings, own=False)]
    own = {"styles": styles, "search_script": None, **values}
    safe = {"referrer-policy": "no-referrer", **headers}
    title = texts_in(visit.language)(f"{template}.title")
    return rendering.page(template, visit, own, title=title, status=status, headers=safe)
