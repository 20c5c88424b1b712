"""Where a site is, how visitors sign in, and their sessions as they are stored. Times are milliseconds since 1970."""

from enum import StrEnum
from urllib.parse import urlsplit

from helpdesk.platform.record import Record
from helpdesk.storage.stored import Stored


class SignInMethod(StrEnum):
    """How visitors of the help site sign in."""

    MEDIAN = "median"
    """An account of the service itself: a code by mail."""
    APP = "app"
    """A route in the customer's app."""
    OIDC = "oidc"
    """An OpenID Connect provider."""


class Provider(Record, kw_only=True):
    """An OpenID Connect provider, with what its discovery document said when the settings were saved.

    secret_hint    the last four characters of the client secret
    secret_in_body whether it takes client id and secret in the body (client_secret_post) and not as Basic
    names_issuer   whether it names itself in every response (RFC 9207)
    userinfo       the address of its claims about a person; None if it has none
    """

    issuer: str
    client_id: str
    secret_hint: str
    authorization: str
    token: str
    jwks: str
    userinfo: str | None = None
    secret_in_body: bool
    names_issuer: bool


class Problem(Record):
    """Why the last sign-in was refused.

    code     the provider's code, or ours
    message  what to change
    detail   the provider's words; None where it said none
    """

    at: int
    code: str
    message: str
    detail: str | None = None


class SiteSignIn(Stored, kw_only=True):
    """How visitors of an organization's help site sign in; absent until someone sets it.

    problem  why the last sign-in was refused
    epoch    counts the changes of the method. A session of an earlier epoch is over
    version  counts all changes; 0 if nobody has set anything
    """

    PK, SK = "ORG#{organization}#SITE", "SIGNIN"

    organization: str
    method: SignInMethod = SignInMethod.MEDIAN
    app_url: str | None = None
    provider: Provider | None = None
    problem: Problem | None = None
    epoch: int = 0
    version: int = 0


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


class SitePlace(Record):
    """An organization's help site as its visitors reach it.

    root       its address without a slash at the end: https://support.example.com/site/acme
    is_framed  whether the visit is to the chat widget, in a frame of a page of another site
    """

    organization: str
    root: str
    is_framed: bool = False

    @property
    def path(self) -> str:
        """The path with which every link of the site begins."""
        return urlsplit(self.root).path

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        parts = urlsplit(self.root)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def is_secure(self) -> bool:
        """Whether visitors reach it over https."""
        return self.root.startswith("https:")


def of_slug(organization: str, slug: str, base_url: str, *, is_framed: bool = False) -> SitePlace:
    """Return the place of the site of an organization with a slug, below the address of the API."""
    return SitePlace(organization, f"{base_url}/site/{slug}", is_framed)
