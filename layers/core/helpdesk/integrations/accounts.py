"""An account as work uses it: a connection with tokens that are valid, renewed by one worker at a time.

Tokens are renewed before they end, under a claim of a minute. While another worker renews, what is still valid is used;
work that finds nothing valid is put off for a few seconds. A renewal that fails gives up its claim, and one that works
mends a connection that was broken.
"""

from helpdesk.integrations import client, credentials, secret_repository, service
from helpdesk.integrations.adapter import Worker
from helpdesk.integrations.apps import APPS
from helpdesk.integrations.client import ServiceReply, ServiceRequest, Unauthorized
from helpdesk.integrations.outcomes import NotConnectedNow, Revoked, TryLater
from helpdesk.integrations.record import AppCredentials, Connection, ConnectionStatus, Tokens
from helpdesk.platform import clock
from helpdesk.platform.record import Record
from helpdesk.platform.units import MINUTE_MS

RENEW_BEFORE_MS = 5 * MINUTE_MS
_LEAST_LEFT_MS = MINUTE_MS  # of a token that is used while another worker renews it
_CLAIM_MS = MINUTE_MS
_WAIT_SECONDS = 5


class Account(Record):
    """A connection with what its requests are sent with."""

    connection: Connection
    credentials: AppCredentials
    tokens: Tokens
    adapter: Worker

    def send(self, wanted: ServiceRequest) -> ServiceReply:
        """Send a request in the account's name. Raises what `client.send` raises, and Revoked instead of Unauthorized.

        A connection that was broken is mended by its first request that works.
        """
        headers = {**self.adapter.headers(self.tokens), **wanted.headers}
        try:
            reply = client.send(self.adapter.HOSTS, _with_headers(wanted, headers))
        except Unauthorized:
            newer = self.newer()
            if newer is None:
                raise Revoked(_connect_again(self.connection)) from None
            return newer.send(wanted)
        if self.connection.status is ConnectionStatus.BROKEN and reply.ok:
            service.mended(self.connection)
        return reply

    def newer(self) -> "Account | None":
        """Return the account with the tokens that another worker has stored since; None if these are the last ones.

        A service may end a token as it gives the next one. One read.
        """
        stored = secret_repository.tokens(self.connection.organization, self.connection.id)
        if stored is None or stored.tokens == self.tokens:
            return None
        return self.__replace__(tokens=stored.tokens)


def opened(connection: Connection, adapter: Worker, *, renew: bool = False) -> Account:
    """Return an account that requests can be sent in, its token renewed anyway if asked for. Two reads.

    Raises NotConnectedNow, Revoked, TryLater.
    """
    app = credentials.of(connection.app)
    if app is None:
        raise TryLater("no credentials of the app")
    tokens = _valid(app, connection, adapter, renew=renew)
    return Account(connection, credentials.of(connection.app) or app, tokens, adapter)


def _valid(app: AppCredentials, connection: Connection, adapter: Worker, *, renew: bool) -> Tokens:
    of, now = connection.organization, clock.now_ms()
    stored = secret_repository.tokens(of, connection.id)
    if stored is None:
        raise NotConnectedNow
    tokens, version = stored
    if tokens.ends_at is None or (not renew and tokens.ends_at > now + RENEW_BEFORE_MS):
        return tokens
    if not secret_repository.claim(of, connection.id, version, now + _CLAIM_MS):
        if tokens.ends_at > now + _LEAST_LEFT_MS:
            return tokens
        raise TryLater("another worker renews the token", _WAIT_SECONDS)
    try:
        renewed = _renewed(app, connection, adapter, tokens)
    except Revoked:
        secret_repository.release(of, connection.id, version)
        raise
    except TryLater:
        secret_repository.release(of, connection.id, version)
        if tokens.ends_at > now + _LEAST_LEFT_MS:
            return tokens
        raise
    secret_repository.replace_tokens(of, connection.id, version, renewed)
    if connection.status is ConnectionStatus.BROKEN:
        service.mended(connection)
    return renewed


def _renewed(app: AppCredentials, connection: Connection, adapter: Worker, tokens: Tokens) -> Tokens:
    """Return new tokens. Raises Revoked, TryLater.

    A service that does not let the app itself in may have got other credentials, which the operator has entered since.
    """
    try:
        return adapter.renew(app, connection, tokens)
    except Unauthorized:
        newer = credentials.newer(app.app, app)
    try:
        if newer is not None:
            return adapter.renew(newer, connection, tokens)
    except Unauthorized:
        pass
    raise Revoked(
        f"{APPS[app.app].service} does not accept the credentials of this deployment's app. "
        f"The operator enters them again: scripts.admin set-app {app.app.value}."
    )


def _with_headers(wanted: ServiceRequest, headers: dict[str, str]) -> ServiceRequest:
    return wanted.__replace__(headers=headers)


def _connect_again(connection: Connection) -> str:
    known = APPS[connection.app].service
    where = f"/v1/connect/{connection.app.value}"
    return f"{known} no longer accepts this connection. An admin connects it again at {where}."
