"""On a message's item: how far its mail is."""

from enum import StrEnum

from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed, Item


class MailState(StrEnum):
    """How far the mail of a message is."""

    BEGUN = "begun"
    SENT = "sent"
    REFUSED = "refused"


def begin(key: keys.Message) -> Item:
    """Mark a message as being mailed and return it. Raises ConditionFailed where it was marked before, or is gone."""
    return table.update(
        key,
        "SET mail = :begun",
        condition="attribute_exists(PK) AND attribute_not_exists(mail)",
        values={":begun": MailState.BEGUN.value},
        returning="ALL_NEW",
    )


def end(key: keys.Message, state: MailState) -> None:
    """Note what became of a message's mail. Raises ConditionFailed where the message is gone."""
    table.update(key, "SET mail = :state", condition="attribute_exists(PK)", values={":state": state.value})


def forget(key: keys.Message) -> None:
    """Let a message's mail be tried again. Nothing is written where the message is gone."""
    try:
        table.update(key, "REMOVE mail", condition="attribute_exists(PK)")
    except ConditionFailed:
        return
