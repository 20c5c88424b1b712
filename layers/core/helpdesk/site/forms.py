"""Handles a visitor's form: identifies the visitor, checks that the form is the site's own, and runs it once.

A visitor who is signed in acts as their customer. Anyone else is identified by the browser's cookie, which is their
session: the first thing that they do creates a customer (docs/decisions/0218). Pages that proxies keep have forms
without a token: a browser has to send its first form again, with the cookie. Each form has a value of its own,
`once`. A form that arrives twice, as with a second click, is done once, and both lead to the same page.
"""

import re
from collections.abc import Callable
from http import HTTPStatus

from helpdesk.api.admission import anonymous
from helpdesk.api.admission.anonymous import AddressLimit
from helpdesk.api.admission.caller import Caller, RateLimitSubject
from helpdesk.api.http.content import Content
from helpdesk.api.http.schemas import Form, Query
from helpdesk.api.idempotency import service as idempotency
from helpdesk.api.idempotency.errors import IdempotencyAnswerLost, IdempotencyInProgress
from helpdesk.api.idempotency.service import IdempotentRequest, Outcome
from helpdesk.conversations.messages import sessions
from helpdesk.platform import ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.errors import InvalidRequest
from helpdesk.site.visit import Visit
from helpdesk.site.visitors import browsers
from helpdesk.site.visitors.browsers import Browser
from helpdesk.site.visitors.errors import FormNotOwn

_ONCE = re.compile(r"[0-9A-Za-z]{20,64}")
_LONGEST_MS = 29_000  # the gateway gives a request 29 seconds


class OwnForm(Form):
    """A form of a page that knows the browser: `csrf` says so, and `once` is the form's own value."""

    csrf: str = ""
    once: str = ""


def new_once() -> str:
    """Return the value of the field `once` of a form that is shown."""
    return ids.secret()


def require_own(visit: Visit, browser: Browser, form: OwnForm) -> None:
    """Take from the bucket of the network address, and prove the form. Raises RateLimited, FormNotOwn."""
    anonymous.charge(AddressLimit.SITE_FORMS, visit.client.address)
    browsers.require_own_form(browser, form.csrf, visit.client, visit.place)


class AgainQuery(Query):
    """The parameter of a form that was sent again with the cookie."""

    again: str = ""


class SendAgain(Content):
    """A redirect (307) with which a browser sends the same form again."""

    media_type = "text/plain; charset=utf-8"


def with_cookie(visit: Visit, browser: Browser, form: OwnForm, path: str) -> Content | None:
    """Return the redirect that gives a browser its cookie and has it send the form again, to the same path.

    None for a browser that has the cookie, for a form with a token, and for a browser that did not take the cookie. No
    call. Raises FormNotOwn if the browser does not say that the form is the site's own.
    """
    if not browser.is_new or form.csrf or visit.query(AgainQuery).again:
        return None
    if not visit.client.is_from(visit.place.origin):
        raise FormNotOwn
    headers = {"location": visit.address(path) + "?again=1", **browsers.cookie(browser, visit.place)}
    return SendAgain("", headers, HTTPStatus.TEMPORARY_REDIRECT)


def once_of(name: str) -> str:
    """Return the value of `once` on a page that is the same for everyone."""
    return sha256_hex(f"once {name}")


def session_hash(browser: Browser) -> str:
    """Return the form in which the session of a visitor is kept: the customer's, or else the one in the cookie."""
    if browser.visitor is not None:
        return browser.visitor.session_hash
    return sessions.hashed(browser.value)


def caller(visit: Visit, browser: Browser) -> Caller:
    """Return the visitor as the caller of a rule that is the organization's."""
    return Caller(visit.organization, key_id=f"site {browser.hash}")


def run_once(visit: Visit, browser: Browser, once: str, run: Callable[[], str], *, meanwhile: str) -> str:
    """Do what a form says and return the path that it leads to. What was done before is not done again.

    Exactly the same form counts as the same: one that is changed after going back is another. While the first is still
    under way, the second leads to `meanwhile`. Two calls more than `run`. Raises InvalidRequest, and what `run` raises.
    """
    if not _ONCE.fullmatch(once):
        raise InvalidRequest("Open the page again and send the form from there.")
    body = visit.request.body or ""
    request = IdempotentRequest(
        caller=caller(visit, browser),
        subject=RateLimitSubject.ORGANIZATION,
        method="POST",
        path=visit.path,
        key=f"{once} {sha256_hex(body)}",
        body=body.encode(),
        query={},
        media_type="",
    )
    try:
        return idempotency.run_once(request, _LONGEST_MS, lambda: Outcome(303, run())).body
    except (IdempotencyInProgress, IdempotencyAnswerLost):
        return meanwhile
