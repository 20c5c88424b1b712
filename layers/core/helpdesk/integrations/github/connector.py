"""Connects an account of GitHub: an admin installs the App there, or has it there, and shows that it is theirs.

An App that is installed already leads to its settings and not back, so there are two ways: GitHub's page of an
installation, and its page of authorization, which names none. The address that the first leads back to names an
installation, and anyone can write one there (GitHub Docs, "About the setup URL"). So the code is exchanged for the
person's token, the installation must be among those that the person can reach, and its account must be theirs: anyone
who reads one repository reaches the installation, too. That token is used for this alone and not
stored: who chooses one of several accounts authorizes again, with the name in the state.
GitHub's page of an installation takes no PKCE; that of authorization does.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode

from helpdesk.integrations import client
from helpdesk.integrations.adapter import AccountChoice, Authorization, Callback, Connected, Way
from helpdesk.integrations.client import ServiceReply, ServiceRequest, Unauthorized
from helpdesk.integrations.errors import ConnectFailed
from helpdesk.integrations.github.app_identity import API, HOSTS, VERSION_HEADERS, WEB, within_limit
from helpdesk.integrations.record import AppCredentials, Tokens
from helpdesk.platform import clock

INSTALL, EXISTING = "install", "existing"
WAYS: tuple[Way, ...] = (
    Way(INSTALL, "Install the App on an account"),
    Way(EXISTING, "Connect an account that has the App"),
)
MOST_ASKED = 10
"""Accounts of which GitHub is asked who owns them, before the person chooses. Others are offered unasked."""
_ASKING_MS = 8_000
_MOST_NAMED = 20
_PAGES = 10
_ON_A_PAGE = 100
_FORBIDDEN = 403
_PERSON = "User"

type _Shown = Mapping[str, Any]


def authorize_url(app: AppCredentials, wanted: Authorization) -> str:
    """Return the address of the page on which an account's owner installs the App, or shows who they are."""
    if wanted.way != EXISTING:
        return f"{WEB}/apps/{app['slug']}/installations/new?{urlencode({'state': wanted.state})}"
    query = {
        "client_id": app["client_id"],
        "redirect_uri": wanted.redirect_uri,
        "state": wanted.state,
        "code_challenge": wanted.challenge,
        "code_challenge_method": "S256",
    }
    return f"{WEB}/login/oauth/authorize?{urlencode(query)}"


def connect(app: AppCredentials, callback: Callback) -> Connected | AccountChoice:
    """Return the account that was installed, or that has the App. Raises ConnectFailed, TryLater."""
    if callback.way == EXISTING:
        proof = {"redirect_uri": callback.redirect_uri, "code_verifier": callback.verifier}
        return _existing(_Asker(_token_of_person(app, callback, proof)), callback)
    if callback.parameters.get("setup_action") == "request":
        raise ConnectFailed(
            "GitHub asked the account's owner to install the App. Start again once it is installed."
        )
    asker = _Asker(_token_of_person(app, callback, {}))
    wanted = callback.parameters.get("installation_id", "")
    found = next((each for each in asker.installations() if str(each["id"]) == wanted), None)
    if found is None:
        raise ConnectFailed(
            "You don't have access to this installation at GitHub. Install the App on your own account."
        )
    return _connected(asker, found)


def _existing(asker: "_Asker", callback: Callback) -> Connected | AccountChoice:
    """Return the account that has the App: the one that was named, else the one that can be meant."""
    reached = asker.installations()
    if callback.account:
        named = [each for each in reached if _login(each).casefold() == callback.account.casefold()]
        if not named:
            raise ConnectFailed(
                f"The App isn't installed on {callback.account}, or you have no access to it. "
                "Start again, and install it there."
            )
        return _connected(asker, named[0])
    if not reached:
        raise ConnectFailed("None of your GitHub accounts has the App. Start again, and install the App.")
    connected = callback.connected([str(each["id"]) for each in reached])
    left = [each for each in reached if str(each["id"]) not in connected]
    if not left:
        raise ConnectFailed(
            f"All your accounts that have the App are already connected: {_names(reached)}. "
            "Start again to install it on another one."
        )
    usable = [each for each in left if not each.get("suspended_at")] or left
    offered = usable if len(usable) == 1 else _maybe_owned(asker, usable)
    if not offered:
        raise ConnectFailed(
            f"You don't own any of the accounts that have the App: {_names(usable)}. Ask an owner to connect them."
        )
    if len(offered) == 1:
        return _connected(asker, offered[0])
    return AccountChoice(tuple(sorted(map(_login, offered), key=str.casefold)))


