"""Requests to Linear, and what its answers mean (Linear, "Working with the GraphQL API", "Rate limiting").

Linear says what went wrong in the body, with a status of 200 or 400: `{"errors": [{"message": …, "extensions": …}]}`.
Every request may be sent again: those that change something say which issue, by an id that we choose.
"""

from collections.abc import Mapping
from typing import Any

from helpdesk.integrations import client
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.client import ServiceReply, ServiceRequest, Unauthorized
from helpdesk.integrations.outcomes import Revoked, TryLater
from helpdesk.platform import clock
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
