"""Connects a workspace of Slack: an admin installs the app there (Slack, "Installing with OAuth").

The code that comes back is exchanged with the app's secret for the bot's token, which Slack gives only for the
workspace in which the person installed the app; so the workspace is theirs. An app of Slack takes PKCE instead of its
secret, not with it, so none is sent.
"""

from urllib.parse import urlencode

from helpdesk.chatmirror.slack import API, HOSTS, TOKEN
from helpdesk.integrations import client
from helpdesk.integrations.adapter import ONE_WAY, Authorization, Callback, Connected
from helpdesk.integrations.client import ServiceRequest, Unauthorized
from helpdesk.integrations.errors import ConnectFailed
from helpdesk.integrations.record import AppCredentials, Tokens

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
    try:
        reply = client.send(
            HOSTS,
            ServiceRequest(
                method="POST",
                url=f"{API}/oauth.v2.access",
                headers={"content-type": "application/x-www-form-urlencoded"},
                body=urlencode(form).encode(),
            ),
        )
    except Unauthorized:
        raise ConnectFailed(
            "Slack did not accept the app's credentials. Ask the operator to check them."
        ) from None
    said = reply.json() if reply.ok else {}
    if not said.get("ok"):
        raise ConnectFailed("Slack did not accept the code, which is used once and ends soon. Start again.")
    team = said.get("team")
    if not team or said.get("is_enterprise_install"):
        raise ConnectFailed("Install the app in one workspace, not in the whole organization at Slack.")
    missing = sorted(set(SCOPES) - set(str(said.get("scope", "")).split(",")))
    if missing:
        raise ConnectFailed(f"Slack did not give the permissions {', '.join(missing)}. Add them to the app.")
    return Connected(
        account_id=team["id"],
        account=team["name"],
        tokens=Tokens({TOKEN: said["access_token"]}),
        details={"bot": said["bot_user_id"], "appId": said["app_id"]},
    )