def _maybe_owned(asker: "_Asker", installations: list[_Shown]) -> list[_Shown]:
    """Return the installations whose accounts the person owns, or may own as far as GitHub was asked in time."""
    until = clock.now_ms() + _ASKING_MS
    found = []
    for number, each in enumerate(installations):
        is_asked = number < MOST_ASKED and clock.now_ms() < until
        if not is_asked or asker.owns(each["account"]) is not False:
            found.append(each)
    return found


def _connected(asker: "_Asker", found: _Shown) -> Connected:
    """Return an installation as it is connected. Raises ConnectFailed unless its account is the person's."""
    account, login = found["account"], _login(found)
    owns = asker.owns(account)
    if owns is None:
        raise ConnectFailed(
            f"GitHub doesn't show whether you own {login}. Ask an owner to allow the App to read its members, "
            "then start again."
        )
    if not owns:
        raise ConnectFailed(
            f"Only an owner of {login} can connect it, because Helpdesk can read all that the installation reads."
        )
    if found.get("suspended_at"):
        raise ConnectFailed(
            f"The App is suspended on {login}. Unsuspend it in the account's settings at GitHub, then start again."
        )
    return Connected(
        account_id=str(found["id"]),
        account=login,
        tokens=Tokens({}, ends_at=0),  # the worker gets the first one
        details={"ownerId": account["id"], "ownerType": account["type"]},
    )


def _login(installation: _Shown) -> str:
    return str(installation["account"]["login"])


def _names(installations: list[_Shown]) -> str:
    names = sorted(map(_login, installations), key=str.casefold)
    return ", ".join(names[:_MOST_NAMED]) + (", …" if len(names) > _MOST_NAMED else "")


def _token_of_person(app: AppCredentials, callback: Callback, proof: Mapping[str, str]) -> str:
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
                **proof,
            },
        ),
    )
    token = reply.json().get("access_token") if reply.ok else None
    if not isinstance(token, str) or not token:
        raise ConnectFailed("GitHub did not connect: the code is invalid or has expired. Start again.")
    return token


class _Asker:
    """Asks GitHub as the person, with their token."""

    def __init__(self, token: str) -> None:
        self._headers = {"authorization": f"Bearer {token}", **VERSION_HEADERS}
        self._person: int | None = None

    def installations(self) -> list[_Shown]:
        """Return the installations of the App that the person can reach."""
        found: list[_Shown] = []
        for page in range(1, _PAGES + 1):
            reply = self._asked(f"/user/installations?per_page={_ON_A_PAGE}&page={page}")
            if not reply.ok:
                raise ConnectFailed("GitHub didn't list your installations. Start again in a minute.")
            some = reply.json()["installations"]
            found += some
            if len(some) < _ON_A_PAGE:
                break
        return found

    def owns(self, account: _Shown) -> bool | None:
        """Return whether an account is the person, or an organization of theirs; None if GitHub does not say."""
        if account["type"] == _PERSON:
            if self._person is None:
                reply = self._asked("/user")
                if not reply.ok:
                    return None if reply.status == _FORBIDDEN else False
                self._person = int(reply.json()["id"])
            return bool(self._person == account["id"])
        reply = self._asked(f"/user/memberships/orgs/{quote(account['login'], safe='')}")
        if reply.status == _FORBIDDEN:
            return None
        found = reply.json() if reply.ok else {}
        return (found.get("state"), found.get("role")) == ("active", "admin")

    def _asked(self, path: str) -> ServiceReply:
        try:
            reply = client.send(HOSTS, ServiceRequest(url=f"{API}{path}", headers=self._headers))
        except Unauthorized:
            raise ConnectFailed("GitHub rejected its own token. Start again.") from None
        return within_limit(reply)
