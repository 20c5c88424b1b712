"""Keys of signing secrets, in a partition that few roles may read.

storage/keys.py re-exports these names. No other module imports them from here.
"""

from helpdesk.storage.item_key import ItemKey


class KeySecret(ItemKey):
    """The signing secrets derived from a key; the delivery and tool-calling roles alone may read them."""

    PK, SK = "ORG#{organization}#SECRET", "KEY#{key_id}"
    organization: str
    key_id: str


class EndpointSecret(ItemKey):
    """The random secret that replaced a revoked key's for one webhook or tool endpoint."""

    PK, SK = "ORG#{organization}#SECRET", "ENDPOINT#{endpoint_id}"
    organization: str
    endpoint_id: str
