"""Does the work of the chat community: commands, channels and roles, answers and alerts."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from helpdesk.chatcommunity import asking, directory, discord, outgoing, receiver, service, texts
from helpdesk.chatcommunity.discord import DiscordError
from helpdesk.integrations import accounts, connection_jobs, following, missed
from helpdesk.integrations import service as integrations
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.apps import App
from helpdesk.integrations.jobs import IntegrationJob
from helpdesk.integrations.outcomes import NotConnectedNow
from helpdesk.integrations.record import AppCredentials, Connection, Tokens
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.errors import AppError

if TYPE_CHECKING:
    from helpdesk.integrations.adapter import Worker

HOSTS = discord.HOSTS


def renew(_app: AppCredentials, _connection: Connection, tokens: Tokens) -> Tokens:
    """Return the tokens as they are: there are none, as the bot's is the operator's."""
    return tokens


def headers(_tokens: Tokens) -> Mapping[str, str]:
    """Return no headers: `discord` adds the bot's token."""
    return {}


def take_hook(connection: Connection, event: str, data: Mapping[str, Any], _until: int) -> str:
    """Do what somebody typed, in the organization that connected the server last: a command has one answer."""
    newest = max(
        integrations.connected_to(App.CHATCOMMUNITY, connection.account_id),
        key=lambda each: (each.connected_at, each.id),
        default=connection,
    )
    if newest.id != connection.id:
        return "another_organization"
    take = {receiver.ASK: asking.ask, receiver.CLOSE: asking.close}[event]
    return take(_opened(connection), data)


def work(job: IntegrationJob, until: int) -> str:
    """Do a job of the chat community until an instant (ms)."""
    return connection_jobs.do(
        job,
        App.CHATCOMMUNITY,
        {
            directory.LIST: lambda connection: directory.refresh(_opened(connection)),
            following.FOLLOW: lambda connection: outgoing.follow(
                connection, following.conversation_of(job), lambda: _opened(connection)
            ),
            service.CHOSEN: lambda connection: _try_channel(_opened(connection), str(job.data["channelId"])),
            missed.CATCH_UP: lambda connection: missed.catch_up(connection, until),
        },
        service.followed_server,
    )


signal_changed = connection_jobs.leaves_signals


def connected(connection: Connection) -> str:
    """Register the commands, list channels and roles, and follow conversations where that was done before."""
    try:
        service.resume(connection)
    except AppError:
        raise NotConnectedNow from None
    account = _opened(connection)
    discord.set_commands(account, texts.COMMANDS)
    return directory.refresh(account)


def removed(_app: AppCredentials | None, connection: Connection, tokens: Tokens | None) -> None:
    """Take the commands and the bot out of the server, unless another organization is connected to it."""
    if tokens is None or integrations.connected_to(App.CHATCOMMUNITY, connection.account_id):
        return
    account = _opened(connection)
    discord.set_commands(account, [])
    try:
        discord.leave(account)
    except DiscordError:
        return


def _try_channel(account: Account, channel_id: str) -> str:
    """Write in the channel that was chosen, and note the problem if Discord refuses."""
    organization = account.connection.organization
    found = service.settings(organization)
    if found.channel_id != channel_id:
        return "another_channel"
    nonce = sha256_hex(f"{organization} {channel_id} {found.since}")[: discord.NONCE_CHARACTERS]
    try:
        discord.post(account, channel_id, texts.BEGINS, nonce)
    except DiscordError as error:
        service.note_problem(organization, channel_id, service.refused(error.code))
        return "refused"
    service.note_problem(organization, channel_id, None)
    return "entered"


def _opened(connection: Connection) -> Account:
    return accounts.opened(connection, cast("Worker", sys.modules[__name__]))
