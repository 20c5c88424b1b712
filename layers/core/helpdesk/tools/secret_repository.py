"""The secrets that requests to tool endpoints are signed with. Only roles that call tools may read them."""

from collections.abc import Sequence
from typing import NamedTuple

from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

_ENDPOINT = "ENDPOINT#"


class Signer(NamedTuple):
    """An endpoint and the key that signs for it, read also where nothing else of the endpoint can be read."""

    id: str
    key_id: str | None


def signers(organization: str) -> list[Signer]:
    """Return every endpoint of an organization with its key. Revoking a key must not miss one."""
    items = table.query_all(keys.ToolEndpointCount(organization).pk, sk_prefix=_ENDPOINT)
    return [Signer(item["SK"].removeprefix(_ENDPOINT), item.get("keyId")) for item in items]


def replace_secrets(
    transaction: Transaction, organization: str, seen: Sequence[Signer], key_id: str, secrets: dict[str, str]
) -> None:
    """Give the endpoints of a key the secrets in `secrets`, by endpoint ID.

    `seen` holds all endpoints of the organization. The transaction requires that each still exists and that their
    number is the stored count, so that there is no other. Otherwise it raises ConditionFailed.
    """
    transaction.require(
        keys.ToolEndpointCount(organization),
        "attribute_not_exists(endpoints) OR endpoints = :seen",
        values={":seen": len(seen)},
        on_failure=ConditionFailed,
    )
    for each in seen:
        endpoint_key = keys.ToolEndpoint(organization, each.id)
        if each.id not in secrets:
            # Another key may sign for it now: then it is this one's no longer, or has become this one's.
            transaction.require(
                endpoint_key, "keyId = :key", values={":key": each.key_id}, on_failure=ConditionFailed
            )
            continue
        transaction.update(
            endpoint_key,
            "SET keyId = :null",
            condition="keyId = :key",
            values={":null": None, ":key": key_id},
            on_failure=ConditionFailed,
        )
        secret = {"tools": secrets[each.id]}
        transaction.put({**keys.EndpointSecret(organization, each.id).attributes(), **secret})


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
    endpoint_key = keys.ToolEndpoint(organization, endpoint_id)
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
