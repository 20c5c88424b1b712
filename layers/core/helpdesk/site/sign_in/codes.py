"""Sign-in with a one-time code by mail.

Every address gets the same response, whether a customer has it or not: the first sign-in creates the customer.
"""

from helpdesk.accounts.people.record import normalized_email
from helpdesk.accounts.sign_in_codes import service as waiting
from helpdesk.accounts.sign_in_codes.record import SiteCode
from helpdesk.accounts.sign_in_codes.service import CODE_MINUTES, CodeExpired, WrongCode
from helpdesk.mail import service as mail
from helpdesk.mail.errors import MailInDoubt, MailNotAllowed, MailNotSent, MailNotSetUp, MailRefused
from helpdesk.mail.names import safe_name
from helpdesk.platform.logging import logger
from helpdesk.site.record import Site
from helpdesk.site.sign_in import limits
from helpdesk.site.sign_in.errors import MailNotWorking, SignInUnavailable
from helpdesk.site.texts import texts_in
from helpdesk.site.visitors.browsers import Browser
from helpdesk.visitor_texts.languages import Language

__all__ = ["CODE_MINUTES", "CodeExpired", "WrongCode"]  # and everything below


def begin(site: Site, browser: Browser, email: str, address: str, language: Language) -> str:
    """Mail a code to an address and return the handle of the sign-in.

    Above the limit of the address no mail is sent and no code signs in, but the response is the same. A browser in
    which the address signed in before has limits of its own, so strangers keep nobody from signing in there again.
    Raises InvalidEmail, RateLimited, SignInUnavailable, MailNotWorking.
    """
    email = normalized_email(email)
    asked = limits.Asked(site.organization, email, address, browser)
    asked.charge_code()
    mailed = asked.may_mail()
    begun = waiting.begin(SiteCode, email, browser.hash, may_match=mailed, organization=site.organization.id)
    if mailed:
        try:
            _send(email, begun.code, site, language)
        except MailInDoubt:
            raise SignInUnavailable from None
        except MailNotSent as error:
            # Otherwise the next attempts would end at the limit, where the page says that a code was sent.
            asked.refund_mail()
            until_operator_acts = isinstance(error, (MailNotSetUp, MailNotAllowed))
            raise (MailNotWorking if until_operator_acts else SignInUnavailable) from None
    return begun.handle


def check(organization: str, browser: Browser, handle: str, code: str) -> str:
    """Return the address whose code this is. Raises WrongCode, CodeExpired. The code is not used up yet."""
    return waiting.check(SiteCode, handle, browser.hash, code, organization=organization)


def _send(email: str, code: str, site: Site, language: Language) -> None:
    t = texts_in(language)
    # Anyone can have a site on the free plan, and mail a code to any address. Its title would be their words.
    name = safe_name(site.title) if site.organization.may_mail else ""
    subject = t("sign_in_mail.subject", site=name) if name else t["sign_in_mail.subject_without_name"]
    sentences = (
        t("sign_in_mail.code", site=name) if name else t["sign_in_mail.code_without_name"],
        t("sign_in_mail.once", minutes=CODE_MINUTES),
        t["sign_in_mail.ignore"],
    )
    try:
        mail.send_site_code(email, code, subject=subject, sentences=sentences, language=language)
    except MailRefused as error:
        # The mail can never be delivered. The page must not say so: that would reveal something about the address.
        logger.warning("code_not_mailed", extra={"error": type(error).__name__})
    except MailNotSent as error:
        logger.error("code_not_mailed", extra={"error": type(error).__name__})
        raise
