"""The secrets that requests to tool endpoints are signed with. Only roles that call tools may read them."""

from typing import NamedTuple

from helpdesk.accounts.secret_keys import endpoint_secrets
from helpdesk.accounts.secret_keys.endpoint_secrets import EndpointItems, Signer
from helpdesk.storage import keys, table
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction
from helpdesk.tools.record import ToolEndpoint, ToolEndpointCount


def signers(organization: str) -> list[Signer]:
    """Return every endpoint of an organization with its key. Revoking a key must not miss one."""
    prefix = ToolEndpoint.sk_prefix()
    items = table.query_all(ToolEndpoint.partition_for(organization), sk_prefix=prefix)
    return [Signer.from_item(item["SK"].removeprefix(prefix), item) for item in items]


def replace_secrets(transaction: Transaction, organization: str, key_id: str) -> None:
    """Give each endpoint of a key a random secret. The transaction raises ConditionFailed if endpoints changed."""
    of = EndpointItems(
        organization, ToolEndpointCount.key_for(organization), ToolEndpoint.key_for, purpose="tools"
    )
    endpoint_secrets.replace(transaction, of, signers(organization), key_id)


class Signed(NamedTuple):
    """An endpoint's address, and the secret that requests to it are signed with."""

    url: str
    secret: str


class SecretNotFound(Exception):
    """An endpoint exists without a secret to sign with, because its key is being revoked. A later try finds one."""


def signed(organization: str, endpoint_id: str) -> Signed | None:
    """Return where an endpoint is and what signs for it; None if it was removed. Two calls in the usual case.

    The random secret of an endpoint whose key was revoked comes first (Specification: Events, Which key signs). Only
    roles that call tools may read secrets. Raises SecretNotFound.
    """
    endpoint_key = ToolEndpoint.key_for(organization, endpoint_id)
    own = keys.EndpointSecret(organization, endpoint_id)
    for _ in range(2):  # the key may be revoked between the two calls
        found = table.get_many([endpoint_key, own])
        if endpoint_key not in found:
            return None
        place = found[endpoint_key]
        secret: Item | None = found.get(own)
        if secret is None and place.get("keyId"):
            secret = table.get(keys.KeySecret(organization, place["keyId"]))
        if secret is not None:
            return Signed(place["url"], secret["tools"])
    raise SecretNotFound
