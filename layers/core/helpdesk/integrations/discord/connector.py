"""Connects a server of Discord: an admin adds the app's bot there (Discord, "OAuth2", Advanced Bot Authorization).

The code that comes back is exchanged with the app's secret, and Discord's answer names the server to which the person
added the bot; `guild_id` in the redirect is a hint alone. The scope `identify` makes Discord send a code at all. The
person's own token is not used and not kept: the bot's is the operator's. Discord describes no PKCE for this flow.
"""

import base64
from urllib.parse import urlencode

from helpdesk.integrations import client
from helpdesk.integrations.adapter import ONE_WAY, Authorization, Callback, Connected
from helpdesk.integrations.client import ServiceRequest, Unauthorized
from helpdesk.integrations.discord.api import API, DISCORD
from helpdesk.integrations.errors import ConnectFailed
from helpdesk.integrations.record import AppCredentials, Tokens

WAYS = ONE_WAY
SCOPES = "applications.commands bot identify"
PERMISSIONS = 1 << 10 | 1 << 11 | 1 << 16 | 1 << 35 | 1 << 38
"""What the bot may do: view channels, send messages, read their history, begin public threads, write in them."""
_SERVERS = "0"
"""The context of an installation: servers, not people."""


def authorize_url(app: AppCredentials, wanted: Authorization) -> str:
    """Return the address of the page on which a person adds the bot to a server."""
    query = {
        "client_id": app["client_id"],
        "response_type": "code",
        "scope": SCOPES,
        "permissions": str(PERMISSIONS),
        "integration_type": _SERVERS,
        "redirect_uri": wanted.redirect_uri,
        "state": wanted.state,
    }
    return f"https://discord.com/oauth2/authorize?{urlencode(query)}"


def connect(app: AppCredentials, callback: Callback) -> Connected:
    """Return the server that the bot was added to. Raises ConnectFailed, TryLater."""
    form = {
        "grant_type": "authorization_code",
        "code": callback.parameters["code"],
        "redirect_uri": callback.redirect_uri,
    }
    pair = base64.b64encode(f"{app['client_id']}:{app['client_secret']}".encode()).decode()
    try:
        reply = client.send(
            DISCORD.hosts,
            ServiceRequest(
                method="POST",
                url=f"{API}/oauth2/token",
                headers={
                    "authorization": f"Basic {pair}",
                    "content-type": "application/x-www-form-urlencoded",
                },
                body=urlencode(form).encode(),
            ),
        )
    except Unauthorized:
        raise ConnectFailed(
            "Discord rejected the app's credentials. Ask the operator to check them."
        ) from None
    if not reply.ok:
        raise ConnectFailed("Discord did not connect: the code is invalid or has expired. Start again.")
    server = reply.json().get("guild")
    if not server:
        raise ConnectFailed(
            "Discord didn't say which server the bot was added to. Start again, and choose a server."
        )
    return Connected(account_id=server["id"], account=server["name"], tokens=Tokens({}), details={})
