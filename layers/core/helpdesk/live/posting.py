"""Frames to live connections: hints of what changed, and the end of connections whose person has left."""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import msgspec
from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.live import connections, repository
from helpdesk.live.hints import Hint, Hints
from helpdesk.live.record import LiveConnection
from helpdesk.platform import clients, clock
from helpdesk.platform.logging import error_name, logger
from helpdesk.platform.units import SECOND_MS

_THREADS = 16
_OPENING_MS = 10 * SECOND_MS
"""How old a connection must be to be forgotten where API Gateway does not know it: it may not have begun yet."""

type Post = tuple[LiveConnection, Any]
"""A frame, and the connection that it is for."""


def deliver(hints: Hints) -> None:
    """End the connections of people who have left, and post hints to the others."""
    for person in hints.left:
        for connection in repository.held_by(person.organization, person.user_id, consistent=True):
            end(connection)
    by_organization: dict[str, list[Hint]] = {}
    for hint in hints.changed:
        by_organization.setdefault(hint.organization, []).append(hint)
    post(
        [each for organization, changed in by_organization.items() for each in _posts(organization, changed)]
    )


def _posts(organization: str, changed: Sequence[Hint]) -> Iterable[Post]:
    team = repository.of_members(organization)
    visitors: dict[str, list[LiveConnection]] = {}
    for hint in changed:
        for connection in team:
            if connection.shows(hint.conversation_id):
                yield from ((connection, frame) for frame in hint.team)
        if hint.session_hash is not None and hint.visitor:
            if hint.session_hash not in visitors:
                visitors[hint.session_hash] = repository.held_by(organization, hint.session_hash)
            for connection in visitors[hint.session_hash]:
                if connection.shows(hint.conversation_id):
                    yield from ((connection, frame) for frame in hint.visitor)


def post(posts: Sequence[Post]) -> None:
    """Post frames at once. Connections that are gone are forgotten; other failures are logged."""
    if len(posts) == 1:
        _post(posts[0])
    elif posts:
        with ThreadPoolExecutor(min(_THREADS, len(posts))) as pool:
            list(pool.map(_post, posts))


def _post(what: Post) -> None:
    connection, frame = what
    gateway = clients.live_connections()
    try:
        gateway.post_to_connection(ConnectionId=connection.connection_id, Data=msgspec.json.encode(frame))
    except gateway.exceptions.GoneException:
        if clock.now_ms() - connection.opened_at > _OPENING_MS:
            connections.forget(connection)
    except (ClientError, BotoCoreError) as error:
        logger.warning("hint_lost", extra={"error": error_name(error)})


def end(connection: LiveConnection) -> None:
    """End a connection, and forget it."""
    gateway = clients.live_connections()
    with suppress(gateway.exceptions.GoneException):
        gateway.delete_connection(ConnectionId=connection.connection_id)
    connections.forget(connection)
