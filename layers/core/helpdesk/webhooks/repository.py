"""Items of webhook endpoints."""

from collections.abc import Sequence

from helpdesk.events.kinds import WebhookEvent
from helpdesk.platform import clock
from helpdesk.secret_keys import endpoint_secrets
from helpdesk.secret_keys.endpoint_secrets import EndpointItems, Signer
from helpdesk.storage import keys, table
from helpdesk.storage.attributes import UnreadableItem
from helpdesk.storage.table import EXISTS, ConditionFailed, Item
from helpdesk.storage.transactions import Transaction
from helpdesk.webhooks.errors import MAX_WEBHOOK_ENDPOINTS, EndpointNotFound, TooManyEndpoints
from helpdesk.webhooks.record import Endpoint, Endpoints


def read_all(organization: str) -> Endpoints:
    """Return an organization's endpoints, apart from them what cannot be read, and who follows. One call."""
    found = Endpoints([], [], [])
    for item in table.query_all(keys.WebhookEndpointCount(organization).pk):
        follower = keys.EventFollower.parse(item["PK"], item["SK"])
        if follower is not None and item["follows"]:
            found.followers.append(follower.app)
        if keys.WebhookEndpoint.parse(item["PK"], item["SK"]) is None:
            continue
        try:
            found.readable.append(Endpoint.from_item(organization, item))
        except UnreadableItem as error:
            found.unreadable.append(({"PK": item["PK"], "SK": item["SK"]}, error))
    return found


def id_of(key: Item) -> str:
    """Return the id of an endpoint from its key, where nothing else of it can be read."""
    parsed = keys.WebhookEndpoint.parse(key["PK"], key["SK"])
    return parsed.endpoint_id if parsed is not None else ""


def all_of(organization: str) -> list[Endpoint]:
    """Return an organization's endpoints that this version can read (at most ten), in the order of their creation."""
    return read_all(organization).readable


def signers(organization: str) -> list[Signer]:
    """Return every endpoint of an organization with its key. Revoking a key must not miss one."""
    found = []
    for item in table.query_all(keys.WebhookEndpointCount(organization).pk, sk_prefix="ENDPOINT#"):
        key = keys.WebhookEndpoint.parse(item["PK"], item["SK"])
        if key is not None:
            found.append(Signer.from_item(key.endpoint_id, item))
    return found


def replace_secrets(transaction: Transaction, organization: str, key_id: str) -> None:
    """Give each endpoint of a key a random secret. The transaction raises ConditionFailed if endpoints changed."""
    of = EndpointItems(
        organization, keys.WebhookEndpointCount(organization), keys.WebhookEndpoint, purpose="webhooks"
    )
    endpoint_secrets.replace(transaction, of, signers(organization), key_id)


def set_follower(
    transaction: Transaction, organization: str, app: str, *, follows: bool, for_seconds: int | None
) -> None:
    """Write whether an app follows the organization's conversations, and for how long."""
    ends = {} if for_seconds is None else {"expiresAt": clock.seconds_from_now(for_seconds)}
    transaction.put({**keys.EventFollower(organization, app).attributes(), "follows": follows, **ends})


def put(transaction: Transaction, endpoint: Endpoint) -> None:
    """Add an endpoint and count it. The transaction raises TooManyEndpoints if the limit is reached."""
    transaction.update(
        keys.WebhookEndpointCount(endpoint.organization),
        "ADD endpoints :one",
        condition="attribute_not_exists(endpoints) OR endpoints < :limit",
        values={":one": 1, ":limit": MAX_WEBHOOK_ENDPOINTS},
        on_failure=lambda _: TooManyEndpoints(),
    )
    transaction.put(endpoint.to_item(), new=True)


def change(
    transaction: Transaction,
    organization: str,
    endpoint_id: str,
    url: str | None,
    events: Sequence[WebhookEvent] | None,
) -> None:
    """Overwrite the address, the events or both. The transaction raises EndpointNotFound."""
    values: Item = {}
    if url is not None:
        values["url"] = url
    if events is not None:
        values["events"] = [event.value for event in events]
    transaction.set(
        keys.WebhookEndpoint(organization, endpoint_id),
        values,
        condition=EXISTS,
        on_failure=lambda _: EndpointNotFound(),
    )


