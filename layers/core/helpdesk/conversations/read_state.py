"""What a teammate has read: each has one mark for each conversation, and it only moves forward."""

import re
from collections.abc import Sequence
from contextlib import suppress

from helpdesk.api.admission.caller import Caller
from helpdesk.conversations.read_record import KEPT_SECONDS, UNREAD_MS, ReadMark
from helpdesk.conversations.record import Conversation
from helpdesk.conversations.repository import conversations
from helpdesk.platform import clock, ids
from helpdesk.platform.errors import InvalidRequest
from helpdesk.storage import table
from helpdesk.storage.changes import below
from helpdesk.storage.collection import Collection
from helpdesk.storage.table import ConditionFailed

_ID = re.compile(r"msg_[0-9a-hjkmnp-tv-z]{26}")
_marks = Collection(ReadMark)


def mark(caller: Caller, conversation_id: str, message_id: str) -> None:
    """Note that a person has read a conversation up to a message, unless they have read further.

    Raises InvalidRequest, ConversationNotFound.
    """
    if _ID.fullmatch(message_id) is None:
        raise InvalidRequest(
            "`messageId` must be the ID of a message, as GET /v1/conversations/{id} returns it."
        )
    conversation = conversations.get(caller.organization, conversation_id)
    # An ID from the future would hide the messages until then.
    read = min(message_id, conversation.newest_message_id or message_id)
    with suppress(ConditionFailed):
        table.change(
            ReadMark.key_for(caller.organization, caller.the_person().id, conversation.id),
            set={"message_id": read, "expires_at": clock.seconds_from_now(KEPT_SECONDS)},
            require={"message_id": below(read)},
            or_new=True,
        )


def unread(caller: Caller, listed: Sequence[Conversation]) -> frozenset[str]:
    """Return the IDs of those conversations in which the visitor has written since the person last read.

    A key has read everything. One batch read for each hundred conversations with a visitor's message of the last 90
    days: half a read unit for each of them.
    """
    if caller.person is None:
        return frozenset()
    since = clock.now_ms() - UNREAD_MS
    written = {
        each.id: each.newest_visitor_message_id
        for each in listed
        if each.newest_visitor_message_id is not None and ids.made_at(each.newest_visitor_message_id) > since
    }
    marks = _marks.by_ids(caller.organization, caller.person.id, ids=written, consistent=len(listed) == 1)
    return frozenset(
        conversation_id
        for conversation_id, newest in written.items()
        if conversation_id not in marks or marks[conversation_id].message_id < newest
    )
