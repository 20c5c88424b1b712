"""A webhook endpoint as the table holds it."""

from typing import Literal, NamedTuple

from helpdesk.events.kinds import WebhookEvent
from helpdesk.platform.record import Record
from helpdesk.storage import attributes, keys
from helpdesk.storage.attributes import UnreadableItem
from helpdesk.storage.table import Item

_KNOWN = [kind.value for kind in WebhookEvent]  # a list, because an entry of a wrong type may not be hashable


class Endpoint(Record):
    """A webhook endpoint; times are in ms.

    `key_id` is None after its signing key was revoked. `secret_created_at` is None unless it has a secret of its own.
    """

    organization: str
    id: str
    url: str
    events: tuple[WebhookEvent, ...]
    key_id: str | None
    created_at: int
    last_delivery_at: int | None
    last_failure_at: int | None
    failing_since: int | None
    secret_created_at: int | None

    @property
    def status(self) -> Literal["none", "delivered", "failing"]:
        """The delivery status (Specification: Webhook endpoint delivery status)."""
        if self.failing_since is not None:
            return "failing"
        return "none" if self.last_delivery_at is None else "delivered"

    @classmethod
    def from_item(cls, organization: str, item: Item) -> "Endpoint":
        """Read an endpoint's item. Raises UnreadableItem.

        A kind of event that this version does not know, from one that was rolled back, is passed over: the endpoint
        keeps receiving the others, and the item keeps the unknown kind.
        """
        events = item.get("events")
        if not isinstance(events, list):
            raise UnreadableItem("events")
        return cls(
            organization=organization,
            id=attributes.text(item, "id"),
            url=attributes.text(item, "url"),
            events=tuple(WebhookEvent(event) for event in events if event in _KNOWN),
            key_id=attributes.optional_text(item, "keyId"),
            created_at=attributes.number(item, "createdAt"),
            last_delivery_at=attributes.optional_number(item, "lastDeliveryAt"),
            last_failure_at=attributes.optional_number(item, "lastFailureAt"),
            failing_since=attributes.optional_number(item, "failingSince"),
            secret_created_at=attributes.optional_number(item, "secretCreatedAt"),
        )

    def to_item(self) -> Item:
        """Return the endpoint's item."""
        return {
            **keys.WebhookEndpoint(self.organization, self.id).attributes(),
            "id": self.id,
            "url": self.url,
            "events": [event.value for event in self.events],
            "keyId": self.key_id,
            "createdAt": self.created_at,
            "lastDeliveryAt": self.last_delivery_at,
            "lastFailureAt": self.last_failure_at,
            "failingSince": self.failing_since,
            "secretCreatedAt": self.secret_created_at,
        }


class Endpoints(NamedTuple):
    """An organization's endpoints (at most ten) in the order in which they were added.

    `unreadable` are the keys of items that this version cannot read, each with the error. `followers` are the apps that
    follow the organization's conversations.
    """

    readable: list[Endpoint]
    unreadable: list[tuple[Item, UnreadableItem]]
    followers: list[str]
