"""Requests to Linear, what its answers mean (Linear, "Working with the GraphQL API", "Rate limiting"), and its tokens.

Linear says what went wrong in the body, with a status of 200 or 400: `{"errors": [{"message": …, "extensions": …}]}`.
Every request may be sent again: those that change something say which issue, by an id that we choose.

A workspace has a token that lasts a day, and one that gets the next two (Linear, "OAuth 2.0 authentication"). Each
renewal gives a new refresh token, and the old one ends. `integrations.accounts` lets one worker at a time renew.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from helpdesk.integrations import client
from helpdesk.integrations.accounts import Account, Service
from helpdesk.integrations.client import ServiceReply, ServiceRequest, Unauthorized
from helpdesk.integrations.errors import Revoked, TryLater
from helpdesk.integrations.record import AppCredentials, Connection, Tokens
from helpdesk.platform import clock
from helpdesk.platform.record import Record
from helpdesk.platform.text import one_line

HOSTS = frozenset({"api.linear.app"})
API = "https://api.linear.app"
WEB = "https://linear.app"
ACCESS, REFRESH = "access", "refresh"
"""The names of a token's values."""
OFFLINE = "Linear no longer accepts this connection. Ask an admin to connect it again at /v1/connect/tracker."

_WORDS_CHARACTERS = 300
_MOST_WAIT_SECONDS = 3_600.0
_PASSING = frozenset({"internal error", "lock timeout", "network error", "bootstrap error", "unknown"})
_OF_ALL = frozenset({"usage limit exceeded", "feature not accessible", "forbidden"})
_LIMITED, _AUTHENTICATION = "ratelimited", "authentication error"
_LIMITS = ("requests", "endpoint-requests", "complexity")
_FORM = {"content-type": "application/x-www-form-urlencoded"}
_REFUSED = frozenset({"invalid_grant", "unauthorized_client"})

# What is asked, in GraphQL. A test checks every document against Linear's own schema.
_ISSUE = """
fragment Shown on Issue {
  id
  identifier
  url
  updatedAt
  trashed
  state { id name type position }
  team { id }
}
"""

ACCOUNT = "query Account { viewer { id } organization { id name } }"

# A request may have 10,000 points of complexity (Linear, "Rate limiting"). This one has some 1,800.
TEAMS = """
query Teams($after: String) {
  teams(first: 25, after: $after) {
    nodes {
      id
      key
      name
      states(first: 50) { nodes { id name type position } }
    }
    pageInfo { hasNextPage endCursor }
  }
}
"""

ISSUES = (
    """
query Issues($ids: [ID!]!, $first: Int!) {
  issues(filter: { id: { in: $ids } }, first: $first, includeArchived: true) { nodes { ...Shown } }
}
"""
    + _ISSUE
)

ISSUE = (
    """
query Issue($id: String!) {
  issue(id: $id) { ...Shown }
}
"""
    + _ISSUE
)

CREATE = (
    """
mutation Create($input: IssueCreateInput!) {
  issueCreate(input: $input) { success issue { ...Shown } }
}
"""
    + _ISSUE
)

UPDATE = (
    """
mutation Update($id: String!, $input: IssueUpdateInput!) {
  issueUpdate(id: $id, input: $input) { success issue { ...Shown } }
}
"""
    + _ISSUE
)


class Refused(Exception):
    """Linear refused; the text has its words, for a person. `of_all`: it would refuse every other issue, too."""

    def __init__(self, words: str, *, of_all: bool = False) -> None:
        super().__init__(words)
        self.of_all = of_all


def ask(account: Account, query: str, variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data that a query or mutation answers with. Raises Refused, Revoked, TryLater."""
    try:
        said = send(account.service.headers(account.tokens), query, variables)
    except Unauthorized:
        newer = account.newer()
        if newer is None:
            raise Revoked(OFFLINE) from None
        return ask(newer, query, variables)
    account.note_success()
    return said


def send(headers: Mapping[str, str], query: str, variables: Mapping[str, Any]) -> dict[str, Any]:
    """Send a query or mutation with the headers of a token. Raises Refused, Unauthorized, TryLater."""
    wanted = ServiceRequest(
        method="POST",
        url=f"{API}/graphql",
        headers=headers,
        json={"query": query, "variables": dict(variables)},
        repeatable=True,
    )
    return _judged(client.send(HOSTS, wanted))


def _judged(reply: ServiceReply) -> dict[str, Any]:
    said = reply.json()
    errors = said.get("errors") if isinstance(said, dict) else None
    if not errors:
        data = said.get("data") if isinstance(said, dict) else None
        if not reply.ok or not isinstance(data, dict):
            raise TryLater(f"HTTP {reply.status}")
        return data
    extensions = errors[0].get("extensions") or {}
    # `type` is in words and `code` in capitals; which of them there is differs between errors
    kinds = {str(extensions.get(name, "")).replace("_", " ").lower() for name in ("type", "code")}
    if _LIMITED in kinds:
        raise TryLater("the limit of requests is reached", _wait(reply.headers))
    if _AUTHENTICATION in kinds:
        raise Unauthorized
    words = extensions.get("userPresentableMessage") or errors[0].get("message") or "no reason given"
    if kinds & _PASSING:
        raise TryLater(str(words))
    raise Refused(one_line(str(words), _WORDS_CHARACTERS), of_all=bool(kinds & _OF_ALL))


def _wait(headers: Mapping[str, str]) -> float | None:
    """Return after how many seconds a limit that is used up has room again. Linear says when, in ms since 1970."""
    asked = client.retry_after(headers)
    if asked is not None:
        return asked
    waits = [
        int(reset) / 1_000 - clock.now_ms() / 1_000
        for name in _LIMITS
        if headers.get(f"x-ratelimit-{name}-remaining") == "0"
        and (reset := headers.get(f"x-ratelimit-{name}-reset", "")).isdecimal()
    ]
    return min(max(1.0, *waits), _MOST_WAIT_SECONDS) if waits else None


class NoToken(Exception):
    """Linear gives no token for what was sent."""


class Given(Record):
    """Tokens, and what may be done with them."""

    tokens: Tokens
    scopes: frozenset[str]


def ask_for_tokens(app: AppCredentials, form: Mapping[str, str]) -> Given:
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
    return _read_tokens(said)


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
            return ask_for_tokens(app, form).tokens
        except NoToken:
            raise Revoked(OFFLINE) from None

    def headers(self, tokens: Tokens) -> dict[str, str]:
        """Return the headers of every request with these tokens."""
        return {"authorization": f"Bearer {tokens.values[ACCESS]}"}


LINEAR = Linear()


def _read_tokens(said: Mapping[str, Any]) -> Given:
    try:
        values = {ACCESS: str(said["access_token"]), REFRESH: str(said["refresh_token"])}
        ends_at = clock.now_ms() + int(said["expires_in"]) * 1_000
    except (KeyError, TypeError, ValueError):
        raise TryLater("the tokens have another form") from None
    scope = said.get("scope", "")
    scopes = scope if isinstance(scope, list) else str(scope).replace(",", " ").split()
    return Given(Tokens(values, ends_at), frozenset(scopes))
