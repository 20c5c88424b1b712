"""Who views a conversation and who types in it, from one teammate's connection to the others'.

A visitor learns that a teammate types, and not who.
"""

from collections.abc import Iterable

import msgspec

from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.live import connections, posting, repository
from helpdesk.live.posting import Post
from helpdesk.live.record import LiveConnection
from helpdesk.platform import clock, ids
from helpdesk.platform.record import Record
from helpdesk.platform.units import MINUTE_MS
from helpdesk.storage.table import ConditionFailed

MOST_FRAMES_A_MINUTE = 120
"""The frames that a connection may send: what sends more, and pays for no request, is ended."""
_REMEMBERED = 10_000
_PONG = {"type": "pong"}


class _Sent(Record):
    """A frame of a client. Every field may be missing, and what is unknown is ignored."""

    type: str = ""
    conversation_id: str | None = None


_sent: dict[str, int] = {}
_minute = 0


def receive(connection: LiveConnection, text: str) -> None:
    """Handle a frame that a client sent: `ping`, `viewing` or `typing`. Others are ignored."""
    if _sends_too_much(connection.connection_id):
        posting.end(connection)
        return
    try:
        frame = msgspec.json.decode(text, type=_Sent)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return
    conversation_id = frame.conversation_id
    if conversation_id is not None and not ids.is_id("conv", conversation_id):
        return
    if frame.type == "ping":
        posting.post([(connection, _PONG)])
    elif connection.of_member and frame.type == "viewing":
        _view(connection, conversation_id)
    elif connection.of_member and frame.type == "typing" and conversation_id is not None:
        posting.post([*_typing(connection, conversation_id)])


def leave(connection: LiveConnection) -> None:
    """Forget a connection that is over, and let the others know that its person views nothing any more."""
    connections.forget(connection)
    if connection.viewing is not None:
        _tell_viewers(connection.organization, {connection.viewing})


def _view(connection: LiveConnection, conversation_id: str | None) -> None:
    try:
        before = repository.view(connection, conversation_id)
    except ConditionFailed:
        return
    if before != conversation_id:
        _tell_viewers(connection.organization, {each for each in (before, conversation_id) if each})


def _tell_viewers(organization: str, conversation_ids: set[str]) -> None:
    team = repository.of_members(organization, consistent=True)
    posts: list[Post] = []
    for conversation_id in conversation_ids:
        viewers = [each for each in team if each.viewing == conversation_id]
        people = {each.holder: {"userId": each.holder, "name": each.name} for each in viewers}
        frame = {"type": "viewing", "conversationId": conversation_id, "people": [*people.values()]}
        posts += ((each, frame) for each in viewers)
    posting.post(posts)


def _typing(connection: LiveConnection, conversation_id: str) -> Iterable[Post]:
    organization, of = connection.organization, {"type": "typing", "conversationId": conversation_id}
    for each in repository.of_members(organization):
        if each.viewing == conversation_id and each.holder != connection.holder:
            yield each, of | {"userId": connection.holder, "name": connection.name}
    try:
        session_hash = repository.session_of(organization, conversation_id)
    except ConversationNotFound:
        return
    if session_hash is not None:
        for each in repository.held_by(organization, session_hash):
            if each.shows(conversation_id):
                yield each, of


def _sends_too_much(connection_id: str) -> bool:
    """Count a frame in this execution environment. Return whether its connection has sent too many in this minute."""
    global _minute  # noqa: PLW0603 - what was counted in another minute is forgotten
    minute = clock.now_ms() // MINUTE_MS
    if minute != _minute or len(_sent) > _REMEMBERED:
        _sent.clear()
        _minute = minute
    _sent[connection_id] = _sent.get(connection_id, 0) + 1
    return _sent[connection_id] > MOST_FRAMES_A_MINUTE


def forget() -> None:
    """Forget what was counted, as a new execution environment would. For tests."""
    _sent.clear()
