"""Who the GitHub App says it is: a short token that it signs with its key, and the tokens of its installations.

GitHub Docs, "Generating a JSON Web Token (JWT) for a GitHub App", and "Authenticating as a GitHub App installation".
"""

from collections.abc import Mapping
from datetime import datetime

from helpdesk.integrations import client
from helpdesk.integrations.accounts import Account, Service
from helpdesk.integrations.client import ServiceReply, ServiceRequest, Unauthorized
from helpdesk.integrations.errors import NotConnectedNow, Revoked, TryLater
from helpdesk.integrations.github import account_lookup
from helpdesk.integrations.record import AppCredentials, Connection, Tokens
from helpdesk.platform import clock

API = "https://api.github.com"
WEB = "https://github.com"
ARCHIVES = "codeload.github.com"
HOSTS = frozenset({"api.github.com", "github.com", ARCHIVES})
JSON = "application/vnd.github+json"
VERSION_HEADERS = {"accept": JSON, "x-github-api-version": "2022-11-28"}
TOKEN = "token"  # noqa: S105 - the name of a token's value

_BACK_SECONDS = 60  # GitHub's clock may be behind ours
_LIFE_SECONDS = 540  # ten minutes at most
_CREATED, _FORBIDDEN, _NOT_FOUND = 201, 403, 404
_SAID_BYTES = 2_000


def signed(app: AppCredentials) -> str:
    """Return the token with which the App itself speaks, for nine minutes."""
    from joserfc import jwt  # noqa: PLC0415 - the functions with the layer of signatures alone carry it
    from joserfc.jwk import RSAKey  # noqa: PLC0415

    now = clock.now_ms() // 1_000
    claims = {"iat": now - _BACK_SECONDS, "exp": now + _LIFE_SECONDS, "iss": app["app_id"]}
    return jwt.encode({"alg": "RS256"}, claims, RSAKey.import_key(app["private_key"]))


def as_app(token: str, wanted: ServiceRequest) -> ServiceReply:
    """Send a request as the App itself, with a token that it signed.

    Raises TryLater where GitHub's limit is reached, and as `client.send`.
    """
    headers = {"authorization": f"Bearer {token}", **VERSION_HEADERS}
    return within_limit(client.send(HOSTS, wanted.__replace__(headers=headers)))


def within_limit(reply: ServiceReply) -> ServiceReply:
    """Return a response. Raises TryLater if it is a 403 that says that a limit of requests is reached."""
    if reply.status == _FORBIDDEN:
        wait = client.pause(reply.headers)
        if wait is None and b"rate limit" in reply.body[:_SAID_BYTES].lower():
            wait = client.PAUSE_SECONDS  # the secondary limit: "wait for at least one minute"
        if wait is not None:
            raise TryLater("the limit of requests is reached", wait)
    return reply


def login_of(app: AppCredentials, installation_id: str) -> str | None:
    """Return what the account of an installation is called, or None if GitHub does not say. Raises TryLater."""
    try:
        reply = as_app(signed(app), ServiceRequest(url=f"{API}/app/installations/{installation_id}"))
    except Unauthorized:
        return None
    account = reply.json().get("account") if reply.ok else None
    return None if account is None else account.get("login")


def installation_tokens(app: AppCredentials, installation_id: str) -> Tokens:
    """Return a new token of an installation, which lasts an hour. Raises Revoked, TryLater, Unauthorized."""
    reply = as_app(
        signed(app),
        ServiceRequest(
            method="POST",
            url=f"{API}/app/installations/{installation_id}/access_tokens",
            repeatable=True,  # another token does no harm
        ),
    )
    if reply.status == _NOT_FOUND:
        raise Revoked(
            "The GitHub App is no longer installed on this account. Ask an admin to connect it again."
        )
    if reply.status == _FORBIDDEN:
        raise Revoked(
            "The GitHub App is suspended on this account. Its owner ends that in GitHub's settings."
        )
    if reply.status != _CREATED:
        raise TryLater(f"HTTP {reply.status}")
    sent = reply.json()
    ends_at = datetime.fromisoformat(sent["expires_at"])
    return Tokens({TOKEN: sent["token"]}, round(ends_at.timestamp() * 1_000))


class GitHub(Service):
    """GitHub, where a token of an installation lasts an hour."""

    hosts = HOSTS

    def renew(self, app: AppCredentials, connection: Connection, _tokens: Tokens) -> Tokens:
        """Return a new token of the installation. Raises Revoked, TryLater, Unauthorized."""
        return installation_tokens(app, connection.account_id)

    def headers(self, tokens: Tokens) -> Mapping[str, str]:
        """Return the headers of every request in the installation's name."""
        return {"authorization": f"Bearer {tokens.values[TOKEN]}", **VERSION_HEADERS}


GITHUB = GitHub()


def account_of(organization: str, repo: str) -> Account:
    """Return the account that has a repository. Raises NotConnectedNow, TryLater, Revoked."""
    connection = account_lookup.owner_of(organization, repo)
    if connection is None:
        raise NotConnectedNow
    return GITHUB.open(connection)
