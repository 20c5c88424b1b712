"""Signs a visitor of the chat widget in, by a token of the customer's app, without leaving the page.

The page around the widget passes the token on (`Helpdesk.identify`). Its `state` is `widget`, so it signs nobody in on
the help site, where a sign-in is bound to the browser in which it began. Here the frame's form is: only a page that the
organization listed can pass a token to it.
"""

import json
from http import HTTPStatus

from helpdesk.api.http.content import RawJson
from helpdesk.customers.identities import CustomerBeingErased
from helpdesk.site.sign_in import people, problems, repository
from helpdesk.site.sign_in.errors import Refused
from helpdesk.site.sign_in.record import SiteToken
from helpdesk.site.sign_in.repository import AlreadyUsed
from helpdesk.site.sign_in.schemas import IdentifyForm
from helpdesk.site.visit import Visit
from helpdesk.site.visitors import browsers
from helpdesk.site.visitors.browsers import Browser, Visitor
from helpdesk.storage.transactions import Transaction

STATE = "widget"
"""The `state` of a token for the widget."""


def identify(visit: Visit) -> RawJson:
    """Sign in as the user of a token; without one, sign out. Raises FormNotOwn.

    `changed` says whether the browser has another visitor now.
    """
    form, browser = visit.form(IdentifyForm), visit.browser
    browsers.require_own_form(browser, form.csrf, visit.client, visit.place)
    if not form.token:
        return _answer(visit, browsers.sign_out(browser, visit.place) if browser.visitor else None)
    settings = browsers.settings_in(visit.organization, visit.found)
    try:
        after = _signed_in(visit, form.token, settings.epoch)
    except Refused as refused:
        problems.note(settings, refused)
        return _refusal(refused.code)
    except AlreadyUsed:
        return _refusal("token_used")
    except CustomerBeingErased:
        return _refusal("customer_being_erased")
    problems.clear(settings)
    return _answer(visit, after)


def _signed_in(visit: Visit, token: str, epoch: int) -> Browser | None:
    """Return the browser with its new cookie; None if the token's user is signed in already."""
    from helpdesk.site.sign_in import signed_tokens  # noqa: PLC0415 - it is slow to import

    proof, before = signed_tokens.checked(visit.organization, token), visit.browser
    if proof.state != STATE:
        raise Refused("invalid_token", "Create it with `widget_token` or `widgetToken`.")
    visitor: Visitor = people.by_claims(visit.organization, None, proof.claims)
    if before.visitor is not None and before.visitor.customer_id == visitor.customer_id:
        return None
    used = SiteToken(
        organization=visit.organization,
        token_hash=proof.hash,
        valid_until=proof.valid_until,
    )
    repository.put_token(used)
    transaction = Transaction()
    people.bring_along(transaction, visit.organization, before, visitor)
    after = browsers.sign_in(transaction, visit.place, visitor, epoch)
    transaction.commit()
    if before.visitor is not None:
        browsers.end(before, visit.place)
    return after


def _answer(visit: Visit, after: Browser | None) -> RawJson:
    headers = browsers.cookie(after, visit.place) if after is not None else {}
    return RawJson(json.dumps({"changed": after is not None}), headers)


def _refusal(code: str) -> RawJson:
    return RawJson(json.dumps({"code": code}), status=HTTPStatus.BAD_REQUEST)
