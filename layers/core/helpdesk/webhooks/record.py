"""A webhook endpoint as the table holds it."""

from typing import Literal

from helpdesk.events.kinds import WebhookEvent
from helpdesk.platform.frozen_record import FrozenRecord
from helpdesk.storage import keys
from helpdesk.storage.table import Item


class Endpoint(FrozenRecord):
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
        """Read an endpoint's item."""
        return cls(
            organization=organization,
            id=item["id"],
            url=item["url"],
            events=tuple(WebhookEvent(event) for event in item["events"]),
            key_id=item["keyId"],
            created_at=item["createdAt"],
            last_delivery_at=item["lastDeliveryAt"],
            last_failure_at=item["lastFailureAt"],
            failing_since=item["failingSince"],
            secret_created_at=item["secretCreatedAt"],
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
