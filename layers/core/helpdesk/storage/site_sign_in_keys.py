"""Keys of sign-in to the help site, and of the identities by which its visitors are known.

storage/keys.py re-exports these names. No other module imports them from here.
"""

from helpdesk.storage.item_key import ItemKey


class SiteSignIn(ItemKey):
    """How visitors of the help site sign in, and why the last sign-in was refused; absent until someone sets it."""

    PK, SK = "ORG#{organization}#SITE", "SIGNIN"
    organization: str


class SiteClientSecret(ItemKey):
    """The client secret at the OpenID Connect provider; the function of sign-in alone may read it."""

    PK, SK = "ORG#{organization}#SITESECRET", "OIDC"
    organization: str


class SiteKeySecret(ItemKey):
    """The secret derived from a key that signs sign-ins; the function of sign-in alone may read it."""

    PK, SK = "ORG#{organization}#SITESECRET", "KEY#{key_id}"
    organization: str
    key_id: str


class SiteToken(ItemKey):
    """A token of the customer's app by the SHA-256 of its id; its presence makes it the only use."""

    PK, SK = "ORG#{organization}#SITETOKEN#{token_hash}", "TOKEN"
    organization: str
    token_hash: str
