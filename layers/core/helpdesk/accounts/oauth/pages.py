"""The pages of sign-in, consent, device login and invitations. Each function returns a page; none needs a script."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from helpdesk.accounts.invites.record import InvitePreview
from helpdesk.accounts.oauth import redirects
from helpdesk.accounts.oauth.errors import PageError, TooManyAttempts
from helpdesk.accounts.oauth.record import AuthorizationRequest
from helpdesk.accounts.oauth.sessions import Browser
from helpdesk.accounts.oauth.sign_in import CODE_MINUTES
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.api.admission.caller import Role, Scope
from helpdesk.api.http.content import HtmlPage
from helpdesk.platform.errors import AppError, RateLimited

# More organizations than this are offered in a select element.
_MOST_RADIOS = 6
_ROLES_WITH_ARTICLE = {Role.MEMBER: "a member", Role.ADMIN: "an admin", Role.OWNER: "an owner"}


class Choice(NamedTuple):
    """An organization that a person can choose on the consent page, and their role in it."""

    value: str
    name: str
    role: str


_NO_ORGANIZATION = Choice("", "None yet", "the program chooses one of yours later, once")

_ALLOWS = {
    Scope.API: "Read and change customers, conversations, documents, tasks and settings.",
    Scope.MANAGE: "Decide who else gets in: create and revoke secret keys, invite, change and remove members, "
    "end other programs' access, create, join and leave organizations for you.",
}
"""What each scope allows, in the words of the consent page."""


def sign_in(root: str, csrf: str, then: str, *, why: str, email: str = "", problem: str = "") -> HtmlPage:
    """Return the page that asks for an e-mail address. `why` says what signing in is for."""
    values = {"root": root, "csrf": csrf, "then": then, "why": why, "email": email, "problem": problem}
    return page("sign_in", "Sign in", values, status=_status(problem))


def code(
    root: str, csrf: str, then: str, *, handle: str, email: str, back: str, problem: str = ""
) -> HtmlPage:
    """Return the page that asks for the code that was mailed."""
    values = {
        "root": root,
        "csrf": csrf,
        "then": then,
        "handle": handle,
        "email": email,
        "back": back,
        "minutes": CODE_MINUTES,
        "problem": problem,
    }
    return page("code", "Check your mail", values, status=_status(problem))


def consent(
    root: str,
    csrf: str,
    *,
    handle: str,
    pending: AuthorizationRequest,
    person: PersonRecord,
    choices: Sequence[Choice],
    problem: str = "",
) -> HtmlPage:
    """Return the page that asks whether a program may act for the person, and in which organization."""
    is_device = bool(pending.device_hash)
    values = {
        "root": root,
        "csrf": csrf,
        "handle": handle,
        "then": f"consent:{handle}",
        "program": pending.client_name,
        "leads_to": "the device that shows the code"
        if is_device
        else redirects.destination(pending.redirect_uri),
        "user_code": pending.user_code if is_device else "",
        "name": person.name,
        "email": person.email,
        "allows": [_ALLOWS[each] for each in pending.scopes],
        "choices": [*choices, _NO_ORGANIZATION] if choices else [],
        "most_radios": _MOST_RADIOS,
        "problem": problem,
    }
    return page(
        "consent",
        f"Let {pending.client_name} act for you?",
        values,
        status=_status(problem),
        form_targets="" if is_device else redirects.form_targets(pending.redirect_uri),
    )


def user_code(root: str, csrf: str, *, filled: str = "", problem: str = "") -> HtmlPage:
    """Return the page that asks for the code that a device shows."""
    values = {"root": root, "csrf": csrf, "filled": filled, "problem": problem}
    return page("user_code", "Connect a device", values, status=_status(problem))


def device_done(*, allowed: bool, program: str) -> HtmlPage:
    """Return the page that confirms the person's decision on a device login."""
    title = "Your device is connected" if allowed else "Not connected"
    return page("device_done", title, {"allowed": allowed, "program": program})


def invitation(root: str, browser: Browser, token: str, preview: InvitePreview) -> HtmlPage:
    """Return the page behind an invitation's link: sign in, join, or sign in with the address that was invited."""
    then = f"invite:{token}"
    if browser.person is None:
        why = (
            f"{preview.invited_by_name} invites you to {preview.organization_name} as {preview.role.value}. "
            "Sign in with the address that was invited."
        )
        return sign_in(root, browser.csrf, then, why=why, email=preview.email)
    values = {
        "root": root,
        "csrf": browser.csrf,
        "then": then,
        "token": token,
        "preview": preview,
        "until": f"{datetime.fromtimestamp(preview.valid_until / 1_000, UTC):%-d %B %Y, %H:%M}",
        "email": browser.person.email,
    }
    return page("invitation", f"Join {preview.organization_name}?", values)


def joined(preview: InvitePreview) -> HtmlPage:
    """Return the page that confirms the membership."""
    values = {"preview": preview, "role_with_article": _ROLES_WITH_ARTICLE[preview.role]}
    return page("joined", "Welcome", values)


def refusal(error: AppError) -> HtmlPage:
    """Return the page for an error."""
    values = {"message": error.message.replace("`", "")}
    if isinstance(error, PageError):
        return page("refusal", error.title, values, status=error.status)
    if isinstance(error, RateLimited):
        return refusal(TooManyAttempts())
    title = "Page not found" if error.status == HTTPStatus.NOT_FOUND else "Something went wrong"
    return page("refusal", title, values, status=error.status)


def _status(problem: str) -> int | None:
    return HTTPStatus.BAD_REQUEST if problem else None


if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES = Path(__file__).with_name("templates")


def page(
    template: str,
    title: str,
    values: Mapping[str, object],
    *,
    status: int | None = None,
    form_targets: str = "",
) -> HtmlPage:
    """Return a page from a template of this package; every value is escaped.

    `form_targets` are the sources, in addition to this API, to which a form on the page may lead (form-action in
    Content Security Policy Level 3).
    """
    text = environment().get_template(f"{template}.html").render(values, title=title)
    return HtmlPage(text, _headers(form_targets), status)


@cache
def environment() -> "Environment":
    """Return the templates' environment: autoescaping, and an undefined name is an error."""
    # Imported with the first page: most requests of this function are for tokens and render none.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415
    from markupsafe import Markup  # noqa: PLC0415

    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["style"] = Markup(style())  # noqa: S704 - a file of this package
    return made


@cache
def style() -> str:
    """Return the pages' one style sheet: inline, in light and dark."""
    return (TEMPLATES / "style.css").read_text(encoding="utf-8")


@cache
def _style_source() -> str:
    """Return the style sheet as a Content-Security-Policy names it."""
    digest = base64.b64encode(hashlib.sha256(style().encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _headers(form_targets: str) -> dict[str, str]:
    return {
        "content-security-policy": f"default-src 'none'; style-src {_style_source()}; "
        f"form-action {' '.join(filter(None, ["'self'", form_targets]))}; frame-ancestors 'none'; base-uri 'none'",
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "no-store",
        "cross-origin-opener-policy": "same-origin",
    }
