"""The secrets that requests to tool endpoints are signed with. Only roles that call tools may read them."""

from typing import NamedTuple

from helpdesk.accounts.secret_keys import endpoint_secrets
from helpdesk.accounts.secret_keys.endpoint_secrets import EndpointItems, Signer
from helpdesk.accounts.secret_keys.record import EndpointSecret, KeySecret
from helpdesk.storage import table
from helpdesk.storage.collection import Collection
from helpdesk.storage.transactions import Transaction
from helpdesk.tools.record import ToolEndpoint, ToolEndpointCount

_key_secrets = Collection(KeySecret)


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
    own = EndpointSecret.key_for(organization, endpoint_id)
    for _ in range(2):  # the key may be revoked between the two calls
        found = table.get_many([endpoint_key, own])
        if endpoint_key not in found:
            return None
        place = found[endpoint_key]
        if own in found:
            return Signed(place["url"], found[own]["tools"])
        derived = _key_secrets.find(organization, place["keyId"]) if place.get("keyId") else None
        if derived is not None:
            return Signed(place["url"], derived.tools)
    raise SecretNotFound
