"""Random secrets for the endpoints of a key that is revoked (Specification: Events, Which key signs).

Webhook endpoints and tool endpoints are signed in the same way. Each noun passes the keys of its own items.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from helpdesk.outbound.signing import random_secret
from helpdesk.storage import keys
from helpdesk.storage.stored import AnyKey
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction


class Signer(NamedTuple):
    """An endpoint and the key that signs for it, read even if nothing else of the endpoint can be read."""

    id: str
    key_id: str | None

    @classmethod
    def from_item(cls, endpoint_id: str, item: Item) -> "Signer":
        """Read an endpoint's item."""
        return cls(endpoint_id, item.get("keyId"))


class EndpointItems(NamedTuple):
    """The endpoints of one kind in an organization, as their items are stored.

    `counter` is the item that counts them, `endpoint` returns the item of one. `purpose` names the secret in the item
    of its secrets.
    """

    organization: str
    counter: AnyKey
    endpoint: Callable[[str, str], AnyKey]
    purpose: str


def replace(transaction: Transaction, of: EndpointItems, seen: Sequence[Signer], key_id: str) -> None:
    """Give each endpoint of a key a random secret, in the transaction that revokes the key.

    `seen` holds all endpoints of the kind. The transaction requires that each still exists and has the key that it had,
    and that their number is the stored count, so that there is no other. Otherwise it raises ConditionFailed, and the
    caller tries all of it again.
    """
    transaction.require(
        of.counter,
        "attribute_not_exists(endpoints) OR endpoints = :seen",
        values={":seen": len(seen)},
        on_failure=ConditionFailed,
    )
    for each in seen:
        item = of.endpoint(of.organization, each.id)
        if each.key_id != key_id:
            # Another key may sign for it by now, also the one that is revoked.
            condition, values = _as_seen(each)
            transaction.require(item, condition, values=values, on_failure=ConditionFailed)
            continue
        transaction.update(
            item,
            "SET keyId = :null",
            condition="keyId = :key",
            values={":null": None, ":key": key_id},
            on_failure=ConditionFailed,
        )
        secret = {of.purpose: random_secret()}
        transaction.put({**keys.EndpointSecret(of.organization, each.id).attributes(), **secret})


def _as_seen(endpoint: Signer) -> tuple[str, Mapping[str, str | None]]:
    """Return the condition that an endpoint exists with the key that it had. One that cannot be read may have none."""
    condition = "keyId = :key"
    if endpoint.key_id is None:
        condition = "attribute_exists(PK) AND (attribute_not_exists(keyId) OR keyId = :key)"
    return condition, {":key": endpoint.key_id}
