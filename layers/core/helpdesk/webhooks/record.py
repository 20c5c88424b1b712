"""Webhook endpoints as the table holds them."""

from typing import Literal, NamedTuple, Self

from helpdesk.events.followers import EventFollower
from helpdesk.events.kinds import WebhookEvent
from helpdesk.events.outbox import Event
from helpdesk.storage.stored import Stored, UnreadableItem
from helpdesk.storage.table import Item

_KNOWN = [kind.value for kind in WebhookEvent]  # a list, because an entry of a wrong type may not be hashable


class WebhookEndpoint(Stored, kw_only=True):
    """A webhook endpoint; times are in ms.

    `key_id` is None after its signing key was revoked. `secret_created_at` is None unless it has a secret of its own.
    """

    PK, SK = "ORG#{organization}#WEBHOOK", "ENDPOINT#{id}"
    organization: str
    id: str
    url: str
    events: tuple[WebhookEvent, ...]
    key_id: str | None = None
    created_at: int
    last_delivery_at: int | None = None
    last_failure_at: int | None = None
    failing_since: int | None = None
    secret_created_at: int | None = None

    @property
    def status(self) -> Literal["none", "delivered", "failing"]:
        """The delivery status (Specification: Webhook endpoint delivery status)."""
        if self.failing_since is not None:
            return "failing"
        return "none" if self.last_delivery_at is None else "delivered"

    def receives(self, event: Event) -> bool:
        """Whether an event goes to it: it listens to its kinds of event from its creation on.

        An event for one endpoint alone goes there whatever it listens to. It existed when the event was requested,
        whatever the clocks of two functions say.
        """
        if event.only_to is not None:
            return event.only_to == self.id
        return event.type in self.events and self.created_at <= event.created_at

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read an endpoint's item. Raises UnreadableItem.

        Skips kinds of events that this version does not know, from one that was rolled back. The endpoint keeps
        receiving the others, and the item keeps the unknown kind.
        """
        events = item.get("events")
        if isinstance(events, list):
            item = {**item, "events": [event for event in events if event in _KNOWN]}
        return super().from_item(item)


class WebhookEndpointCount(Stored, kw_only=True):
    """The number of webhook endpoints, so that the limit is a condition and not a count."""

    PK, SK = "ORG#{organization}#WEBHOOK", "COUNT"
    organization: str
    endpoints: int


class StandardSecret(Stored, kw_only=True):
    """An endpoint's own secrets for signatures in the Standard Webhooks form.

    The two former ones are valid until an instant (ms).
    """

    PK, SK = "ORG#{organization}#SECRET", "STANDARD#{endpoint_id}"
    organization: str
    endpoint_id: str
    present: str
    former: str | None = None
    former_until: int = 0
    older: str | None = None
    older_until: int = 0

    def valid(self, now: int) -> list[str]:
        """Return the secrets that sign at `now` (ms), the newest first."""
        former = ((self.former, self.former_until), (self.older, self.older_until))
        return [self.present, *(secret for secret, until in former if secret and until > now)]


class Endpoints(NamedTuple):
    """An organization's endpoints (at most ten) in the order in which they were added.

    `unreadable` are the IDs of endpoints that this version cannot read, each with the error. `followers` are those that
    follow the organization's conversations. `live` says whether live connections may be open.
    """

    readable: list[WebhookEndpoint]
    unreadable: list[tuple[str, UnreadableItem]]
    followers: list[EventFollower]
    live: bool = False