def url_of(organization: str, endpoint_id: str) -> str:
    """Return an endpoint's URL, empty if its item has none. Raises EndpointNotFound."""
    item = table.get(keys.WebhookEndpoint(organization, endpoint_id))
    if item is None:
        raise EndpointNotFound
    url = item.get("url")
    return url if isinstance(url, str) else ""


def delete(transaction: Transaction, organization: str, endpoint_id: str) -> None:
    """Remove an endpoint with its secrets, and decrease the count. The transaction raises EndpointNotFound."""
    transaction.delete(
        keys.WebhookEndpoint(organization, endpoint_id),
        condition=EXISTS,
        on_failure=lambda _: EndpointNotFound(),
    )
    transaction.delete(keys.EndpointSecret(organization, endpoint_id))
    transaction.delete(keys.StandardSecret(organization, endpoint_id))
    transaction.update(keys.WebhookEndpointCount(organization), "ADD endpoints :one", values={":one": -1})


def require_in(transaction: Transaction, organization: str, endpoint_id: str) -> None:
    """Require the endpoint in a transaction, which raises EndpointNotFound."""
    transaction.require(
        keys.WebhookEndpoint(organization, endpoint_id), EXISTS, on_failure=lambda _: EndpointNotFound()
    )


def note_secret(transaction: Transaction, organization: str, endpoint_id: str, made_at: int | None) -> None:
    """Store when the endpoint's own secret was made (ms), None for no secret. Raises EndpointNotFound at commit."""
    transaction.update(
        keys.WebhookEndpoint(organization, endpoint_id),
        "SET secretCreatedAt = :at",
        condition=EXISTS,
        values={":at": made_at},
        on_failure=lambda _: EndpointNotFound(),
    )


def put_standard_secret(
    transaction: Transaction, organization: str, endpoint_id: str, secret: str, former_until: int
) -> None:
    """Give an endpoint a secret of its own. The former one stays valid until `former_until` (ms).

    The update moves the secrets without reading them, because this function's role may not read secrets. Two former
    ones are kept, so that a lost response and its repeated request do not end the secret that a receiver has.
    """
    transaction.update(
        keys.StandardSecret(organization, endpoint_id),
        "SET older = if_not_exists(former, :null), olderUntil = if_not_exists(formerUntil, :never), "
        "former = if_not_exists(present, :null), formerUntil = :until, present = :secret",
        values={":secret": secret, ":until": former_until, ":null": None, ":never": 0},
    )


def delete_standard_secret(transaction: Transaction, organization: str, endpoint_id: str) -> None:
    """Remove an endpoint's own secrets, if it has any."""
    transaction.delete(keys.StandardSecret(organization, endpoint_id))


def touch(endpoint: Endpoint, *, succeeded: bool, at: int) -> Endpoint | None:
    """Store when an attempt succeeded or failed, if that does not change the status.

    Returns None. If it would change the status, or a later result is stored, returns the endpoint as it is now.
    """
    name = "lastDeliveryAt" if succeeded else "lastFailureAt"
    same_status = "failingSince = :null" if succeeded else "failingSince <> :null"
    try:
        table.update(
            keys.WebhookEndpoint(endpoint.organization, endpoint.id),
            f"SET {name} = :at",
            condition=f"{EXISTS} AND {same_status} AND ({name} = :null OR {name} < :at)",
            values={":at": at, ":null": None},
        )
    except ConditionFailed as failed:
        return Endpoint.from_item(endpoint.organization, failed.item) if failed.item else None
    return None


def turn(transaction: Transaction, endpoint: Endpoint, *, succeeded: bool, at: int) -> None:
    """Change the status of the endpoint that was read. The transaction raises ConditionFailed when it has changed."""
    seen = {":seenDelivery": endpoint.last_delivery_at, ":seenFailure": endpoint.last_failure_at}
    name, since = ("lastDeliveryAt", None) if succeeded else ("lastFailureAt", at)
    transaction.update(
        keys.WebhookEndpoint(endpoint.organization, endpoint.id),
        f"SET {name} = :at, failingSince = :since",
        condition=f"{EXISTS} AND lastDeliveryAt = :seenDelivery AND lastFailureAt = :seenFailure",
        values={":at": at, ":since": since, **seen},
        on_failure=ConditionFailed,
    )
