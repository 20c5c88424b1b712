"""The steps of sign-in, consent, device login and invitations: each returns a page or a redirect."""

import re
from urllib.parse import urlsplit

from helpdesk.accounts.invites import accepting
from helpdesk.accounts.oauth import (
    approval,
    console,
    device,
    limits,
    pages,
    repository,
    sessions,
    sign_in,
)
from helpdesk.accounts.oauth.errors import CsrfError
from helpdesk.accounts.oauth.record import AuthorizationRequest
from helpdesk.accounts.oauth.schemas import (
    AuthorizeQuery,
    CodeForm,
    ConsentForm,
    SignInForm,
    SignOutForm,
    UserCodeForm,
)
from helpdesk.accounts.oauth.sessions import Browser
from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.people.errors import InvalidEmail
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.api.http.content import ClientInfo, HtmlPage, SeeOther, see_other
from helpdesk.storage import table
from helpdesk.storage.transactions import Transaction

type Response = HtmlPage | SeeOther

_THEN = re.compile(r"(consent|console|invite):[0-9A-Za-z]{43}|connect:[a-z]{1,20}")
_WHY = "A program asks to act for you. Sign in first."
_WHY_CONSOLE = "Sign in to open the console."
WHY_CONNECT = "Sign in to connect a service to your organization."
_WHY_INVITED = "You have an invitation. Sign in with the address that was invited."


def root_of(base_url: str) -> str:
    """Return the path with which every link of the pages begins: `/v1`, after the path of the stage if there is one."""
    return f"{urlsplit(base_url).path}/v1"


def authorize(client_info: ClientInfo, query: AuthorizeQuery, base_url: str) -> SeeOther:
    """Accept an authorization request and redirect the person to consent; to the console, if they are signed in."""
    browser = sessions.of(client_info, base_url)
    handle, asked = approval.read(query, browser, base_url)
    if asked.client_id != console.CLIENT.id:
        table.put_new(asked)
        return _on_to(f"consent:{handle}", browser, base_url)
    if console.is_asked_from_elsewhere(client_info):
        return see_other(console.address(base_url))
    if browser.person is not None:
        return _to_console(Transaction(), asked, browser, browser.person, base_url)
    if query.prompt == "none":
        return see_other(approval.refusal(asked, "login_required", "Nobody is signed in.", base_url))
    table.put_new(asked)
    return _on_to(f"console:{handle}", browser, base_url)


def _to_console(
    transaction: Transaction,
    asked: AuthorizationRequest,
    browser: Browser,
    person: PersonRecord,
    base_url: str,
) -> SeeOther:
    """Redirect a person who is signed in to the console, with a code. `transaction` is the one that this commits."""
    organization = console.organization_for(person, browser, asked.organization)
    if organization is None and asked.organization is not None:
        why = "You don't belong to this organization."
        return see_other(approval.refusal(asked, "access_denied", why, base_url))
    sessions.keep_for_console(browser, person.id, organization)
    return see_other(approval.with_code(transaction, asked, person, organization, base_url))


def show_consent(client_info: ClientInfo, handle: str, base_url: str) -> Response:
    """Return the consent page, or the sign-in page if nobody is signed in; redirect to the console if it asks."""
    browser = sessions.of(client_info, base_url)
    pending = approval.pending_request(handle, browser)
    for_console = pending.client_id == console.CLIENT.id
    if browser.person is None:
        then = f"{'console' if for_console else 'consent'}:{handle}"
        return pages.sign_in(root_of(base_url), browser.csrf, then, why=_why(then))
    if for_console:
        transaction = Transaction()
        repository.remove_request(transaction, pending)
        return _to_console(transaction, pending, browser, browser.person, base_url)
    return _consent(browser, browser.person, handle, pending, base_url)


def _consent(
    browser: Browser,
    person: PersonRecord,
    handle: str,
    pending: AuthorizationRequest,
    base_url: str,
    problem: str = "",
) -> HtmlPage:
    choices = [
        pages.Choice(named.id, named.name, person.roles[named.id].value)
        for named in organizations.by_ids(ids=person.roles).values()
    ]
    return pages.consent(
        root_of(base_url),
        browser.csrf,
        handle=handle,
        pending=pending,
        person=person,
        choices=choices,
        problem=problem,
    )


def answer_consent(client_info: ClientInfo, form: ConsentForm, base_url: str) -> Response:
    """Store the person's decision and redirect back to the program."""
    browser = sessions.of(client_info, base_url)
    sessions.require_own_form(browser, form.csrf, client_info, base_url)
    pending = approval.pending_request(form.request, browser)
    if browser.person is None:
        return pages.sign_in(root_of(base_url), browser.csrf, f"consent:{form.request}", why=_WHY)
    allowed = form.decision == "allow"
    if allowed:
        if form.organization and form.organization not in browser.person.roles:
            problem = "Choose one of your organizations."
            return _consent(browser, browser.person, form.request, pending, base_url, problem)
        leads_to = approval.allow(pending, browser.person, form.organization or None, base_url)
    else:
        leads_to = approval.deny(pending, base_url)
    return (
        see_other(leads_to) if leads_to else pages.device_done(allowed=allowed, program=pending.client_name)
    )


