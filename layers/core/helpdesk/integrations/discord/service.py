"""Settings of Discord, the channel of alerts and the role that they mention, and the directory of channels and roles.

The worker keeps the directory, so that routes answer without asking Discord. It is listed when a server is connected,
each night, and when a name is not found. Discord reports changes of channels and roles to bots with an open socket
alone.
"""

from collections.abc import Mapping, Sequence
from copy import replace
from typing import Any

from helpdesk.api.admission.caller import Caller
from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations import service as integrations
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.app_settings import Listing
from helpdesk.integrations.chat import ChatSettings
from helpdesk.integrations.discord import api as discord
from helpdesk.integrations.discord.record import DiscordDirectory, DiscordSettings, Named, directories
from helpdesk.integrations.discord.schemas import CommunityChanged, CommunitySettingsAnswer, CommunityUpdate
from helpdesk.integrations.errors import (
    ChannelNotFound,
    DiscordActFailed,
    DiscordBotOffline,
    DiscordBotTimeout,
    RoleNotFound,
    some_of,
)
from helpdesk.integrations.record import Connection, ConnectionStatus
from helpdesk.platform import clock
from helpdesk.storage import table
from helpdesk.storage.transactions import Transaction

CHOSEN = "community_chosen"
"""The kind of the job that tries whether the bot may write in the channel that was chosen."""
SETTINGS = ChatSettings(App.DISCORD, DiscordSettings)
LISTING = Listing("community_directory", DiscordDirectory.key_for)

_WITH_MESSAGES = frozenset({0, 5})  # types of channels: text, announcements
_MAX_LISTED = 500
"""Channels that a server may have, and more than the roles that it may have. An item of DynamoDB has room for both."""


def show(organization: str) -> CommunitySettingsAnswer:
    """Return the settings of the connected server. Raises DiscordNotConnected."""
    return CommunitySettingsAnswer.model_validate(SETTINGS.in_force(organization), from_attributes=True)


def change(caller: Caller, wanted: CommunityUpdate) -> CommunityChanged:
    """Change the fields that were sent; return the channel and the role.

    Raises DiscordNotConnected, DiscordBotOffline, DiscordBotTimeout, ChannelNotFound, RoleNotFound,
    DiscordActFailed.
    """
    organization = caller.organization
    connection = integrations.connection(organization, App.DISCORD)
    known = _known(connection) if wanted.channel is not None or wanted.role is not None else None
    channel = None if wanted.channel is None or known is None else _channel(connection, known, wanted.channel)
    role = None if wanted.role is None or known is None else _role(connection, known, wanted.role)

    def extra_writes(transaction: Transaction, _before: DiscordSettings, after: DiscordSettings) -> None:
        SETTINGS.add_follow(transaction, connection, follows=after.follows)
        if channel is not None:
            jobs.put(transaction, _chosen(organization, channel))
        integrations.add_changed(transaction, connection, caller.actor, _changes(wanted, channel, role))

    if not wanted.model_fields_set:
        return CommunityChanged.model_validate(show(organization), from_attributes=True)
    after = SETTINGS.change(
        organization, lambda seen: _next(connection, seen, channel, role, wanted), extra_writes
    )
    return CommunityChanged.model_validate(after, from_attributes=True)


def note_asked(connection: Connection) -> None:
    """Record that somebody asked in the server: answers go there. Raises DiscordNotConnected.

    One call, and more for the first question.
    """
    server = connection.account_id

    def asked(seen: DiscordSettings) -> DiscordSettings:
        return replace(seen.within(server), account_id=server, asked=True)

    def extra_writes(transaction: Transaction, _before: DiscordSettings, after: DiscordSettings) -> None:
        SETTINGS.add_follow(transaction, connection, follows=after.follows)

    if not SETTINGS.get(connection.organization).within(server).asked:
        SETTINGS.change(connection.organization, asked, extra_writes)


def channel_problem(code: int) -> str:
    """Return what an admin does about a channel that Discord keeps the bot out of, by Discord's error code."""
    return (
        f"The bot can't write in the channel ({code}). Let it view the channel and send messages there, or name "
        "another channel."
    )


