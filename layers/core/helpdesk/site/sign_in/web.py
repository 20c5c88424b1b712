"""The steps of a sign-in. Each function returns a page or a redirect.

    show      the page that begins a sign-in: a field for an address, or a link to the app or the provider
    request   mails a code
    enter     takes the code that was mailed
    go        redirects to the app or the provider
    arrive    takes the app's token. It comes from the app's site, so without this site's cookie
    finish    uses the app's token, now with the cookie
    callback  takes what the provider sends back
    sign_out  ends the session

What fails leads back to `show`, which says why.
"""

from collections.abc import Callable
from copy import replace
from typing import Final
from urllib.parse import urlencode, urlsplit, urlunsplit

from helpdesk.accounts.people.errors import InvalidEmail
from helpdesk.api.admission import anonymous, waits
from helpdesk.api.admission.anonymous import AddressLimit
from helpdesk.api.http.content import Content, SeeOther, see_other
from helpdesk.api.http.schemas import Form
from helpdesk.api.http.validation import parse_form
from helpdesk.customers.identities import CustomerBeingErased
from helpdesk.platform import clock
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.record import Record
from helpdesk.site.sign_in import codes, pages, people, problems, repository, states
from helpdesk.site.sign_in.codes import CodeExpired, WrongCode
from helpdesk.site.sign_in.errors import Declined, MailNotWorking, Refused, SignInUnavailable
from helpdesk.site.sign_in.pages import Why
from helpdesk.site.sign_in.record import SiteToken
from helpdesk.site.sign_in.repository import AlreadyUsed
from helpdesk.site.sign_in.schemas import (
    BeginForm,
    CallbackQuery,
    CodeForm,
    FinishQuery,
    SignInQuery,
    SignOutForm,
    TokenForm,
)
from helpdesk.site.sign_in.service import redirect_uri
from helpdesk.site.visit import Visit
from helpdesk.site.visitors import browsers
from helpdesk.site.visitors.browsers import Browser, Visitor
from helpdesk.site.visitors.record import SignInMethod, SitePlace, SiteSignIn
from helpdesk.storage.transactions import Transaction

FINISH: Final = "sign-in/finish"


class Here(Record):
    """A request for a page of sign-in: the site, the browser, and how visitors sign in."""

    visit: Visit
    site: SitePlace
    browser: Browser
    settings: SiteSignIn


def show(visit: Visit) -> Content:
    """Return the page that begins a sign-in, or that of a visitor who is signed in."""
    here, query = _here(visit), visit.query(SignInQuery)
    to = states.safe_path(query.to)
    if here.browser.visitor is not None:
        return pages.signed_in(visit, here.site, here.browser, here.browser.visitor, to)
    return pages.sign_in(visit, here.site, here.browser, here.settings.method, to, why=Why.named(query.why))


def request(visit: Visit) -> Content:
    """Mail a code. Raises FormNotOwn, RateLimited."""
    here, form = _here(visit), _form(visit, BeginForm)
    to = states.safe_path(form.to)
    browsers.require_own_form(here.browser, form.csrf, visit.client, here.site)
    if here.settings.method is not SignInMethod.MEDIAN:
        return _back(here.site, Why.OVER, to)
    try:
        handle = codes.begin(visit.site, here.browser, form.email, visit.client.address, visit.language)
    except InvalidEmail:
        return pages.sign_in(
            visit, here.site, here.browser, here.settings.method, to, why=Why.EMAIL, email=form.email[:320]
        )
    except SignInUnavailable as error:
        why = Why.NO_MAIL if isinstance(error, MailNotWorking) else Why.BUSY
        busy = pages.sign_in(visit, here.site, here.browser, here.settings.method, to, why=why)
        return replace(busy, status=error.status, headers={**busy.headers, **error.headers})
    return pages.code(visit, here.site, here.browser, to, handle=handle, email=form.email.strip())


def enter(visit: Visit) -> Content:
    """Sign in with the code that was mailed. Raises FormNotOwn."""
    here, form = _here(visit), _form(visit, CodeForm)
    to = states.safe_path(form.to)
    browsers.require_own_form(here.browser, form.csrf, visit.client, here.site)
    if here.settings.method is not SignInMethod.MEDIAN:
        return _back(here.site, Why.OVER, to)
    try:
        email = codes.check(visit.organization, here.browser, form.handle, form.code)
    except WrongCode as wrong:
        return pages.code(
            visit, here.site, here.browser, to, handle=form.handle, email="", tries_left=wrong.tries_left
        )
    except CodeExpired:
        return _back(here.site, Why.OVER, to)
    transaction = Transaction()
    repository.use_code(transaction, visit.organization, sha256_hex(form.handle))
    return _proven(here, to, transaction, lambda: people.by_address(visit.organization, email))


def go(visit: Visit) -> Content:
    """Redirect to the customer's app, or to the provider.

    By a link and not by a form: a provider redirects to other hosts, which a policy for forms would have to name.
    """
    here, query = _here(visit), visit.query(SignInQuery)
    to = states.safe_path(query.to)
    state = states.make(here.browser, here.site, to)
    method, provider = here.settings.method, here.settings.provider
    if method is SignInMethod.APP and here.settings.app_url is not None:
        sent = {"redirect": f"{here.site.root}/sign-in/return", "state": state}
        leads_to = _with_query(here.settings.app_url, sent)
    elif method is SignInMethod.OIDC and provider is not None:
        from helpdesk.site.sign_in import provider as flow  # noqa: PLC0415 - it is slow to import

        verifier = states.verifier(here.browser, here.site, state)
        wanted = flow.Flow(
            redirect_uri(here.site), state, states.nonce(here.browser, here.site, state), verifier
        )
        leads_to = flow.authorization_url(provider, wanted, states.challenge(verifier))
    else:
        return _back(here.site, Why.OVER, to)
    return see_other(leads_to, browsers.cookie(here.browser, here.site))


