"""Signing in with a one-time code that comes by mail: six digits, ten minutes, five tries.

Whether anybody has an address is nowhere asked before its code was right, so no answer can tell.
"""

import hmac
import re
import secrets

from helpdesk.mail import service as mail
from helpdesk.mail.errors import MailNotSent, MailRefused
from helpdesk.oauth import limits, repository, sessions
from helpdesk.oauth.errors import MailUnavailable
from helpdesk.oauth.sessions import Browser
from helpdesk.people import service as people
from helpdesk.people.record import hash_of_email, normalized_email
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.logging import logger
from helpdesk.platform.units import MINUTE_MS

CODE_DIGITS = 6
CODE_MINUTES = 10
MAX_TRIES = 5
_HANDLE = re.compile(r"[0-9A-Za-z]{43}")


class WrongCode(Exception):
    """Not the code; `tries_left` may follow."""

    def __init__(self, tries_left: int) -> None:
        self.tries_left = tries_left
        super().__init__("wrong code")


class CodeOver(Exception):
    """No code is waited for any more: its time or its tries are over, or it was used."""


def begin(browser: Browser, email: str, address: str) -> str:
    """Mail a code to an e-mail address and return the handle under which it is waited for.

    Past what an e-mail address may get, no mail goes out and no code signs in, and all else is as ever. Raises
    InvalidEmail, TooManyAttempts, MailUnavailable.
    """
    email = normalized_email(email)
    limits.take_code_for_address(address, browser.hash)
    handle = ids.secret()
    code = f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"
    until = clock.now_ms() + CODE_MINUTES * MINUTE_MS
    mailed = limits.may_mail(hash_of_email(email))
    # What is not mailed is nothing of six digits: else each handle more would be five tries more at this address.
    expected = code if mailed else ids.secret()
    repository.put_sign_in(sha256_hex(handle), email, _keyed(handle, expected), browser.hash, until)
    if mailed:
        _send(email, code)
    return handle


def finish(browser: Browser, handle: str, code: str) -> Browser:
    """Sign a browser in with the code that came; the first time, the person is made. Raises WrongCode, CodeOver."""
    if _HANDLE.fullmatch(handle) is None:
        raise CodeOver
    waiting = repository.count_try(sha256_hex(handle), browser.hash, MAX_TRIES)
    if waiting is None:
        raise CodeOver
    typed = re.sub(r"[\s-]", "", code[:32])
    if not hmac.compare_digest(_keyed(handle, typed), waiting["codeHash"]):
        if waiting["tries"] >= MAX_TRIES:
            raise CodeOver
        raise WrongCode(MAX_TRIES - waiting["tries"])
    person = people.find_or_create(waiting["email"])
    signed_in = sessions.signed_in(browser, sha256_hex(handle), person.id)
    if signed_in is None:
        raise CodeOver
    return signed_in


def _keyed(handle: str, code: str) -> str:
    """Return the form in which a code is stored: whoever reads the table lacks the handle that it is keyed with."""
    return hmac.new(handle.encode(), code.encode(), "sha256").hexdigest()


def _send(email: str, code: str) -> None:
    try:
        mail.send_code(email, code)
    except MailRefused as error:
        # Never to be delivered; said, it would tell of the address. The page says what to do when nothing comes.
        logger.warning("code_not_mailed", extra={"error": type(error).__name__})
    except MailNotSent as error:
        logger.error("code_not_mailed", extra={"error": type(error).__name__})
        raise MailUnavailable from None
