"""One-time codes by mail: six digits, ten minutes, five tries, in the browser that asked.

The caller names the kind of record that waits, and mails the code. A code is not used up here: the transaction that
signs in deletes the record. An organization that confirms an address stands for the browser.
"""

import hmac
import re
import secrets
from typing import Any, NamedTuple

from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage import table
from helpdesk.storage.changes import above, below
from helpdesk.storage.stored import Expiring
from helpdesk.storage.table import ConditionFailed


class WaitingCode(Expiring, kw_only=True):
    """What waits for a code.

    `code_hash` is keyed with the handle. `browser_hash` is who asked: a browser, or an organization by its ID.
    """

    handle_hash: str
    email: str
    code_hash: str
    browser_hash: str
    tries: int = 0


class SignIn(WaitingCode, kw_only=True):
    """A sign-in that waits for its one-time code."""

    PK, SK = "OAUTH#SIGNIN#{handle_hash}", "SIGNIN"


class SupportEmailCode(WaitingCode, kw_only=True):
    """A code that was mailed to a pending support address."""

    PK, SK = "ORG#{organization}#SUPPORTCODE#{handle_hash}", "CODE"

    organization: str


class SiteCode(WaitingCode, kw_only=True):
    """A sign-in to the help site that waits for its one-time code."""

    PK, SK = "ORG#{organization}#SITECODE#{handle_hash}", "CODE"

    organization: str


CODE_DIGITS = 6
CODE_MINUTES = 10
MAX_TRIES = 5


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


def begin(kind: type[WaitingCode], email: str, browser_hash: str, *, may_match: bool, **scope: Any) -> Begun:
    """Add what waits for a code, of a kind such as `SignIn`. One call.

    `scope` is the organization, for a kind that has one. With `may_match` false no code is mailed, so no six digits may
    match: otherwise each further handle would allow five more guesses.
    """
    handle = ids.secret()
    code = f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"
    waiting = kind(
        **scope,
        handle_hash=sha256_hex(handle),
        email=email,
        code_hash=_keyed(handle, code if may_match else ids.secret()),
        browser_hash=browser_hash,
        valid_until=clock.now_ms() + CODE_MINUTES * MINUTE_MS,
    )
    table.put_new(waiting)
    return Begun(handle, code)


def check(kind: type[WaitingCode], handle: str, browser_hash: str, code: str, **scope: Any) -> str:
    """Return the address whose code this is. One call, which counts the try. Raises WrongCode, CodeExpired."""
    if not ids.is_secret(handle):
        raise CodeExpired
    try:
        # The try is counted before the code is compared, so that requests at the same time get no more than five.
        item = table.change(
            kind.key_for(*scope.values(), sha256_hex(handle)),
            add={"tries": 1},
            require={
                "tries": below(MAX_TRIES),
                "valid_until": above(clock.now_ms()),
                "browser_hash": browser_hash,
            },
            returning="ALL_NEW",
        )
    except ConditionFailed:
        raise CodeExpired from None
    waiting = kind.from_item(item)
    typed = re.sub(r"[\s-]", "", code[:32])
    if not hmac.compare_digest(_keyed(handle, typed), waiting.code_hash):
        if waiting.tries >= MAX_TRIES:
            raise CodeExpired
        raise WrongCode(MAX_TRIES - waiting.tries)
    return waiting.email


def _keyed(handle: str, code: str) -> str:
    """Return the form in which a code is stored: keyed with the handle, which is not in the table."""
    return hmac.new(handle.encode(), code.encode(), "sha256").hexdigest()
