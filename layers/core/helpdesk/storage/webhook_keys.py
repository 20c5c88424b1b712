"""Keys of webhook endpoints and deliveries. Others import them from `keys`."""

from helpdesk.storage.item_key import ItemKey


class Delivery(ItemKey):
    """The delivery of one event to one endpoint: its attempts, the claim on the present one, its state."""

    PK, SK = "ORG#{organization}#DELIVERY#{endpoint_id}", "{event_id}"
    organization: str
    endpoint_id: str
    event_id: str