def _next(
    connection: Connection,
    stored: DiscordSettings,
    channel: Named | None,
    role: Named | None,
    wanted: CommunityUpdate,
) -> DiscordSettings:
    seen = stored.within(connection.account_id)
    after = replace(seen, account_id=connection.account_id)
    if channel is not None:
        first = seen.channel_id is None
        after = replace(
            after,
            channel=channel.name,
            channel_id=channel.id,
            enabled=True if first else seen.enabled,
            problem=None,
        )
    if "role" in wanted.model_fields_set:
        after = replace(after, role=role.name if role else None, role_id=role.id if role else None)
    if wanted.enabled is not None:
        after = replace(after, enabled=wanted.enabled)
    if after.enabled and after.channel_id is None:
        raise ChannelNotFound(
            f"Name a channel first. {_existing('channels', '#', _known(connection).channels)}"
        )
    begins = after.enabled and (not seen.enabled or seen.channel_id != after.channel_id)
    return replace(after, since=clock.now_ms()) if begins else after


def _known(connection: Connection) -> DiscordDirectory:
    if connection.status is ConnectionStatus.BROKEN:
        LISTING.request_soon(connection)  # which mends the connection if the bot is back
        raise DiscordBotOffline
    known = directories.find(connection.organization, connection.account_id)
    if known is None or known.listed_at is None:
        LISTING.request_soon(connection)
        raise DiscordBotTimeout
    return known


def _channel(connection: Connection, known: DiscordDirectory, named: str) -> Named:
    found = _matching(known.channels, named, "#")
    if len(found) != 1:
        LISTING.request_soon(connection)
        raise ChannelNotFound(_not_found_text("channel", "#", found, known.channels))
    [channel] = found
    current = SETTINGS.get(connection.organization).within(connection.account_id)
    if current.channel_id == channel.id and current.problem is not None:
        jobs.enqueue(_chosen(connection.organization, channel))
        raise DiscordActFailed(current.problem)
    return channel


def _role(connection: Connection, known: DiscordDirectory, named: str) -> Named:
    found = _matching(known.roles, named, "@")
    if len(found) != 1:
        LISTING.request_soon(connection)
        raise RoleNotFound(_not_found_text("role", "@", found, known.roles))
    [role] = found
    if not role.mentionable:
        LISTING.request_soon(connection)
        raise DiscordActFailed(
            f'A mention of @{role.name} would notify nobody. Switch on "Allow anyone to @mention this role" in the '
            "server's settings at Discord, and send the request again a minute later."
        )
    return role


def _matching(known: Sequence[Named], named: str, sign: str) -> list[Named]:
    text = named.strip()
    by_id = [each for each in known if each.id == text]
    name = text.removeprefix(sign).casefold()
    return by_id or [each for each in known if each.name.casefold() == name]


def _not_found_text(kind: str, sign: str, found: Sequence[Named], known: Sequence[Named]) -> str:
    if found:
        ids = ", ".join(each.id for each in found)
        return f"More than one {kind} has this name. Send the ID of one instead: {ids}."
    return f"No {kind} has this name. {_existing(f'{kind}s', sign, known)}"


def _existing(kind: str, sign: str, known: Sequence[Named]) -> str:
    if not known:
        return f"The bot can't see any {kind} in the server."
    return f"The {kind} are {some_of([f'{sign}{each.name}' for each in known])}."


def _chosen(organization: str, channel: Named) -> IntegrationJob:
    data = {"channelId": channel.id}
    return IntegrationJob(kind=CHOSEN, app=App.DISCORD, organization=organization, data=data)


def _changes(wanted: CommunityUpdate, channel: Named | None, role: Named | None) -> list[str]:
    """Return what was set, for the log."""
    return [
        *([f"the channel #{channel.name}"] if channel else []),
        *([f"the role {f'@{role.name}' if role else 'none'}"] if "role" in wanted.model_fields_set else []),
        *([f"alerts {'on' if wanted.enabled else 'off'}"] if wanted.enabled is not None else []),
    ]


def refresh_directory(account: Account) -> str:
    """List the channels and roles; return the outcome. Raises Revoked, TryLater."""
    connection, began_at = account.connection, clock.now_ms()
    channels = [each for each in discord.channels(account) if each["type"] in _WITH_MESSAGES]
    # Everyone has the role with the server's id, and a bot has one of its own.
    roles = [
        each for each in discord.roles(account) if each["id"] != connection.account_id and not each["managed"]
    ]
    table.change(
        LISTING.key(connection),
        set={"channels": _named(channels), "roles": _named(roles), "listed_at": began_at},
        or_new=True,
    )
    return "listed"


def _named(found: Sequence[Mapping[str, Any]]) -> list[Named]:
    ordered = sorted(found, key=lambda each: each["position"])[:_MAX_LISTED]
    return [Named(each["id"], each["name"], bool(each.get("mentionable", True))) for each in ordered]
