"""The attribute of a message's item that says how far its mail is."""

import secrets

from helpdesk.conversations.message_record import Message
from helpdesk.outreach.record import MailState
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed


class AlreadyMarked(Exception):
    """The message's mail was begun before; `state` is how far it came, None if the message was erased."""

    def __init__(self, state: MailState | None) -> None:
        super().__init__(state)
        self.state = state


def begin(key: keys.Message) -> Message:
    """Mark a message as being mailed and return it. Raises AlreadyMarked.

    If the response to the write is lost, the client repeats it and meets its own mark, which it knows by its token.
    """
    token = secrets.token_hex(8)
    try:
        item = table.update(
            key,
            "SET mail = :begun, mailToken = :token",
            condition="attribute_exists(PK) AND attribute_not_exists(mail)",
            values={":begun": MailState.BEGUN.value, ":token": token},
            returning="ALL_NEW",
        )
    except ConditionFailed as failed:
        if failed.item is None:
            raise AlreadyMarked(None) from None
        if failed.item.get("mailToken") != token:
            raise AlreadyMarked(MailState(failed.item["mail"])) from None
        item = failed.item
    return Message.from_item(item)


def end(key: keys.Message, state: MailState) -> None:
    """Write the result of a message's mail. Raises ConditionFailed if the message is gone."""
    table.update(
        key,
        "SET mail = :state REMOVE mailToken",
        condition="attribute_exists(PK)",
        values={":state": state.value},
    )


def forget(key: keys.Message) -> None:
    """Let a message's mail be tried again. Nothing is written if the message is gone."""
    try:
        table.update(key, "REMOVE mail, mailToken", condition="attribute_exists(PK)")
    except ConditionFailed:
        return
