"""What a message's item says of its mail."""

from enum import StrEnum

from helpdesk.storage.table import Item


class MailState(StrEnum):
    """How far the mail of a message is."""

    BEGUN = "begun"
    SENT = "sent"
    REFUSED = "refused"


def mail_state_from_item(item: Item) -> MailState | None:
    """Return how far the mail of a message is; None for a message that is not mailed."""
    state = item.get("mail")
    return None if state is None else MailState(state)
