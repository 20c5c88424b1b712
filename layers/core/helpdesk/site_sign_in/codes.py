"""Sign-in with a one-time code by mail: six digits, ten minutes, five tries.

Every address gets the same response, whether a customer has it or not: the first sign-in creates the customer.
"""

import hmac
import re
import secrets

from helpdesk.mail import service as mail
from helpdesk.mail.errors import MailNotSent, MailRefused
from helpdesk.people.record import normalized_email
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.logging import logger
from helpdesk.platform.units import MINUTE_MS
from helpdesk.site_sign_in import limits, repository
from helpdesk.site_sign_in.errors import SignInOver, SignInUnavailable
from helpdesk.site_sign_in.record import CodeRecord
from helpdesk.site_visitors.browsers import Browser

CODE_DIGITS = 6
CODE_MINUTES = 10
MAX_TRIES = 5
_HANDLE = re.compile(r"[0-9A-Za-z]{43}")


class WrongCode(Exception):
    """The code is wrong; `tries_left` more are allowed."""

    def __init__(self, tries_left: int) -> None:
        self.tries_left = tries_left
        super().__init__("wrong code")


def begin(organization: str, name: str, browser: Browser, email: str, address: str) -> str:
    """Mail a code to an address and return the handle of the sign-in; `name` is the organization's.

    Above the limit of the address no mail is sent and no code signs in, but the response is the same. Raises
    InvalidEmail, RateLimited, SignInUnavailable.
    """
    email = normalized_email(email)
    limits.take_code(organization, address, browser.hash)
    handle = ids.secret()
    code = f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"
    until = clock.now_ms() + CODE_MINUTES * MINUTE_MS
    mailed = limits.may_mail(organization, email)
    # Without a mail, no six digits may match: otherwise each further handle would allow five more guesses.
    expected = code if mailed else ids.secret()
    waiting = CodeRecord(email, _keyed(handle, expected), browser.hash, until)
    repository.put_code(organization, sha256_hex(handle), waiting)
    if mailed:
        _send(email, code, name)
    return handle


def check(organization: str, browser: Browser, handle: str, code: str) -> str:
    """Return the address whose code this is. Raises WrongCode, SignInOver. The code is not used up yet."""
    if _HANDLE.fullmatch(handle) is None:
        raise SignInOver
    waiting = repository.count_try(organization, sha256_hex(handle), browser.hash, MAX_TRIES)
    if waiting is None:
        raise SignInOver
    typed = re.sub(r"[\s-]", "", code[:32])
    if not hmac.compare_digest(_keyed(handle, typed), waiting.code_hash):
        if waiting.tries >= MAX_TRIES:
            raise SignInOver
        raise WrongCode(MAX_TRIES - waiting.tries)
    return waiting.email


def _keyed(handle: str, code: str) -> str:
    """Return the form in which a code is stored: keyed with the handle, which is not in the table."""
    return hmac.new(handle.encode(), code.encode(), "sha256").hexdigest()


def _send(email: str, code: str, name: str) -> None:
    try:
        mail.send_site_code(email, code, organization=name, minutes=CODE_MINUTES)
    except MailRefused as error:
        # The mail can never be delivered. The page must not say so: that would reveal something about the address.
        logger.warning("code_not_mailed", extra={"error": type(error).__name__})
    except MailNotSent as error:
        logger.error("code_not_mailed", extra={"error": type(error).__name__})
        raise SignInUnavailable from None
