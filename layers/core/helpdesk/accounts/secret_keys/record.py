"""A secret key as stored, and what it signs with. The allowances list it while it is live (`api.admission.record`)."""

from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.stored import Stored


class SecretKey(Stored, kw_only=True):
    """What people see of a key; times are in ms. Never the key, nor its hash.

    The allowances hold `last_used_at` while the key is live; the record holds it after the key is revoked. A `legacy`
    key is from before the current scheme and cannot sign anything.
    """

    PK, SK = "ORG#{organization}#KEY", "KEY#{id}"

    organization: str
    id: str
    name: str
    hint: str
    created_at: int
    created_by_name: ActorName
    last_used_at: int | None = None
    revoked_at: int | None = None
    legacy: bool


class SiteKeySecret(Stored, kw_only=True):
    """The secret derived from a key that signs sign-ins to the help site; the function of sign-in alone may read it."""

    PK, SK = "ORG#{organization}#SITESECRET", "KEY#{key_id}"

    organization: str
    key_id: str
    secret: str


class KeySecret(Stored, kw_only=True):
    """The signing secrets derived from a key; the delivery and tool-calling roles alone may read them."""

    PK, SK = "ORG#{organization}#SECRET", "KEY#{key_id}"

    organization: str
    key_id: str
    webhooks: str
    tools: str


class EndpointSecret(Stored, kw_only=True):
    """The random secret that replaced a revoked key's for one endpoint: for a webhook or for a tool endpoint."""

    PK, SK = "ORG#{organization}#SECRET", "ENDPOINT#{endpoint_id}"

    organization: str
    endpoint_id: str
    webhooks: str | None = None
    tools: str | None = None
