"""The rules of webhook endpoints (Specification: Webhooks; States, Webhook endpoint delivery status)."""

from typing import Any

from helpdesk.accounts.secret_keys import service as secret_keys
from helpdesk.api.admission import waits
from helpdesk.api.admission.caller import Caller
from helpdesk.api.http import pages
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.events import feed
from helpdesk.events.kinds import OwnEvent, WebhookEvent
from helpdesk.events.outbox import Event
from helpdesk.outbound import addresses
from helpdesk.outbound.signing import standard_secret
from helpdesk.platform import clock, ids
from helpdesk.platform.settings import settings
from helpdesk.platform.units import HOUR_MS
from helpdesk.storage import cursor
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction
from helpdesk.webhooks import repository
from helpdesk.webhooks.errors import EndpointNotFound, NoEvents
from helpdesk.webhooks.record import StandardSecret, WebhookEndpoint
from helpdesk.webhooks.repository import listeners, listening, replace_secrets
from helpdesk.webhooks.schemas import (
    EventsAnswer,
    EventsQuery,
    FeedEvent,
    NewWebhook,
    UnreadableWebhook,
    Webhook,
    WebhooksAnswer,
    WebhookUpdate,
)

__all__ = ["listeners", "listening", "replace_secrets"]  # and everything below

FORMER_SECRET_HOURS = 24
TEST_MESSAGE = "This is a test. Your endpoint receives what Helpdesk sends."
TEST_CONVERSATION = "conv_00000000000000000000000000"
TEST_MESSAGE_ID = "msg_00000000000000000000000000"
"""No conversation and no message has these IDs: a ULID of zeros is from 1970."""

_FILTERED = 200  # events looked at for one page where only some kinds are wanted


def create(caller: Caller, new: NewWebhook) -> str:
    """Add an endpoint and return its id.

    The calling key signs its deliveries, or the newest key if a person calls (Specification: Which key
    signs). Raises NoEvents, InvalidUrl, MissingServiceKey, TooManyEndpoints.
    """
    events = _distinct(new.events)
    _require_public(caller, new.url)
    endpoint_id = ids.new("wh")

    def attempt() -> str:
        transaction = Transaction()
        key_id = secret_keys.add_signing_key(transaction, caller)
        repository.put(
            transaction,
            WebhookEndpoint(
                organization=caller.organization,
                id=endpoint_id,
                url=new.url,
                events=events,
                key_id=key_id,
                created_at=clock.now_ms(),
            ),
        )
        _log(transaction, caller, LogKind.WEBHOOK_CREATED, endpoint_id, "was added.", new.url)
        transaction.commit()
        return endpoint_id

    return repeat_when_stale(attempt, secret_keys.NewestKeyRevoked)


def listed(organization: str) -> WebhooksAnswer:
    """Return the organization's endpoints with the state of their deliveries, and those that cannot be read."""
    found = listeners(organization)
    return WebhooksAnswer(
        webhooks=[Webhook.from_record(endpoint) for endpoint in found.readable],
        unreadable=[UnreadableWebhook(id=endpoint_id) for endpoint_id, _ in found.unreadable],
    )


def update(caller: Caller, endpoint_id: str, change: WebhookUpdate) -> None:
    """Change an endpoint's address or events.

    A new address applies to retries already queued; a new list replaces the old one for events to come, and
    deliveries already created keep their body. Raises EndpointNotFound, NoEvents, InvalidUrl.
    """
    events = None if change.events is None else _distinct(change.events)
    if change.url is not None:
        _require_public(caller, change.url)
    changed = {name: value for name, value in (("url", change.url), ("events", events)) if value is not None}
    if not changed:
        require(caller.organization, endpoint_id)
        return
    transaction = Transaction()
    transaction.change(
        WebhookEndpoint.key_for(caller.organization, endpoint_id), set=changed, on_failure=EndpointNotFound()
    )
    _log(transaction, caller, LogKind.WEBHOOK_CHANGED, endpoint_id, "was changed.", change.url)
    transaction.commit()


def remove(caller: Caller, endpoint_id: str) -> None:
    """Remove an endpoint. Its queued retries are cancelled. Raises EndpointNotFound."""
    transaction = Transaction()
    repository.delete(transaction, caller.organization, endpoint_id)
    _log(transaction, caller, LogKind.WEBHOOK_REMOVED, endpoint_id, "was removed.")
    transaction.commit()


def require(organization: str, endpoint_id: str) -> None:
    """Raise EndpointNotFound unless the organization has this endpoint."""
    repository.url_of(organization, endpoint_id)


def send_test(caller: Caller, endpoint_id: str) -> str:
    """Send a test event to one endpoint, whatever it listens to, and return the event's id.

    It is delivered like every event: through the outbox, with signatures, retries and history. Raises EndpointNotFound.
    """
    now = clock.now_ms()
    event = Event.new(
        caller.organization,
        OwnEvent.WEBHOOK_TEST,
        _test_data(endpoint_id, now),
        now,
        only_to=endpoint_id,
    )
    transaction = Transaction()
    transaction.require(
        WebhookEndpoint.key_for(caller.organization, endpoint_id), {}, on_failure=EndpointNotFound()
    )
    event.add_to(transaction)
    transaction.commit()
    return event.id


def _test_data(endpoint_id: str, now: int) -> dict[str, Any]:
    """Return data of the shape that message.created has, about a conversation that does not exist."""
    return {
        "endpointId": endpoint_id,
        "test": True,
        "conversation": {"id": TEST_CONVERSATION, "status": "open", "awaitingHuman": False},
        "message": {
            "id": TEST_MESSAGE_ID,
            "conversationId": TEST_CONVERSATION,
            "createdAt": now,
            "sender": "visitor",
            "agent": None,
            "body": TEST_MESSAGE,
            "attachments": [],
        },
    }