def arrive(visit: Visit) -> Content:
    """Check the app's token and lead on to where the browser sends its cookie.

    A form on the app's page is from another site, so the browser sends no cookie with it, and gets none: it has one.
    """
    from helpdesk.site.sign_in import signed_tokens  # noqa: PLC0415 - it is slow to import

    site, settings = visit.place, _settings(visit)
    if settings.method is not SignInMethod.APP:
        return _back(site, Why.OVER)
    try:
        token = signed_tokens.checked(visit.organization, _form(visit, TokenForm).token)
        waiting = SiteToken(
            organization=visit.organization,
            token_hash=token.hash,
            claims=token.claims,
            state=token.state,
            epoch=settings.epoch,
            valid_until=token.valid_until,
        )
        repository.put_token(waiting)
    except Refused as refused:
        problems.note(settings, refused)
        return _back(site, Why.REFUSED)
    except AlreadyUsed:
        return _back(site, Why.OVER)
    return see_other(f"{site.root}/{FINISH}?{urlencode({'token': token.hash})}")


def finish(visit: Visit) -> Content:
    """Sign in as the user of the app's token, in the browser in which the sign-in began."""
    anonymous.charge(AddressLimit.PAGES, visit.client.address)
    here, token_hash = _here(visit), visit.query(FinishQuery).token
    waiting = repository.token(visit.organization, token_hash)
    if waiting is None or waiting.epoch != here.settings.epoch:
        return _back(here.site, Why.OVER)
    to = states.path_of(here.browser, here.site, waiting.state or "")
    if to is None:
        return _back(here.site, Why.OVER)
    claims = waiting.claims or {}
    transaction = Transaction()
    repository.use_token(transaction, waiting)
    return _proven(here, to, transaction, lambda: people.by_claims(visit.organization, None, claims))


def callback(visit: Visit) -> Content:
    """Sign in as whom the provider names, in the browser in which the sign-in began. A state works once.

    Raises RateLimited while too many requests wait for providers and other servers.
    """
    from helpdesk.site.sign_in import provider as flow  # noqa: PLC0415 - it is slow to import

    anonymous.charge(AddressLimit.PAGES, visit.client.address)
    here, query = _here(visit), visit.query(CallbackQuery)
    provider, state = here.settings.provider, query.state
    to = states.path_of(here.browser, here.site, state)
    if here.settings.method is not SignInMethod.OIDC or provider is None or to is None or query.repeated:
        return _back(here.site, Why.OVER)
    began = flow.Flow(
        redirect_uri(here.site),
        state,
        states.nonce(here.browser, here.site, state),
        states.verifier(here.browser, here.site, state),
    )

    def visitor() -> Visitor:
        code = flow.code_of(provider, query)
        with waits.on_others(visit.organization, visit.site.organization.tier, flow.SIGN_IN_SECONDS):
            used = SiteToken(
                organization=visit.organization, token_hash=sha256_hex(state), valid_until=clock.now_ms()
            )
            repository.put_token(used)
            secret = repository.client_secret(visit.organization)
            claims = flow.claims_of(provider, secret, began, code)
        return people.by_claims(visit.organization, provider.issuer, claims)

    return _proven(here, to, Transaction(), visitor)


def sign_out(visit: Visit) -> Content:
    """Sign out. Raises FormNotOwn."""
    here, form = _here(visit), _form(visit, SignOutForm)
    browsers.require_own_form(here.browser, form.csrf, visit.client, here.site)
    after = browsers.sign_out(here.browser, here.site)
    return see_other(f"{here.site.root}/{states.safe_path(form.to)}", browsers.cookie(after, here.site))


def _here(visit: Visit) -> Here:
    return Here(visit, visit.place, visit.browser, _settings(visit))


def _settings(visit: Visit) -> SiteSignIn:
    return browsers.settings_in(visit.organization, visit.found)


def _form[F: Form](visit: Visit, model: type[F]) -> F:
    sent = visit.request
    return parse_form(model, sent.body, sent.headers.get("content-type") or "", is_base64=sent.is_base64)


def _proven(here: Here, to: str, transaction: Transaction, visitor: Callable[[], Visitor]) -> SeeOther:
    """Sign in whom a sign-in proves, with the transaction that uses the proof up, and lead on."""
    organization = here.visit.organization
    try:
        found = visitor()
        people.bring_along(transaction, organization, here.browser, found)
        browser = browsers.sign_in(transaction, here.site, found, here.settings.epoch)
        transaction.commit()
    except Declined:
        return _back(here.site, Why.DECLINED, to)
    except Refused as refused:
        problems.note(here.settings, refused)
        return _back(here.site, Why.REFUSED, to)
    except AlreadyUsed:
        return _back(here.site, Why.OVER, to)
    except CustomerBeingErased:
        return _back(here.site, Why.BUSY, to)
    if here.browser.visitor is not None:
        browsers.end(here.browser, here.site)
    problems.clear(here.settings)
    return see_other(f"{here.site.root}/{to}", browsers.cookie(browser, here.site))


def _back(site: SitePlace, why: Why, to: str = "") -> SeeOther:
    sent = {"why": why.value, **({"to": to} if to else {})}
    return see_other(f"{site.root}/sign-in?{urlencode(sent)}")


def _with_query(url: str, values: dict[str, str]) -> str:
    parts = urlsplit(url)
    query = urlencode(values)
    return urlunsplit(parts._replace(query=f"{parts.query}&{query}" if parts.query else query))
