"""Tokens of a workspace (Linear, "OAuth 2.0 authentication"): one that lasts a day, and one that gets the next two.

Each renewal gives a new refresh token, and the old one ends. `integrations.accounts` lets one worker at a time renew.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from helpdesk.integrations import client
from helpdesk.integrations.accounts import Service
from helpdesk.integrations.client import ServiceRequest
from helpdesk.integrations.linear.api import ACCESS, API, HOSTS, OFFLINE, REFRESH
from helpdesk.integrations.outcomes import Revoked, TryLater
from helpdesk.integrations.record import AppCredentials, Connection, Tokens
from helpdesk.platform import clock
from helpdesk.platform.record import Record

_FORM = {"content-type": "application/x-www-form-urlencoded"}
_REFUSED = frozenset({"invalid_grant", "unauthorized_client"})


class NoToken(Exception):
    """Linear gives no token for what was sent."""


class Given(Record):
    """Tokens, and what may be done with them."""

    tokens: Tokens
    scopes: frozenset[str]


def ask(app: AppCredentials, form: Mapping[str, str]) -> Given:
    """Return the tokens that a grant is exchanged for. Raises NoToken, TryLater, Unauthorized."""
    given = {"client_id": app["client_id"], "client_secret": app["client_secret"], **form}
    reply = client.send(
        HOSTS,
        ServiceRequest(
            method="POST", url=f"{API}/oauth/token", headers=_FORM, body=urlencode(given).encode()
        ),
    )
    said = reply.json()
    if not reply.ok or not isinstance(said, dict):
        if isinstance(said, dict) and said.get("error") in _REFUSED:
            raise NoToken
        raise TryLater(f"HTTP {reply.status}")
    return _read(said)


def revoke(tokens: Tokens) -> None:
    """Let Linear forget a token. Raises TryLater, Unauthorized."""
    form = urlencode({"token": tokens.values[REFRESH], "token_type_hint": "refresh_token"})
    wanted = ServiceRequest(
        method="POST",
        url=f"{API}/oauth/revoke",
        headers={**_FORM, **LINEAR.headers(tokens)},
        body=form.encode(),
        repeatable=True,
    )
    client.send(HOSTS, wanted)


class Linear(Service):
    """Linear, whose tokens last a day."""

    hosts = HOSTS

    def renew(self, app: AppCredentials, _connection: Connection, tokens: Tokens) -> Tokens:
        """Return new tokens for those that end. Raises Revoked, TryLater, Unauthorized."""
        try:
            form = {"grant_type": "refresh_token", "refresh_token": tokens.values[REFRESH]}
            return ask(app, form).tokens
        except NoToken:
            raise Revoked(OFFLINE) from None

    def headers(self, tokens: Tokens) -> dict[str, str]:
        """Return the headers of every request with these tokens."""
        return {"authorization": f"Bearer {tokens.values[ACCESS]}"}


LINEAR = Linear()


def _read(said: Mapping[str, Any]) -> Given:
    try:
        values = {ACCESS: str(said["access_token"]), REFRESH: str(said["refresh_token"])}
        ends_at = clock.now_ms() + int(said["expires_in"]) * 1_000
    except (KeyError, TypeError, ValueError):
        raise TryLater("the tokens have another form") from None
    scope = said.get("scope", "")
    scopes = scope if isinstance(scope, list) else str(scope).replace(",", " ").split()
    return Given(Tokens(values, ends_at), frozenset(scopes))
