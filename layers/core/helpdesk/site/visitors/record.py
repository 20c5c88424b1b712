"""How visitors sign in, and their sessions as they are stored. Times are milliseconds since 1970."""

from enum import StrEnum

from helpdesk.storage.stored import Stored


class SignInMethod(StrEnum):
    """How visitors of the help site sign in."""

    MEDIAN = "median"
    """An account of the service itself: a code by mail."""
    APP = "app"
    """A route in the customer's app."""
    OIDC = "oidc"
    """An OpenID Connect provider."""


class SiteSession(Stored, kw_only=True):
    """A browser in which a visitor is signed in, by the SHA-256 of its cookie.

    It holds no name and no address: the customer's record has them. The item is kept for longer than the session, and
    says whose the browser was.
    """

    PK, SK = "ORG#{organization}#SITESESSION#{browser_hash}", "SESSION"

    organization: str
    browser_hash: str
    customer_id: str
    visitor_hash: str
    epoch: int
    valid_until: int
    expires_at: int
