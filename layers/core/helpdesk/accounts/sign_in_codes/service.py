"""One-time codes by mail: six digits, ten minutes, five tries, in the browser that asked.

The caller names the key of the item, given the hash of the handle, and mails the code. A code is not used up here: the
transaction that signs in deletes the item. An organization that confirms an address stands for the browser.
"""

import hmac
import re
import secrets
from collections.abc import Callable
from typing import NamedTuple

from helpdesk.accounts.sign_in_codes import repository
from helpdesk.accounts.sign_in_codes.record import WaitingSignIn
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage.item_key import ItemKey

CODE_DIGITS = 6
CODE_MINUTES = 10
MAX_TRIES = 5

type KeyOf = Callable[[str], ItemKey]
"""Returns the key of a waiting sign-in, given the hash of its handle."""


class WrongCode(Exception):
    """The code is wrong; `tries_left` more are allowed."""

    def __init__(self, tries_left: int) -> None:
        self.tries_left = tries_left
        super().__init__("wrong code")


class CodeExpired(Exception):
    """No code is expected any more: its time or its tries are used up, or it was already used."""


class Begun(NamedTuple):
    """A sign-in that waits: the handle, which the browser gets, and the code, which is mailed."""

    handle: str
    code: str


def begin(key_of: KeyOf, email: str, browser_hash: str, *, may_match: bool) -> Begun:
    """Add a sign-in that waits for its code. One call.

    With `may_match` false no code is mailed, so no six digits may match: otherwise each further handle would allow five
    more guesses.
    """
    handle = ids.secret()
    code = f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"
    expected = code if may_match else ids.secret()
    until = clock.now_ms() + CODE_MINUTES * MINUTE_MS
    waiting = WaitingSignIn(email, _keyed(handle, expected), browser_hash, until)
    repository.put(key_of(sha256_hex(handle)), waiting)
    return Begun(handle, code)


def check(key_of: KeyOf, handle: str, browser_hash: str, code: str) -> str:
    """Return the address whose code this is. One call. Raises WrongCode, CodeExpired."""
    if not ids.is_secret(handle):
        raise CodeExpired
    waiting = repository.count_try(key_of(sha256_hex(handle)), browser_hash, MAX_TRIES)
    if waiting is None:
        raise CodeExpired
    typed = re.sub(r"[\s-]", "", code[:32])
    if not hmac.compare_digest(_keyed(handle, typed), waiting.code_hash):
        if waiting.tries >= MAX_TRIES:
            raise CodeExpired
        raise WrongCode(MAX_TRIES - waiting.tries)
    return waiting.email


def _keyed(handle: str, code: str) -> str:
    """Return the form in which a code is stored: keyed with the handle, which is not in the table."""
    return hmac.new(handle.encode(), code.encode(), "sha256").hexdigest()
