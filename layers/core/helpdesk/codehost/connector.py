"""Connects an account of GitHub: an admin installs the App there, and shows that the installation is theirs.

The address that GitHub leads back to names an installation, and anyone can write one there (GitHub Docs, "About the
setup URL"). So the code that comes with it is exchanged for the person's token, the installation must be among those
that the person can reach, and its account must be theirs: anyone who reads one repository reaches the installation, too
(docs/decisions/0288). That token is used for this alone and not stored. GitHub's page of an installation takes no PKCE.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from helpdesk.codehost.app_identity import API, HOSTS, VERSION_HEADERS, WEB
from helpdesk.integrations import client
from helpdesk.integrations.adapter import Authorization, Callback, Connected
from helpdesk.integrations.client import ServiceReply, ServiceRequest, Unauthorized
from helpdesk.integrations.errors import ConnectFailed
from helpdesk.integrations.record import AppCredentials, Tokens

_PAGES = 10
_ON_A_PAGE = 100
_FORBIDDEN = 403
_PERSON = "User"


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
    _require_owner(token, account)
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
        reply = _asked(token, f"/user/installations?per_page={_ON_A_PAGE}&page={page}")
        if not reply.ok:
            raise ConnectFailed("GitHub did not list your installations. Start again in a minute.")
        some = reply.json()["installations"]
        found += some
        if len(some) < _ON_A_PAGE:
            break
    return found


def _require_owner(token: str, account: Mapping[str, Any]) -> None:
    """Raise ConnectFailed unless an account is the person's own, or of an organization that they own."""
    login = account["login"]
    if account["type"] == _PERSON:
        reply = _asked(token, "/user")
        owns = reply.ok and reply.json()["id"] == account["id"]
    else:
        reply = _asked(token, f"/user/memberships/orgs/{quote(login, safe='')}")
        found = reply.json() if reply.ok else {}
        owns = (found.get("state"), found.get("role")) == ("active", "admin")
    if reply.status == _FORBIDDEN:
        raise ConnectFailed(
            f"GitHub does not say whether you own {login}. Let an owner allow the App to read its members, "
            "then start again."
        )
    if not owns:
        raise ConnectFailed(
            f"Only an owner of {login} connects it: Helpdesk could read all that its installation reads."
        )


def _asked(token: str, path: str) -> ServiceReply:
    headers = {"authorization": f"Bearer {token}", **VERSION_HEADERS}
    try:
        return client.send(HOSTS, ServiceRequest(url=f"{API}{path}", headers=headers))
    except Unauthorized:
        raise ConnectFailed("GitHub did not accept its own token. Start again.") from None
