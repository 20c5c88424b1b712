"""Items of webhook endpoints."""

from helpdesk.accounts.secret_keys import endpoint_secrets
from helpdesk.accounts.secret_keys.endpoint_secrets import EndpointItems, Signer
from helpdesk.accounts.secret_keys.record import EndpointSecret
from helpdesk.events.followers import LIVE, EventFollower
from helpdesk.storage import table
from helpdesk.storage.changes import below, other_than
from helpdesk.storage.stored import UnreadableItem
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction
from helpdesk.webhooks.errors import MAX_WEBHOOK_ENDPOINTS, EndpointNotFound, TooManyEndpoints
from helpdesk.webhooks.record import (
    Endpoints,
    StandardSecret,
    WebhookEndpoint,
    WebhookEndpointCount,
)


def listeners(organization: str) -> Endpoints:
    """Return an organization's endpoints, those that cannot be read, and what follows conversations. One call."""
    found = Endpoints([], [], [])
    live = False
    for item in table.query_all(WebhookEndpoint.partition_for(organization)):
        place = table.key_of(item)
        if EventFollower.parse(*place) is not None:
            follower = EventFollower.from_item(item)
            if follower.app == LIVE:
                live = not follower.has_ended
            elif follower.follows:
                found.followers.append(follower)
        elif (endpoint := WebhookEndpoint.parse(*place)) is not None:
            try:
                found.readable.append(WebhookEndpoint.from_item(item))
            except UnreadableItem as error:
                found.unreadable.append((endpoint["id"], error))
    return found._replace(live=live)


def listening(organization: str) -> list[WebhookEndpoint]:
    """Return an organization's endpoints that this version can read (at most ten), in the order of their creation."""
    return listeners(organization).readable


def replace_secrets(transaction: Transaction, organization: str, key_id: str) -> None:
    """Give each endpoint of a key a random secret, in the transaction that revokes the key.

    Its deliveries continue and no longer verify (Specification: Events, Which key signs). The transaction raises
    ConditionFailed if endpoints were added or removed meanwhile. The caller then tries all of it again.
    """
    found = table.query_all(
        WebhookEndpoint.partition_for(organization), sk_prefix=WebhookEndpoint.sk_prefix()
    )
    # Also of endpoints that cannot be read: revoking a key must not miss one.
    signers = [
        Signer.from_item(parts["id"], item)
        for item in found
        if (parts := WebhookEndpoint.parse(*table.key_of(item))) is not None
    ]
    of = EndpointItems(
        organization,
        WebhookEndpointCount.key_for(organization),
        WebhookEndpoint.key_for,
        purpose="webhooks",
    )
    endpoint_secrets.replace(transaction, of, signers, key_id)


def put(transaction: Transaction, endpoint: WebhookEndpoint) -> None:
    """Add an endpoint and count it. The transaction raises TooManyEndpoints if the limit is reached."""
    transaction.change(
        WebhookEndpointCount.key_for(endpoint.organization),
        add={"endpoints": 1},
        require={"endpoints": below(MAX_WEBHOOK_ENDPOINTS)},
        or_new=True,
        on_failure=TooManyEndpoints(),
    )
    transaction.put(endpoint, new=True)


def url_of(organization: str, endpoint_id: str) -> str:
    """Return an endpoint's URL, empty if its item has none. Raises EndpointNotFound."""
    item = table.get(WebhookEndpoint.key_for(organization, endpoint_id))
    if item is None:
        raise EndpointNotFound
    url = item.get("url")
    return url if isinstance(url, str) else ""


def delete(transaction: Transaction, organization: str, endpoint_id: str) -> None:
    """Remove an endpoint with its secrets, and decrease the count. The transaction raises EndpointNotFound."""
    transaction.delete(
        WebhookEndpoint.key_for(organization, endpoint_id), require={}, on_failure=EndpointNotFound()
    )
    transaction.delete(EndpointSecret.key_for(organization, endpoint_id))
    transaction.delete(StandardSecret.key_for(organization, endpoint_id))
    transaction.change(WebhookEndpointCount.key_for(organization), add={"endpoints": -1}, or_new=True)


def put_standard_secret(
    transaction: Transaction, organization: str, endpoint_id: str, secret: str, former_until: int
) -> None:
    """Give an endpoint a secret of its own. The former one stays valid until `former_until` (ms).

    The update moves the secrets without reading them, because this function's role may not read secrets. Two former
    ones are kept, so that a lost response and its repeated request do not end the secret that a receiver has.
    """
    transaction.update(
        StandardSecret.key_for(organization, endpoint_id),
        "SET older = if_not_exists(former, :null), olderUntil = if_not_exists(formerUntil, :never), "
        "former = if_not_exists(present, :null), formerUntil = :until, present = :secret",
        values={":secret": secret, ":until": former_until, ":null": None, ":never": 0},
    )


def record_result(endpoint: WebhookEndpoint, *, succeeded: bool, at: int) -> WebhookEndpoint | None:
    """Record when an attempt succeeded or failed, if that does not change the status.

    Returns None. If it would change the status, or a later result is stored, returns the endpoint as it is now.
    """
    latest = "last_delivery_at" if succeeded else "last_failure_at"
    try:
        table.change(
            endpoint.key,
            set={latest: at},
            require={"failing_since": None if succeeded else other_than(None), latest: below(at)},
        )
    except ConditionFailed as failed:
        return WebhookEndpoint.from_item(failed.item) if failed.item else None
    return None


def change_status(transaction: Transaction, endpoint: WebhookEndpoint, *, succeeded: bool, at: int) -> None:
    """Change the status of the endpoint that was read. The transaction raises ConditionFailed when it has changed."""
    latest, since = ("last_delivery_at", None) if succeeded else ("last_failure_at", at)
    transaction.change(
        endpoint.key,
        set={latest: at, "failing_since": since},
        require={
            "last_delivery_at": endpoint.last_delivery_at,
            "last_failure_at": endpoint.last_failure_at,
        },
        on_failure=ConditionFailed,
    )
