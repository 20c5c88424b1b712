"""Connects a workspace of Linear: an admin allows the app there (Linear, "OAuth 2.0 authentication").

The app acts as itself (`actor=app`), so that issues are not in the name of who connected it. The code that comes back
is exchanged with the app's secret and the PKCE verifier; Linear gives a token of the workspace in which the person
allowed the app, so the workspace is theirs.
"""

from typing import Any
from urllib.parse import urlencode

from helpdesk.integrations.adapter import ONE_WAY, Authorization, Callback, Connected
from helpdesk.integrations.client import Unauthorized
from helpdesk.integrations.errors import ConnectFailed, TryLater
from helpdesk.integrations.linear import api as linear
from helpdesk.integrations.linear.api import Refused
from helpdesk.integrations.record import AppCredentials

WAYS = ONE_WAY
SCOPES = ("read", "write")
"""What the app may do: read teams, states and issues; open issues and move them."""


def authorize_url(app: AppCredentials, wanted: Authorization) -> str:
    """Return the address of the page on which a person allows the app in a workspace."""
    query = {
        "client_id": app["client_id"],
        "redirect_uri": wanted.redirect_uri,
        "response_type": "code",
        "scope": ",".join(SCOPES),
        "state": wanted.state,
        "code_challenge": wanted.challenge,
        "code_challenge_method": "S256",
        "actor": "app",
        "prompt": "consent",
    }
    return f"{linear.WEB}/oauth/authorize?{urlencode(query)}"


def connect(app: AppCredentials, callback: Callback) -> Connected:
    """Return the workspace in which the app was allowed. Raises ConnectFailed, TryLater."""
    form = {
        "grant_type": "authorization_code",
        "code": callback.parameters["code"],
        "redirect_uri": callback.redirect_uri,
        "code_verifier": callback.verifier,
    }
    try:
        given = linear.ask_for_tokens(app, form)
    except linear.NoToken:
        raise ConnectFailed(
            "Linear did not connect: the code is invalid or has expired. Start again."
        ) from None
    except Unauthorized:
        raise ConnectFailed(
            "Linear rejected the app's credentials. Ask the operator to check them."
        ) from None
    missing = sorted(set(SCOPES) - given.scopes)
    if missing:
        raise ConnectFailed(f"Linear didn't grant the permissions {', '.join(missing)}. Start again.")
    found = _account(linear.LINEAR.headers(given.tokens))
    try:
        workspace, bot = found["organization"], found["viewer"]["id"]
        account_id, account = str(workspace["id"]), str(workspace["name"])
    except (KeyError, TypeError):
        raise TryLater("the workspace has another form") from None
    return Connected(account_id=account_id, account=account, tokens=given.tokens, details={"bot": bot})


def _account(headers: dict[str, str]) -> dict[str, Any]:
    try:
        return linear.send(headers, linear.ACCOUNT, {})
    except (Refused, Unauthorized):
        raise ConnectFailed("Linear rejected its own token. Start again.") from None
