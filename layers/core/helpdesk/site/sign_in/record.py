"""Sign-ins that wait, and what sign-ins are proved with, as they are stored. Times are milliseconds since 1970."""

from typing import Any

from helpdesk.storage.stored import Expiring, Stored


class SiteToken(Expiring, kw_only=True):
    """A token of the customer's app, or the state of a sign-in at a provider, by its SHA-256.

    Its presence makes the use the only one, so it is kept for an hour longer than it is valid. `claims` holds who signs
    in, as the app says, while a token waits for the browser in which its sign-in began. It is removed with the token's
    use.
    """

    PK, SK = "ORG#{organization}#SITETOKEN#{token_hash}", "TOKEN"

    organization: str
    token_hash: str
    claims: dict[str, Any] | None = None
    state: str | None = None
    epoch: int | None = None


class SiteClientSecret(Stored, kw_only=True):
    """The client secret at the OpenID Connect provider.

    It and the secrets of keys (`SiteKeySecret`) are in a partition that only the function of sign-in may read. None is
    ever in a response, an event or the log.
    """

    PK, SK = "ORG#{organization}#SITESECRET", "OIDC"

    organization: str
    secret: str
