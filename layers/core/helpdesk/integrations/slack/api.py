"""Requests to Slack's Web API, and what its answers mean.

Slack says what went wrong in the body of a 200: `{"ok": false, "error": "…"}` (Slack, "Using the Slack Web API").
Methods that read take their arguments in the query, and those that write as JSON.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from helpdesk.integrations import client
from helpdesk.integrations.accounts import Account, Service
from helpdesk.integrations.client import ServiceRequest, Unauthorized
from helpdesk.integrations.errors import Revoked, ServiceRateLimited, TryLater
from helpdesk.integrations.record import Tokens

API = "https://slack.com/api"
TOKEN = "token"  # noqa: S105 - the name of a token's value
OFFLINE = "Helpdesk's app was removed from Slack. Ask an admin to connect it again at /v1/connect/chatmirror."

_REVOKED = frozenset(
    {
        "account_inactive",
        "invalid_auth",
        "not_authed",
        "token_expired",
        "token_revoked",
        "team_access_not_granted",
    }
)
_LIMITED = frozenset({"rate_limited", "ratelimited"})
_PASSING = frozenset(
    {
        "fatal_error",
        "internal_error",
        "message_limit_exceeded",
        "request_timeout",
        "service_unavailable",
        "team_added_to_org",
    }
)


class Slack(Service):
    """Slack, where a bot's token does not expire."""

    hosts = frozenset({"slack.com"})

    def headers(self, tokens: Tokens) -> Mapping[str, str]:
        """Return the headers of every request of the bot."""
        return {"authorization": f"Bearer {tokens.values[TOKEN]}"}


SLACK = Slack()


class SlackError(Exception):
    """Slack refused; `code` is its word for why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def read(account: Account, method: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Call a method that changes nothing. Raises SlackError, Revoked, ServiceRateLimited, TryLater."""
    given = {
        name: str(value).lower() if isinstance(value, bool) else value for name, value in arguments.items()
    }
    return _sent(account, ServiceRequest(url=f"{API}/{method}?{urlencode(given)}"))


def write(
    account: Account, method: str, arguments: Mapping[str, Any], *, repeatable: bool = False
) -> dict[str, Any]:
    """Call a method that changes something. Raises SlackError, Revoked, TryLater, OutcomeUnknown."""
    wanted = ServiceRequest(method="POST", url=f"{API}/{method}", json=dict(arguments), repeatable=repeatable)
    return _sent(account, wanted)


def _sent(account: Account, wanted: ServiceRequest) -> dict[str, Any]:
    headers = SLACK.headers(account.tokens)
    try:
        reply = client.send(SLACK.hosts, wanted.__replace__(headers=headers))
    except Unauthorized:
        raise Revoked(OFFLINE) from None
    said: dict[str, Any] = reply.json()
    if not said.get("ok"):
        code = str(said.get("error", "unknown_error"))
        if code in _REVOKED:
            raise Revoked(OFFLINE)
        if code in _LIMITED:
            raise ServiceRateLimited(code)
        if code in _PASSING:
            raise TryLater(code)
        raise SlackError(code)
    account.note_success()
    return said