def take_email(client_info: ClientInfo, form: SignInForm, base_url: str) -> HtmlPage:
    """Mail a sign-in code to a person's address."""
    browser = _own(client_info, form.csrf, base_url)
    then, root = _then(form.then), root_of(base_url)
    try:
        handle = sign_in.begin(browser, form.email, client_info.address)
    except InvalidEmail:
        problem = "This is not an e-mail address. Enter an address such as name@example.com."
        return pages.sign_in(
            root, browser.csrf, then, why=_why(then), email=form.email[:320], problem=problem
        )
    back = _address(then, base_url)
    return pages.code(root, browser.csrf, then, handle=handle, email=form.email.strip(), back=back)


def take_code(client_info: ClientInfo, form: CodeForm, base_url: str) -> Response:
    """Check the mailed code, sign the person in, and redirect to the page that required the sign-in."""
    browser = _own(client_info, form.csrf, base_url)
    then, root = _then(form.then), root_of(base_url)
    try:
        kind, _, value = then.partition(":")
        invite_token = value if kind == "invite" else None
        signed_in = sign_in.finish(browser, form.sign_in, form.code, invite_token)
    except sign_in.WrongCode as wrong:
        left = f"{wrong.tries_left} more {'try' if wrong.tries_left == 1 else 'tries'}"
        problem = f"This is not the code. You have {left}."
        back = _address(then, base_url)
        return pages.code(root, browser.csrf, then, handle=form.sign_in, email="", back=back, problem=problem)
    except sign_in.NoAccount:
        problem = (
            "This address has no account here. If you have an invitation, open its link and sign in there."
        )
        return pages.sign_in(root, browser.csrf, then, why=_why(then), problem=problem)
    except sign_in.CodeExpired:
        problem = "This code is no longer valid. Request a new one."
        return pages.sign_in(root, browser.csrf, then, why=_why(then), problem=problem)
    return _on_to(then, signed_in, base_url)


def sign_out(client_info: ClientInfo, form: SignOutForm, base_url: str) -> Response:
    """Sign the person out and redirect to the page where another person can sign in."""
    if form.then == console.CLIENT.id:  # it has no form of ours
        sessions.require_same_origin(client_info, base_url)
        repository.sign_out(sessions.of(client_info, base_url).hash)
        return see_other(console.address(base_url))
    browser = _own(client_info, form.csrf, base_url)
    then = _then(form.then)
    repository.sign_out(browser.hash)
    return _on_to(then, browser, base_url)


def show_user_code(client_info: ClientInfo, filled: str, base_url: str) -> HtmlPage:
    """Return the page that asks for a device's user code."""
    browser = sessions.of(client_info, base_url)
    known = device.read(filled)
    shown = pages.user_code(root_of(base_url), browser.csrf, filled=device.spelled(known) if known else "")
    return with_cookie(shown, browser, base_url)


def take_user_code(client_info: ClientInfo, form: UserCodeForm, base_url: str) -> Response:
    """Find the device login of a user code and redirect to consent."""
    browser = _own(client_info, form.csrf, base_url)
    limits.charge_user_code(client_info.address, browser.hash)
    read = device.read(form.user_code)
    known = device.pending(read) if read else None
    if read is None or known is None:
        problem = (
            "No device is waiting with this code. Check it, or start again on the device. "
            f"Codes last {device.LIFETIME_SECONDS // 60} minutes."
        )
        return pages.user_code(root_of(base_url), browser.csrf, filled=form.user_code[:20], problem=problem)
    return _on_to(f"consent:{approval.begin_device(known, read, browser)}", browser, base_url)


def show_invite(client_info: ClientInfo, token: str, base_url: str) -> HtmlPage:
    """Return the page of an invitation's link. Raises InviteNotFound."""
    preview = accepting.preview(token)
    browser = sessions.of(client_info, base_url)
    shown = pages.invitation(root_of(base_url), browser, token, preview)
    return with_cookie(shown, browser, base_url)


def join(client_info: ClientInfo, token: str, csrf: str, base_url: str) -> HtmlPage:
    """Make the signed-in person a member of the organization that invited them."""
    browser = _own(client_info, csrf, base_url)
    preview = accepting.preview(token)
    if browser.person is None:
        return pages.invitation(root_of(base_url), browser, token, preview)
    accepting.accept_as(browser.person.id, token)
    return pages.joined(preview)


def _own(client_info: ClientInfo, csrf: str, base_url: str) -> Browser:
    browser = sessions.of(client_info, base_url)
    sessions.require_own_form(browser, csrf, client_info, base_url)
    return browser


def _then(text: str) -> str:
    """Return the page to continue with after sign-in, only ever one of ours. Raises CsrfError otherwise."""
    if _THEN.fullmatch(text) is None:
        raise CsrfError
    return text


def _why(then: str) -> str:
    reasons = {"invite": _WHY_INVITED, "connect": WHY_CONNECT, "console": _WHY_CONSOLE}
    return reasons.get(then.partition(":")[0], _WHY)


def _address(then: str, base_url: str) -> str:
    kind, _, value = then.partition(":")
    root = root_of(base_url)
    if kind in {"consent", "console"}:
        return f"{root}/oauth/consent?request={value}"
    return f"{root}/{kind}/{value}"


def _on_to(then: str, browser: Browser, base_url: str) -> SeeOther:
    return see_other(_address(then, base_url), sessions.cookie(browser, base_url))


def with_cookie(shown: HtmlPage, browser: Browser, base_url: str) -> HtmlPage:
    """Return a page with the cookie of a new browser."""
    return HtmlPage(shown.text, {**shown.headers, **sessions.cookie(browser, base_url)}, shown.status)
