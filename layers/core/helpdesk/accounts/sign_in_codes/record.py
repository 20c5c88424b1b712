"""What waits for a code that was mailed, by the SHA-256 of the handle that its page or its job has."""

from helpdesk.storage.stored import Expiring


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
