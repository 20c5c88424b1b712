"""The rules of saved replies."""

import re
from copy import replace

from helpdesk.api.admission.caller import Caller
from helpdesk.api.http.pages import fitting, next_cursor, position
from helpdesk.api.http.schemas import PageQuery
from helpdesk.conversations.errors import MAX_BODY_CHARACTERS
from helpdesk.conversations.replies.errors import (
    MAX_REPLIES,
    MAX_TITLE_CHARACTERS,
    PLACEHOLDERS,
    ReplyNotFound,
    TooManyReplies,
    UnknownPlaceholder,
)
from helpdesk.conversations.replies.record import SavedReply, SavedReplyCount
from helpdesk.conversations.replies.schemas import (
    SavedRepliesAnswer,
    SavedReplyInput,
    SavedReplyShape,
    SavedReplyUpdate,
)
from helpdesk.platform import clock, ids
from helpdesk.platform.errors import InvalidRequest, one_to
from helpdesk.platform.text import as_name, is_blank, trimmed
from helpdesk.storage.changes import below
from helpdesk.storage.collection import Collection
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

_PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")
_LIST = "replies"

_replies = Collection(SavedReply, missing=ReplyNotFound)


def newest(caller: Caller, page: PageQuery) -> SavedRepliesAnswer:
    """Return a page of saved replies, the newest first. Raises InvalidCursor. One query."""
    before = position(caller, page, _LIST)
    found, end = _replies.newest(caller.organization, limit=page.limit, before=before)
    shapes = [SavedReplyShape.from_record(each) for each in found]
    room = fitting(shapes)
    if room < len(shapes):
        shapes, end = shapes[:room], shapes[room - 1].id
    return SavedRepliesAnswer(replies=shapes, next_cursor=next_cursor(caller, end, _LIST))


def create(caller: Caller, written: SavedReplyInput) -> SavedReplyShape:
    """Save a text. Raises InvalidRequest, UnknownPlaceholder, TooManyReplies."""
    now = clock.now_ms()
    reply = SavedReply(
        organization=caller.organization,
        id=ids.new("reply"),
        title=_title(written.title),
        body=_body(written.body),
        created_by_name=caller.actor,
        created_at=now,
        updated_at=now,
    )
    transaction = Transaction()
    transaction.change(
        SavedReplyCount.key_for(caller.organization),
        add={"replies": 1},
        require={"replies": below(MAX_REPLIES)},
        or_new=True,
        on_failure=TooManyReplies(),
    )
    transaction.put(reply, new=True)
    transaction.commit()
    return SavedReplyShape.from_record(reply)


def update(caller: Caller, reply_id: str, wanted: SavedReplyUpdate) -> SavedReplyShape:
    """Change a saved reply. Raises InvalidRequest, UnknownPlaceholder, ReplyNotFound."""
    title = None if wanted.title is None else _title(wanted.title)
    body = None if wanted.body is None else _body(wanted.body)

    def attempt() -> SavedReplyShape:
        seen = _replies.get(caller.organization, reply_id)
        changed = replace(seen, title=title or seen.title, body=body or seen.body)
        if changed != seen:
            transaction = Transaction()
            changed = replace(changed, updated_at=clock.now_ms())
            transaction.save(seen, changed, on_failure=ConditionFailed)
            transaction.commit()
        return SavedReplyShape.from_record(changed)

    return repeat_when_stale(attempt, ConditionFailed)


def remove(caller: Caller, reply_id: str) -> None:
    """Delete a saved reply. Raises ReplyNotFound."""
    key = SavedReply.key_for(caller.organization, reply_id)
    transaction = Transaction()
    transaction.delete(key, require={}, on_failure=ReplyNotFound())
    transaction.change(SavedReplyCount.key_for(caller.organization), add={"replies": -1})
    transaction.commit()


def _title(text: str) -> str:
    title = as_name(text)
    if not title or len(trimmed(text)) > MAX_TITLE_CHARACTERS:
        raise InvalidRequest(one_to("title", MAX_TITLE_CHARACTERS))
    return title


def _body(text: str) -> str:
    """Return a text with its placeholders as clients look for them, without spaces in the braces."""
    body = trimmed(text)
    if is_blank(body) or len(body) > MAX_BODY_CHARACTERS:
        raise InvalidRequest(one_to("body", MAX_BODY_CHARACTERS))

    def known(found: re.Match[str]) -> str:
        name = found[1].strip()
        if name not in PLACEHOLDERS:
            raise UnknownPlaceholder
        return f"{{{{{name}}}}}"

    return _PLACEHOLDER.sub(known, body)
