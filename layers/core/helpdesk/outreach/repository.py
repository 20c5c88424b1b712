"""The attribute of a message's item that says how far its mail is."""

import secrets
from contextlib import suppress

from helpdesk.conversations.message_record import MailState, Message
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.state import Status
from helpdesk.outreach.record import MailedMessage
from helpdesk.storage import table
from helpdesk.storage.stored import Key
from helpdesk.storage.table import ConditionFailed


class AlreadyMarked(Exception):
    """The message's mail was begun before; `state` is how far it came, None if the message was erased."""

    def __init__(self, state: MailState | None) -> None:
        super().__init__(state)
        self.state = state


def begin(key: Key, *, twice: bool) -> Message:
    """Mark a message as being mailed and return it. Raises AlreadyMarked.

    With `twice`, a mail whose result nobody knows is begun once more.
    """
    try:
        return _mark(key, MailState.BEGUN, None)
    except AlreadyMarked as marked:
        if not twice or marked.state is not MailState.BEGUN:
            raise
    return _mark(key, MailState.BEGUN_AGAIN, MailState.BEGUN)


def _mark(key: Key, state: MailState, before: MailState | None) -> Message:
    """Mark a message that has the mark `before`. Raises AlreadyMarked.

    If the response to the write is lost, the client repeats it and meets its own mark, which it knows by its token.
    """
    token = secrets.token_hex(8)
    try:
        marked = {"mail": state, "mail_token": token}
        item = table.change(key, set=marked, require={"mail": before}, returning="ALL_NEW")
    except ConditionFailed as failed:
        if failed.item is None:
            raise AlreadyMarked(None) from None
        found = MailedMessage.from_item(failed.item)
        if found.mail_token != token:
            raise AlreadyMarked(found.mail) from None
        item = failed.item
    return Message.from_item(item)


def end(message: Message, state: MailState) -> None:
    """Write the result of a message's mail. Raises ConditionFailed if the message is gone, or the mail has bounced."""
    table.change(_key(message), set={"mail": state, "mail_token": None}, require={"mail": message.mail})


def begin_rating(conversation: Conversation, resolution: int) -> None:
    """Mark a resolution as asked for a rating. Raises ConditionFailed if it is, or the conversation has changed."""
    require = {
        "rating_asked": conversation.rating_asked,
        "resolutions": resolution,
        "status": Status.RESOLVED,
        "erasing": None,
    }
    table.change(conversation.key, set={"rating_asked": resolution}, require=require)


def forget_rating(conversation: Conversation, resolution: int) -> None:
    """Let a resolution be asked for a rating again."""
    before = {"rating_asked": conversation.rating_asked}
    with suppress(ConditionFailed):
        table.change(conversation.key, set=before, require={"rating_asked": resolution})


def forget(message: Message) -> None:
    """Let a message's mail be tried again. Nothing is written if the message is gone.

    A mail that may have been sent before can be tried once more, not twice.
    """
    before = MailState.BEGUN if message.mail is MailState.BEGUN_AGAIN else None
    with suppress(ConditionFailed):
        table.change(_key(message), set={"mail": before, "mail_token": None})


def _key(message: Message) -> Key:
    return MailedMessage.key_for(message.organization, message.conversation_id, message.id)
