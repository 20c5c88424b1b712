"""Connects a workspace of Slack: an admin of the workspace installs the app there (Slack, "Installing with OAuth").

The code that comes back is exchanged with the app's secret for the bot's token, which Slack gives only for the
workspace in which the person installed the app. Slack may let any member install apps, and the bot reads and writes
for the organization that connects it, so the person must be an admin or owner of the workspace. An app of Slack takes
PKCE instead of its secret, not with it, so none is sent.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from helpdesk.integrations import client
from helpdesk.integrations.adapter import ONE_WAY, Authorization, Callback, Connected
from helpdesk.integrations.client import ServiceRequest, Unauthorized
from helpdesk.integrations.errors import ConnectFailed
from helpdesk.integrations.record import AppCredentials, Tokens
from helpdesk.integrations.slack.api import API, SLACK, TOKEN

WAYS = ONE_WAY
SCOPES = (
    "channels:history",
    "channels:join",
    "channels:read",
    "chat:write",
    "groups:history",
    "groups:read",
    "users:read",
    "users:read.email",
)
"""What the bot may do."""


def authorize_url(app: AppCredentials, wanted: Authorization) -> str:
    """Return the address of the page on which a person installs the app."""
    query = {
        "client_id": app["client_id"],
        "scope": ",".join(SCOPES),
        "redirect_uri": wanted.redirect_uri,
        "state": wanted.state,
    }
    return f"https://slack.com/oauth/v2/authorize?{urlencode(query)}"


def connect(app: AppCredentials, callback: Callback) -> Connected:
    """Return the workspace that the app was installed in. Raises ConnectFailed, TryLater."""
    form = {
        "client_id": app["client_id"],
        "client_secret": app["client_secret"],
        "code": callback.parameters["code"],
        "redirect_uri": callback.redirect_uri,
    }
    headers = {"content-type": "application/x-www-form-urlencoded"}
    said = _answer(
        ServiceRequest(
            method="POST", url=f"{API}/oauth.v2.access", headers=headers, body=urlencode(form).encode()
        )
    )
    if not said.get("ok"):
        raise ConnectFailed("Slack did not connect: the code is invalid or has expired. Start again.")
    team = said.get("team")
    if not team or said.get("is_enterprise_install"):
        raise ConnectFailed("Install the app in one workspace, not in the whole organization at Slack.")
    missing = sorted(set(SCOPES) - set(str(said.get("scope", "")).split(",")))
    if missing:
        raise ConnectFailed(f"Slack didn't grant the permissions {', '.join(missing)}. Add them to the app.")
    _require_admin(said)
    return Connected(
        account_id=team["id"],
        account=team["name"],
        tokens=Tokens({TOKEN: said["access_token"]}),
        details={"bot": said["bot_user_id"], "appId": said["app_id"]},
    )


def _require_admin(said: Mapping[str, Any]) -> None:
    """Require that who installed the app administers the workspace (Slack, users.info). Raises ConnectFailed."""
    person = (said.get("authed_user") or {}).get("id") or ""
    headers = {"authorization": f"Bearer {said['access_token']}"}
    shown = _answer(ServiceRequest(url=f"{API}/users.info?{urlencode({'user': person})}", headers=headers))
    found = shown.get("user") or {}
    is_own = found.get("id") == person and found.get("team_id") == said["team"]["id"]
    if not is_own or not (found.get("is_admin") is True or found.get("is_owner") is True):
        raise ConnectFailed(
            "Only an admin or owner of the workspace can connect it, because the bot can post in its channels. Ask one "
            "of them who is also an admin of your organization here."
        )


def _answer(wanted: ServiceRequest) -> dict[str, Any]:
    try:
        reply = client.send(SLACK.hosts, wanted)
    except Unauthorized:
        raise ConnectFailed("Slack rejected the app's credentials. Ask the operator to check them.") from None
    said = reply.json() if reply.ok else {}
    return said if isinstance(said, dict) else {}
