"""The attribute of a message's item that says how far its mail is."""

import secrets
from typing import NamedTuple

from helpdesk.conversations.message_record import Message
from helpdesk.conversations.record import Conversation
from helpdesk.outreach.record import MailedMessage, MailState
from helpdesk.storage import table
from helpdesk.storage.stored import Key
from helpdesk.storage.table import ConditionFailed

_READ_FOR_MAIL = 40


class AlreadyMarked(Exception):
    """The message's mail was begun before; `state` is how far it came, None if the message was erased."""

    def __init__(self, state: MailState | None) -> None:
        super().__init__(state)
        self.state = state


class Mailable(NamedTuple):
    """A message of a conversation, and how far its mail is."""

    message: Message
    mail: MailState | None


def newest(conversation: Conversation) -> list[Mailable]:
    """Return a conversation's newest messages, oldest first: those to mail, to quote and to refer to. One query."""
    page = table.newest(conversation.key.pk, _READ_FOR_MAIL, sk_prefix=Message.sk_prefix(), consistent=True)
    found = [Mailable(Message.from_item(item), MailedMessage.from_item(item).mail) for item in page.items]
    return found[::-1]


def begin(key: Key) -> Message:
    """Mark a message as being mailed and return it. Raises AlreadyMarked.

    If the response to the write is lost, the client repeats it and meets its own mark, which it knows by its token.
    """
    token = secrets.token_hex(8)
    try:
        begun = {"mail": MailState.BEGUN, "mail_token": token}
        item = table.change(key, set=begun, require={"mail": None}, returning="ALL_NEW")
    except ConditionFailed as failed:
        if failed.item is None:
            raise AlreadyMarked(None) from None
        found = MailedMessage.from_item(failed.item)
        if found.mail_token != token:
            raise AlreadyMarked(found.mail) from None
        item = failed.item
    return Message.from_item(item)


def end(key: Key, state: MailState) -> None:
    """Write the result of a message's mail. Raises ConditionFailed if the message is gone, or the mail has bounced."""
    table.change(key, set={"mail": state, "mail_token": None}, require={"mail": MailState.BEGUN})


def forget(key: Key) -> None:
    """Let a message's mail be tried again. Nothing is written if the message is gone."""
    try:
        table.change(key, set={"mail": None, "mail_token": None})
    except ConditionFailed:
        return
