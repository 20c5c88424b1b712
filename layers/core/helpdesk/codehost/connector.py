"""Connects an account of GitHub: an admin installs the App there, and shows that the installation is theirs.

The address that GitHub leads back to names an installation, and anyone can write one there (GitHub Docs, "About the
setup URL"). So the code that comes with it is exchanged for the person's token, and the installation must be among
those that the person can reach. That token is used for this alone and not stored. GitHub's page of an installation
takes no PKCE.
"""

from typing import Any
from urllib.parse import urlencode

from helpdesk.codehost.app_identity import API, HOSTS, VERSION_HEADERS, WEB
from helpdesk.integrations import client
from helpdesk.integrations.adapter import Authorization, Callback, Connected
from helpdesk.integrations.client import ServiceRequest, Unauthorized
from helpdesk.integrations.errors import ConnectFailed
from helpdesk.integrations.record import AppCredentials, Tokens

_PAGES = 10
_ON_A_PAGE = 100


def authorize_url(app: AppCredentials, wanted: Authorization) -> str:
    """Return the address of the page on which an account's owner installs the App."""
    return f"{WEB}/apps/{app['slug']}/installations/new?{urlencode({'state': wanted.state})}"


def connect(app: AppCredentials, callback: Callback) -> Connected:
    """Return the account that was installed. Raises ConnectFailed, TryLater."""
    wanted = callback.parameters.get("installation_id", "")
    if callback.parameters.get("setup_action") == "request":
        raise ConnectFailed("GitHub asked the account's owner to install the App. Start again once they did.")
    token = _token_of_person(app, callback)
    found = next((each for each in _installations(token) if str(each["id"]) == wanted), None)
    if found is None:
        raise ConnectFailed(
            "You cannot reach that installation at GitHub. Install the App on an account of yours."
        )
    account = found["account"]
    return Connected(
        account_id=str(found["id"]),
        account=account["login"],
        tokens=Tokens({}, ends_at=0),  # the worker gets the first one
        details={"ownerId": account["id"], "ownerType": account["type"]},
    )


def _token_of_person(app: AppCredentials, callback: Callback) -> str:
    reply = client.send(
        HOSTS,
        ServiceRequest(
            method="POST",
            url=f"{WEB}/login/oauth/access_token",
            headers={"accept": "application/json"},
            json={
                "client_id": app["client_id"],
                "client_secret": app["client_secret"],
                "code": callback.parameters["code"],
            },
        ),
    )
    token = reply.json().get("access_token") if reply.ok else None
    if not isinstance(token, str) or not token:
        raise ConnectFailed("GitHub did not accept the code, which is used once and ends soon. Start again.")
    return token


def _installations(token: str) -> list[dict[str, Any]]:
    """Return the installations of the App that a person can reach."""
    found: list[dict[str, Any]] = []
    for page in range(1, _PAGES + 1):
        try:
            reply = client.send(
                HOSTS,
                ServiceRequest(
                    url=f"{API}/user/installations?per_page={_ON_A_PAGE}&page={page}",
                    headers={"authorization": f"Bearer {token}", **VERSION_HEADERS},
                ),
            )
        except Unauthorized:
            raise ConnectFailed("GitHub did not accept its own token. Start again.") from None
        if not reply.ok:
            raise ConnectFailed("GitHub did not list your installations. Start again in a minute.")
        some = reply.json()["installations"]
        found += some
        if len(some) < _ON_A_PAGE:
            break
    return found
