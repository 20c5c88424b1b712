"""Requests to Discord's HTTP API, and what its answers mean.

Requests of the bot carry the operator's token. Those that answer an interaction carry the interaction's, in their
address (Discord, "Receiving and Responding to Interactions", Followup Messages). A refusal has a number that says why
(Discord, "Opcodes and Status Codes", JSON). A message has a nonce: Discord makes one message of two with the same nonce
within a few minutes (Discord, "Message", Create Message).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from helpdesk.events.integration_jobs import App
from helpdesk.integrations import client, credentials
from helpdesk.integrations.accounts import Account, Service
from helpdesk.integrations.client import ServiceReply, ServiceRequest, Unauthorized
from helpdesk.integrations.errors import Revoked, TryLater
from helpdesk.integrations.record import AppCredentials
from helpdesk.platform.settings import settings

API = "https://discord.com/api/v10"
OFFLINE = (
    "The bot was removed from the server at Discord. "
    "Ask an admin to connect it again at /v1/connect/chatcommunity."
)
NO_BOT = (
    "Discord does not accept the bot's token. Ask the operator to enter its new one with set-app, and then connect the "
    "server again at /v1/connect/chatcommunity."
)
NONCE_CHARACTERS = 25
UNKNOWN_CHANNEL, UNKNOWN_SERVER, NO_ACCESS, THREAD_EXISTS = 10003, 10004, 50001, 160004

_NO_EMBEDS = 1 << 2  # addresses in a message bring no preview of their pages
_EPOCH_MS = 1_420_070_400_000  # the first instant of Discord's ids


class Discord(Service):
    """Discord, where connections have no tokens: the bot's is the operator's."""

    hosts = frozenset({"discord.com"})


DISCORD = Discord()


class DiscordError(Exception):
    """Discord refused; `code` is its number for why, 0 without one."""

    def __init__(self, code: int) -> None:
        super().__init__(str(code))
        self.code = code


def channels(account: Account) -> list[dict[str, Any]]:
    """Return the channels of the server that the bot may know of. Raises Revoked, TryLater."""
    return _of_server(account, "GET", f"/guilds/{account.connection.account_id}/channels")  # type: ignore[no-any-return]


def roles(account: Account) -> list[dict[str, Any]]:
    """Return the roles of the server. Raises Revoked, TryLater."""
    return _of_server(account, "GET", f"/guilds/{account.connection.account_id}/roles")  # type: ignore[no-any-return]


def set_commands(account: Account, commands: Sequence[Mapping[str, Any]]) -> None:
    """Replace the app's commands in the server. Raises Revoked, TryLater."""
    application = account.credentials["client_id"]
    path = f"/applications/{application}/guilds/{account.connection.account_id}/commands"
    _of_server(account, "PUT", path, list(commands))


def leave(account: Account) -> None:
    """Let the bot leave the server. Raises DiscordError, Revoked, TryLater."""
    _as_bot(account, "DELETE", f"/users/@me/guilds/{account.connection.account_id}")


def post(
    account: Account,
    channel: str,
    content: str,
    nonce: str,
    *,
    users: Sequence[str] = (),
    roles: Sequence[str] = (),
    answers: str | None = None,
) -> dict[str, Any]:
    """Post a message, which notifies these people and roles and nobody else. Raises DiscordError, Revoked, TryLater.

    `answers` is the message of the same channel that it is a reply to.
    """
    body = {
        "content": content,
        "nonce": nonce,
        "enforce_nonce": True,
        "flags": _NO_EMBEDS,
        "allowed_mentions": {"parse": [], "users": list(users), "roles": list(roles), "replied_user": False},
    }
    if answers is not None:
        body["message_reference"] = {"message_id": answers, "fail_if_not_exists": False}
    posted: dict[str, Any] = _as_bot(account, "POST", f"/channels/{channel}/messages", body, repeatable=True)
    return posted


def is_there(account: Account, channel: str, content: str, since: int) -> bool:
    """Return whether the bot posted this text in a channel since an instant (ms).

    Raises DiscordError, Revoked, TryLater.
    """
    after = max(0, since - _EPOCH_MS) << 22
    found = _as_bot(account, "GET", f"/channels/{channel}/messages?after={after}&limit=100")
    bot = account.credentials["client_id"]
    return any(each["author"]["id"] == bot and each["content"] == content for each in found)


def look(account: Account, channel: str) -> None:
    """Look for a message in a channel. Raises DiscordError if it is deleted or hidden, Revoked, TryLater."""
    _as_bot(account, "GET", f"/channels/{channel}/messages?limit=1")


def start_thread(account: Account, channel: str, message: str, name: str) -> str:
    """Begin a thread at a message; return its id, which is the message's. Raises DiscordError, Revoked, TryLater."""
    path = f"/channels/{channel}/messages/{message}/threads"
    try:
        made = _as_bot(
            account, "POST", path, {"name": name, "auto_archive_duration": 10_080}, repeatable=True
        )
    except DiscordError as error:
        if error.code != THREAD_EXISTS:
            raise
        return message
    return str(made["id"])


def respond(app: AppCredentials, token: str, content: str) -> dict[str, Any] | None:
    """Fill in the response to an interaction; return its message, or None if its token has ended. Raises TryLater."""
    wanted = ServiceRequest(
        method="PATCH",
        url=f"{API}/webhooks/{app['client_id']}/{token}/messages/@original",
        headers=_user_agent(),
        json={"content": content, "flags": _NO_EMBEDS, "allowed_mentions": {"parse": []}},
        repeatable=True,
    )
    try:
        reply = client.send(DISCORD.hosts, wanted)
    except Unauthorized:
        return None
    return reply.json() if reply.ok else None


def _of_server(account: Account, method: Literal["GET", "PUT"], path: str, body: Any = None) -> Any:
    """Send a request about the server itself: a bot that may not know of it is not in it."""
    try:
        return _as_bot(account, method, path, body)
    except DiscordError as error:
        if error.code in {UNKNOWN_SERVER, NO_ACCESS}:
            raise Revoked(OFFLINE) from None
        raise TryLater(f"Discord refused: {error.code}") from None


def _as_bot(
    account: Account,
    method: Literal["GET", "PUT", "POST", "DELETE"],
    path: str,
    body: Any = None,
    *,
    repeatable: bool | None = None,
) -> Any:
    headers = {**_user_agent(), "authorization": f"Bot {account.credentials['bot_token']}"}
    try:
        reply = client.send(
            DISCORD.hosts,
            ServiceRequest(
                method=method, url=f"{API}{path}", headers=headers, json=body, repeatable=repeatable
            ),
        )
    except Unauthorized:
        newer = credentials.newer(App.DISCORD, account.credentials)
        if newer is None:
            raise Revoked(NO_BOT) from None
        return _as_bot(account.__replace__(credentials=newer), method, path, body, repeatable=repeatable)
    if not reply.ok:
        raise DiscordError(_code(reply))
    account.note_success()
    return reply.json() if reply.body else None


def _code(reply: ServiceReply) -> int:
    said = reply.json()
    return int(said.get("code", 0)) if isinstance(said, dict) else 0


def _user_agent() -> dict[str, str]:
    # Discord refuses bots with another form (Discord, "API Reference", User Agent).
    return {"user-agent": f"DiscordBot ({settings().base_url}, 1.0)"}
