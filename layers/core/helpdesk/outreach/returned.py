"""Marks a message whose mail came back: it bounced, or its recipient marked it as spam."""

from helpdesk.conversations.message_record import MailState
from helpdesk.mail.sender import MailTags
from helpdesk.outreach.record import MailedMessage
from helpdesk.storage import changes
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction


class NotMailed(Exception):
    """The message has the mark already; `state` is how far its mail is, None if the message was erased."""

    def __init__(self, item: Item | None) -> None:
        super().__init__()
        self.state = None if item is None else MailedMessage.from_item(item).mail


def mark(transaction: Transaction, tags: MailTags, state: MailState) -> None:
    """Add the mark to a transaction, which raises NotMailed if the message has it, or is gone."""
    transaction.change(
        MailedMessage.key_for(tags.organization, tags.conversation, tags.message),
        set={"mail": state},
        require={"mail": changes.other_than(state)},
        on_failure=NotMailed,
    )
