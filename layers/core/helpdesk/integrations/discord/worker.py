"""Does the work of Discord: commands, channels and roles, answers and alerts."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations import service as integrations
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.adapter import Step
from helpdesk.integrations.chat import ChatAdapter
from helpdesk.integrations.discord import api as discord
from helpdesk.integrations.discord import asking, outgoing, receiver, service, texts
from helpdesk.integrations.discord.api import DISCORD, DiscordError
from helpdesk.integrations.discord.record import DiscordSettings
from helpdesk.integrations.record import Connection, Tokens
from helpdesk.platform.digest import sha256_hex


class DiscordAdapter(ChatAdapter[DiscordSettings]):
    """The adapter of Discord."""

    app = App.DISCORD
    settings = service.SETTINGS

    def handle_webhook(self, connection: Connection, event: str, data: Mapping[str, Any]) -> str:
        """Handle a command, in the organization that connected the server last: a command has one answer."""
        newest = max(
            integrations.connected_to(self.app, connection.account_id),
            key=lambda each: (each.connected_at, each.id),
            default=connection,
        )
        if newest.id != connection.id:
            return "another_organization"
        handle = {receiver.ASK: asking.ask, receiver.CLOSE: asking.close}[event]
        return handle(DISCORD.open(connection), data)

    def steps(self, job: IntegrationJob, until: int) -> Mapping[str, Step]:
        """Return the jobs of a chat app, and those of channels and roles."""
        return {
            **super().steps(job, until),
            service.LISTING.kind: lambda connection: service.refresh_directory(DISCORD.open(connection)),
            service.CHOSEN: lambda connection: _try_channel(DISCORD.open(connection), job.data["channelId"]),
        }

    def show_conversation(self, connection: Connection, conversation_id: str) -> str:
        """Post what is new in a conversation."""
        return outgoing.follow(connection, conversation_id, partial(DISCORD.open, connection))

    def on_connect(self, connection: Connection) -> str:
        """Register the commands, list channels and roles, and follow conversations where that was done before."""
        self.resume(connection)
        account = DISCORD.open(connection)
        discord.set_commands(account, texts.COMMANDS)
        return service.refresh_directory(account)

    def on_disconnect(self, connection: Connection, _tokens: Tokens) -> None:
        """Remove the commands and the bot from the server, unless another organization is connected to it."""
        if integrations.connected_to(self.app, connection.account_id):
            return
        account = DISCORD.open(connection)
        discord.set_commands(account, [])
        try:
            discord.leave(account)
        except DiscordError:
            return


def _try_channel(account: Account, channel_id: str) -> str:
    """Write in the chosen channel, and record why Discord refuses."""
    organization = account.connection.organization
    found = service.SETTINGS.get(organization)
    if found.channel_id != channel_id:
        return "another_channel"
    nonce = sha256_hex(f"{organization} {channel_id} {found.since}")[: discord.NONCE_CHARACTERS]
    problem = None
    try:
        discord.post(account, channel_id, texts.BEGINS, nonce)
    except DiscordError as error:
        problem = service.channel_problem(error.code)
    service.SETTINGS.set_channel_problem(organization, channel_id, problem)
    return "entered" if problem is None else "refused"
