"""An account that requests are sent in: a connection with valid tokens, which one worker at a time renews.

Tokens are renewed five minutes before they expire, under a claim of one minute. Meanwhile other workers use the token
that is still valid; work that finds no valid token runs again a few seconds later. A renewal that fails releases its
claim. A renewal that succeeds repairs a broken connection.
"""

from collections.abc import Mapping
from typing import ClassVar

from helpdesk.integrations import client, credentials
from helpdesk.integrations import service as integrations
from helpdesk.integrations.client import ServiceReply, ServiceRequest, Unauthorized
from helpdesk.integrations.errors import NotConnectedNow, Revoked, TryLater
from helpdesk.integrations.record import APPS, AppCredentials, Connection, ConnectionStatus, Tokens
from helpdesk.platform import clock
from helpdesk.platform.record import Record
from helpdesk.platform.units import MINUTE_MS

RENEW_BEFORE_MS = 5 * MINUTE_MS
_LEAST_LEFT_MS = MINUTE_MS  # of a token that is used while another worker renews it
_CLAIM_MS = MINUTE_MS
_WAIT_SECONDS = 5


class Service:
    """A service that accounts are at. The defaults are for tokens that don't expire and that requests don't carry."""

    hosts: ClassVar[frozenset[str]]
    """The hosts that requests go to."""

    def renew(self, app: AppCredentials, connection: Connection, tokens: Tokens) -> Tokens:  # noqa: ARG002 - for subclasses
        """Return new tokens. Raises Revoked, TryLater, Unauthorized."""
        return tokens

    def headers(self, tokens: Tokens) -> Mapping[str, str]:  # noqa: ARG002 - for subclasses
        """Return the headers of every request with these tokens."""
        return {}

    def open(self, connection: Connection, *, renew: bool = False) -> "Account":
        """Return an account that requests can be sent in. With `renew`, a valid token is renewed, too. Two reads.

        Raises NotConnectedNow, Revoked, TryLater.
        """
        app = credentials.of(connection.app)
        if app is None:
            raise TryLater("no credentials of the app")
        tokens = _valid(app, connection, self, renew=renew)
        return Account(connection, credentials.of(connection.app) or app, tokens, self)


class Account(Record):
    """A connection with what its requests are sent with."""

    connection: Connection
    credentials: AppCredentials
    tokens: Tokens
    service: Service

    def send(self, wanted: ServiceRequest) -> ServiceReply:
        """Send a request in the account's name. Raises what `client.send` raises, and Revoked instead of Unauthorized.

        The first request that succeeds repairs a broken connection.
        """
        headers = {**self.service.headers(self.tokens), **wanted.headers}
        try:
            reply = client.send(self.service.hosts, wanted.__replace__(headers=headers))
        except Unauthorized:
            newer = self.newer()
            if newer is None:
                raise Revoked(
                    f"{APPS[self.connection.app].service} no longer accepts this connection. "
                    f"Ask an admin to connect it again at /v1/connect/{self.connection.app.value}."
                ) from None
            return newer.send(wanted)
        if reply.ok:
            self.note_success()
        return reply

    def note_success(self) -> None:
        """Record that the service accepts the account: a broken connection works again."""
        if self.connection.status is ConnectionStatus.BROKEN:
            integrations.mark_working(self.connection)

    def newer(self) -> "Account | None":
        """Return the account with the tokens that another worker has stored since, or None. One read.

        A service may end a token as it gives the next one.
        """
        stored = credentials.connection_tokens.find(self.connection.organization, self.connection.id)
        if stored is None or stored.tokens == self.tokens:
            return None
        return self.__replace__(tokens=stored.tokens)


def _valid(app: AppCredentials, connection: Connection, service: Service, *, renew: bool) -> Tokens:
    now = clock.now_ms()
    stored = credentials.connection_tokens.find(connection.organization, connection.id)
    if stored is None:
        raise NotConnectedNow
    tokens = stored.tokens
    if tokens.ends_at is None or (not renew and tokens.ends_at > now + RENEW_BEFORE_MS):
        return tokens
    if not credentials.claim(stored, now + _CLAIM_MS):
        if tokens.ends_at > now + _LEAST_LEFT_MS:
            return tokens
        raise TryLater("another worker renews the token", _WAIT_SECONDS)
    try:
        renewed = _renewed(app, connection, service, tokens)
    except Revoked:
        credentials.release(stored)
        raise
    except TryLater:
        credentials.release(stored)
        if tokens.ends_at > now + _LEAST_LEFT_MS:
            return tokens
        raise
    credentials.replace_tokens(stored, renewed)
    if connection.status is ConnectionStatus.BROKEN:
        integrations.mark_working(connection)
    return renewed


def _renewed(app: AppCredentials, connection: Connection, service: Service, tokens: Tokens) -> Tokens:
    """Return new tokens. Raises Revoked, TryLater.

    If the service rejects the app itself, the operator may have entered other credentials since they were read.
    """
    try:
        return service.renew(app, connection, tokens)
    except Unauthorized:
        newer = credentials.newer(app.app, app)
    try:
        if newer is not None:
            return service.renew(newer, connection, tokens)
    except Unauthorized:
        pass
    raise Revoked(
        f"{APPS[app.app].service} does not accept the credentials of this deployment's app. "
        f"Ask the operator to enter them again: scripts.admin set-app {app.app.value}."
    )
