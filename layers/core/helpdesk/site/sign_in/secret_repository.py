"""What sign-ins are proved with: the client secret at the provider, and the secrets derived from keys.

They are in a partition of their own, which only the function of sign-in may read. None is ever in a response, an event
or the log.
"""

from helpdesk.storage import keys, table
from helpdesk.storage.transactions import Transaction


def put_client_secret(transaction: Transaction, organization: str, secret: str) -> None:
    """Store the client secret at the provider in place of an earlier one."""
    transaction.put({**keys.SiteClientSecret(organization).attributes(), "secret": secret})


def client_secret(organization: str) -> str:
    """Return the client secret; empty if it is gone."""
    item = table.get(keys.SiteClientSecret(organization))
    return "" if item is None else str(item["secret"])


def key_secrets(organization: str) -> list[str]:
    """Return the secrets of the organization's live keys, the newest key first. One call."""
    partition = keys.SiteClientSecret(organization).pk
    page = table.query(partition, sk_prefix="KEY#", limit=100, newest_first=True, consistent=True)
    return [str(item["secret"]) for item in page.items]
