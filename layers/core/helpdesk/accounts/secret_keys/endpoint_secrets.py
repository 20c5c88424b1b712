"""Random secrets for the endpoints of a key that is revoked (Specification: Events, Which key signs).

Webhook endpoints and tool endpoints are signed in the same way. Each noun passes the keys of its own items.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from helpdesk.accounts.secret_keys.record import EndpointSecret
from helpdesk.outbound.signing import random_secret
from helpdesk.storage.stored import Key
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

    `counter` is the item that counts them, `endpoint` returns the key of one, whose record has a `key_id`. `purpose` is
    the field of `EndpointSecret`.
    """

    organization: str
    counter: Key
    endpoint: Callable[[str, str], Key]
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
        endpoint = of.endpoint(of.organization, each.id)
        if each.key_id != key_id:
            # Another key may sign for it by now, also the one that is revoked.
            transaction.require(endpoint, {"key_id": each.key_id}, on_failure=ConditionFailed)
            continue
        transaction.change(
            endpoint, set={"key_id": None}, require={"key_id": key_id}, on_failure=ConditionFailed
        )
        secret = {of.purpose: random_secret()}
        transaction.put(EndpointSecret(organization=of.organization, endpoint_id=each.id, **secret))
