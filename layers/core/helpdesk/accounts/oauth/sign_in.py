"""Sign-in with a one-time code by mail.

Nothing looks up the person of an address before the code is right, so no response reveals whether an account exists.
Where sign-up is closed, the code goes out all the same, and only the person who has it learns that there is no account.
"""

from helpdesk.accounts.invites import accepting
from helpdesk.accounts.oauth import limits, sessions
from helpdesk.accounts.oauth.errors import NO_MAIL_YET, MailUnavailable, TooManyCodes
from helpdesk.accounts.oauth.sessions import Browser
from helpdesk.accounts.people import service as people
from helpdesk.accounts.people.record import PersonRecord, hash_of_email, normalized_email
from helpdesk.mail import ceilings
from helpdesk.mail import codes as waiting
from helpdesk.mail import service as mail
from helpdesk.mail.ceilings import CeilingReached, MailKind
from helpdesk.mail.codes import CODE_MINUTES, CodeExpired, SignIn, WrongCode
from helpdesk.mail.errors import MailInDoubt, MailNotAllowed, MailNotSent, MailNotSetUp, MailRefused
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.logging import logger
from helpdesk.platform.settings import settings

__all__ = ["CODE_MINUTES", "CodeExpired", "WrongCode"]  # and everything below


class NoAccount(Exception):
    """The code is right, but its address has no account, no invitation brought the person, and sign-up is closed."""


def begin(browser: Browser, email: str, address: str) -> str:
    """Mail a code to an e-mail address and return the handle of the sign-in.

    Above the limit of an e-mail address, no mail is sent and no code signs in, but the response is the same. A browser
    in which the address signed in before has limits of its own, so strangers keep nobody from signing in there again.
    Raises InvalidEmail, TooManyAttempts, TooManyCodes, MailUnavailable.
    """
    email = normalized_email(email)
    known = hash_of_email(email) in browser.known
    if not known:
        limits.charge_code_for_address(address, browser.hash)
    # Before the limit of the address, so that the ceiling's response is the same for all addresses.
    _charge_ceiling(MailKind.SIGN_IN_CODE_KNOWN if known else MailKind.SIGN_IN_CODE)
    mails = limits.mails_to(hash_of_email(email), address, browser.hash, known=known)
    mailed = mails.may_mail()
    begun = waiting.begin(SignIn, email, browser.hash, may_match=mailed)
    if mailed:
        _send(email, begun.code, mails)
    return begun.handle


def finish(browser: Browser, handle: str, code: str, invite_token: str | None = None) -> Browser:
    """Sign a browser in with the code; the first sign-in creates the person.

    Where sign-up is closed, it creates them only if `invite_token` is that of an invitation of their address. Raises
    WrongCode, NoAccount, CodeExpired.
    """
    email = waiting.check(SignIn, handle, browser.hash, code)
    person = _person(email, invite_token)
    signed_in = sessions.signed_in(browser, sha256_hex(handle), person.id, hash_of_email(email))
    if signed_in is None:
        raise CodeExpired
    return signed_in


def _person(email: str, invite_token: str | None) -> PersonRecord:
    if not settings().sign_up_is_open:
        known = people.by_email(email)
        if known is not None:
            return known
        if invite_token is None or not accepting.is_for(email, invite_token):
            raise NoAccount
    return people.find_or_create(email)


def _charge_ceiling(kind: MailKind) -> None:
    try:
        ceilings.charge(kind)
    except CeilingReached as reached:
        raise TooManyCodes(headers={"retry-after": str(reached.retry_after)}) from None


def _send(email: str, code: str, mails: limits.MailBuckets) -> None:
    try:
        mail.send_code(email, code, CODE_MINUTES)
    except MailRefused as error:
        # The mail can never be delivered. The page must not say so: that would reveal something about the address.
        logger.warning("code_not_mailed", extra={"error": type(error).__name__})
    except MailNotSent as error:
        logger.error("code_not_mailed", extra={"error": type(error).__name__})
        if not isinstance(error, MailInDoubt):
            # Otherwise the next attempts would end at the limit, where the page says that a code was sent.
            mails.refund()
        raise MailUnavailable(
            NO_MAIL_YET if isinstance(error, (MailNotSetUp, MailNotAllowed)) else None
        ) from None
