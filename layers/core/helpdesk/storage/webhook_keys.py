"""Keys of webhook endpoints and deliveries. Others import them from `keys`."""

from helpdesk.storage.item_key import ItemKey


class WebhookEndpoint(ItemKey):
    """A webhook endpoint: address, events, signing key, delivery status."""

    PK, SK = "ORG#{organization}#WEBHOOK", "ENDPOINT#{endpoint_id}"
    organization: str
    endpoint_id: str


class EventFollower(ItemKey):
    """That an app follows the organization's conversations. The fan-out reads it with the endpoints."""

    PK, SK = "ORG#{organization}#WEBHOOK", "FOLLOWER#{app}"
    organization: str
    app: str


class WebhookEndpointCount(ItemKey):
    """How many webhook endpoints there are, so that the limit is a condition and not a count."""

    PK, SK = "ORG#{organization}#WEBHOOK", "COUNT"
    organization: str


class Delivery(ItemKey):
    """The delivery of one event to one endpoint: its attempts, the claim on the present one, its state."""

    PK, SK = "ORG#{organization}#DELIVERY#{endpoint_id}", "{event_id}"
    organization: str
    endpoint_id: str
    event_id: str
