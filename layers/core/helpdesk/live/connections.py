"""Live connections: opened by a token that is used once, found by their holder, and closed.

A refused connection fails its handshake. What a browser may know of the reason, POST /live/tokens says before.
"""

import re
from collections.abc import Sequence
from contextlib import suppress

from helpdesk.accounts.members.record import Member
from helpdesk.events import followers
from helpdesk.live import ceilings, repository
from helpdesk.live.errors import (
    MAX_CONNECTIONS_OF_A_PERSON,
    MAX_CONNECTIONS_OF_A_SESSION,
    ConnectionRefused,
    TooManyConnections,
)
from helpdesk.live.record import CONNECTION_MS, MEMBERS, LiveConnection, LiveToken
from helpdesk.platform import clock
from helpdesk.platform.digest import sha256_hex
from helpdesk.storage.changes import below
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

_TOKEN = re.compile(r"svc_live_([0-9a-z]{26})_[0-9A-Za-z]{43}")


def require_place(organization: str, holder: str) -> str:
    """Return a free place of a person or a session. Raises TooManyConnections."""
    taken = {each.place for each in repository.held_by(organization, holder, consistent=True)}
    for place in _places(holder):
        if place not in taken:
            return place
    raise TooManyConnections


def _places(holder: str) -> Sequence[str]:
    most = MAX_CONNECTIONS_OF_A_PERSON if holder.startswith(MEMBERS) else MAX_CONNECTIONS_OF_A_SESSION
    return [str(number) for number in range(most)]


def open_with(token_text: str, connection_id: str) -> LiveConnection:
    """Use up a token, and note the connection that it opens. Raises ConnectionRefused, TooManyConnections."""
    match = _TOKEN.fullmatch(token_text)
    if match is None:
        raise ConnectionRefused
    token = repository.tokens.find(f"org_{match[1]}", sha256_hex(token_text))
    if token is None or token.valid_until <= clock.now_ms():
        raise ConnectionRefused
    return repeat_when_stale(lambda: _opened(token, connection_id), ConditionFailed)


def _opened(token: LiveToken, connection_id: str) -> LiveConnection:
    now = clock.now_ms()
    connection = LiveConnection(
        organization=token.organization,
        holder=token.holder,
        name=token.name,
        only=token.only,
        ceiling=token.ceiling,
        place=require_place(token.organization, token.holder),
        connection_id=connection_id,
        valid_until=now + CONNECTION_MS,
    )
    transaction = Transaction()
    transaction.delete(token.key, require={"valid_until": token.valid_until}, on_failure=ConnectionRefused())
    if token.of_member:
        member = Member.key_for(token.organization, token.holder)
        transaction.require(member, {}, on_failure=ConnectionRefused())
    transaction.change(
        connection.key,
        set={
            "connection_id": connection_id,
            "name": token.name,
            "only": token.only,
            "ceiling": token.ceiling,
            "viewing": None,
            "valid_until": connection.valid_until,
            "expiresAt": connection.expires_at,
        },
        require={"valid_until": below(now)},
        or_new=True,
        on_failure=ConditionFailed,
    )
    followers.follow_live(transaction, token.organization)
    transaction.commit()
    return connection


def forget(connection: LiveConnection) -> None:
    """Free the place of a connection that is over, and refund the time that it did not use."""
    transaction = Transaction()
    transaction.delete(
        connection.key, require={"connection_id": connection.connection_id}, on_failure=ConditionFailed
    )
    with suppress(ConditionFailed):  # it was forgotten before
        transaction.commit()
        ceilings.refund(connection)