def make_secret(caller: Caller, endpoint_id: str) -> str:
    """Create an endpoint's own secret, which signs deliveries in addition to the key's, and return it.

    The former secret also signs for another 24 hours. Raises EndpointNotFound.
    """
    secret, now = standard_secret(), clock.now_ms()
    transaction = Transaction()
    transaction.change(
        WebhookEndpoint.key_for(caller.organization, endpoint_id),
        set={"secret_created_at": now},
        on_failure=EndpointNotFound(),
    )
    repository.put_standard_secret(
        transaction, caller.organization, endpoint_id, secret, now + FORMER_SECRET_HOURS * HOUR_MS
    )
    _log(transaction, caller, LogKind.WEBHOOK_CHANGED, endpoint_id, "got a new secret.")
    transaction.commit()
    return secret


def remove_secret(caller: Caller, endpoint_id: str) -> None:
    """Stop signing in the Standard Webhooks form. The key's signature stays. Raises EndpointNotFound."""
    transaction = Transaction()
    transaction.change(
        WebhookEndpoint.key_for(caller.organization, endpoint_id),
        set={"secret_created_at": None},
        on_failure=EndpointNotFound(),
    )
    transaction.delete(StandardSecret.key_for(caller.organization, endpoint_id))
    _log(transaction, caller, LogKind.WEBHOOK_CHANGED, endpoint_id, "lost its own secret.")
    transaction.commit()


def events_after(caller: Caller, query: EventsQuery) -> EventsAnswer:
    """Return a page of the organization's events, oldest first, and the cursor after it. Raises InvalidCursor.

    One query in every case: with `types` it reads up to 200 events, of which few or none may match.
    """
    name = f"events {query.types}"
    place = pages.position(caller, query, name)
    if place is None and query.start is not None:
        place = feed.place_at(query.start)
    kinds = query.types.split(",") if query.types else None
    found, behind, more = feed.after(caller.organization, place, query.limit if kinds is None else _FILTERED)
    if kinds is not None:
        fitting = [event for event in found if event.type in kinds]
        if len(fitting) > query.limit:
            fitting = fitting[: query.limit]
            behind, more = fitting[-1].id, True
        found = fitting
    return EventsAnswer(
        events=[FeedEvent.model_validate_json(event.body) for event in found],
        next_cursor=cursor.encode(behind, query=name, key=caller.cursor_key),
        has_more=more,
    )


def record_result(endpoint: WebhookEndpoint, *, succeeded: bool, at: int) -> None:
    """Update an endpoint's status with the result of an attempt that ended at `at` (ms).

    The status follows the latest result, in whatever order results arrive. When the status changes, the same
    transaction writes one entry to the log.
    """
    seen: WebhookEndpoint | None = endpoint
    while seen is not None:
        own, other = seen.last_delivery_at, seen.last_failure_at
        if not succeeded:
            own, other = other, own
        if (own or 0) >= at or (other or 0) > at:
            return
        failing = seen.failing_since is not None
        if failing == succeeded:
            seen = _change_status(seen, succeeded=succeeded, at=at)
        else:
            seen = repository.record_result(seen, succeeded=succeeded, at=at)


def _change_status(endpoint: WebhookEndpoint, *, succeeded: bool, at: int) -> WebhookEndpoint | None:
    """Change the status and log it; return the endpoint as it is now if another worker was faster."""
    kind, happened = (
        (LogKind.WEBHOOK_ANSWERING_AGAIN, "answers again.")
        if succeeded
        else (LogKind.WEBHOOK_STOPPED_ANSWERING, "stopped answering.")
    )
    transaction = Transaction()
    repository.change_status(transaction, endpoint, succeeded=succeeded, at=at)
    transaction.put(_entry(endpoint.organization, kind, logs.SYSTEM, endpoint.id, happened, endpoint.url))
    try:
        transaction.commit()
    except ConditionFailed as failed:
        return WebhookEndpoint.from_item(failed.item) if failed.item else None
    return None


def _require_public(caller: Caller, url: str) -> None:
    """Require a URL on the public internet. Raises InvalidUrl, and RateLimited while too many names are looked up."""
    addresses.require_public(
        url,
        allow_loopback=settings().allow_loopback_urls,
        waiting=waits.on_others(caller.organization, caller.tier, addresses.RESOLVE_SECONDS),
    )


def _distinct(events: list[WebhookEvent]) -> tuple[WebhookEvent, ...]:
    if not events:
        raise NoEvents
    return tuple(event for event in WebhookEvent if event in events)


def _log(
    transaction: Transaction,
    caller: Caller,
    kind: LogKind,
    endpoint_id: str,
    happened: str,
    url: str | None = None,
) -> None:
    """Add a log entry; `happened` is a sentence without its subject. Without a URL, the endpoint is read for it."""
    if url is None:
        url = repository.url_of(caller.organization, endpoint_id)
    transaction.put(_entry(caller.organization, kind, caller.actor, endpoint_id, happened, url))


def _entry(organization: str, kind: LogKind, actor: str, endpoint_id: str, happened: str, url: str) -> Item:
    shown = addresses.without_secrets(url)
    summary = f"The webhook endpoint {shown} {happened}"
    return logs.entry(organization, kind, actor=actor, summary=summary, endpointId=endpoint_id, url=shown)
