"""What an organization sets for the chat community: the channel of alerts, and the role that they mention."""

from collections.abc import Callable, Mapping, Sequence
from copy import replace
from typing import Any

from helpdesk.admission.caller import Caller
from helpdesk.chatcommunity import directory, repository
from helpdesk.chatcommunity.errors import (
    ChatcommunityActFailed,
    ChatcommunityBotOffline,
    ChatcommunityBotTimeout,
    RoleNotFound,
)
from helpdesk.chatcommunity.record import CommunitySettings, Directory, Named
from helpdesk.chatcommunity.schemas import CommunityChanged, CommunitySettingsAnswer, CommunityUpdate
from helpdesk.integrations import connection_jobs, jobs, missed
from helpdesk.integrations import service as integrations
from helpdesk.integrations.apps import App
from helpdesk.integrations.errors import ChannelNotFound
from helpdesk.integrations.jobs import IntegrationJob
from helpdesk.integrations.record import Connection, ConnectionStatus
from helpdesk.platform import clock
from helpdesk.storage.transactions import Transaction
from helpdesk.webhooks import service as webhooks

CHOSEN = "community_chosen"
"""The kind of the job that tries whether the bot may write in the channel that was chosen."""
NAMED = 40
"""How many names the messages of channel_not_found and role_not_found list."""
_APP = App.CHATCOMMUNITY


def settings(organization: str) -> CommunitySettings:
    """Return what is set. One call."""
    return CommunitySettings.from_item(integrations.settings(organization, _APP))


def show(organization: str) -> CommunitySettingsAnswer:
    """Return what is set, as the route shows it. Raises ChatcommunityNotConnected."""
    found, connection = settings(organization), integrations.connection(organization, _APP)
    here = _at(connection, found)
    return CommunitySettingsAnswer(
        channel=here.channel,
        role=here.role,
        enabled=here.enabled,
        problem=connection.problem or here.problem,
    )


def change(caller: Caller, wanted: CommunityUpdate) -> CommunityChanged:
    """Change what is sent; return the channel and the role that are set then.

    Raises ChatcommunityNotConnected, ChatcommunityBotOffline, ChatcommunityBotTimeout, ChannelNotFound, RoleNotFound,
    ChatcommunityActFailed.
    """
    organization = caller.organization
    connection = integrations.connection(organization, _APP)
    known = _known(connection) if wanted.channel is not None or wanted.role is not None else Directory()
    channel = None if wanted.channel is None else _channel(connection, known, wanted.channel)
    role = None if wanted.role is None else _role(connection, known, wanted.role)

    results: list[CommunitySettings] = []  # what the settings come to, with each try

    def next_settings(item: Mapping[str, Any]) -> Mapping[str, Any]:
        seen = _at(connection, CommunitySettings.from_item(item))
        after = _next(connection, seen, channel, role, wanted)
        results.append(after)
        return after.to_item()

    def also(transaction: Transaction) -> None:
        integrations.require(transaction, connection)
        webhooks.follow(transaction, organization, _APP.value, follows=results[-1].follows)
        if channel is not None:
            jobs.put(transaction, _try_channel(organization, channel.id))
        integrations.add_changed(transaction, connection, caller.actor, _changes(wanted, channel, role))

    if not wanted.model_fields_set:
        here = show(organization)
        return CommunityChanged(channel=here.channel, role=here.role)
    integrations.change_settings(organization, _APP, next_settings, also)
    return CommunityChanged(channel=results[-1].channel, role=results[-1].role)


def followed_server(organization: str) -> str | None:
    """Return the server in which an organization wants its conversations, connected or not. One call."""
    found = settings(organization)
    return found.server if found.follows else None


def disconnect(caller: Caller, server: str | None) -> None:
    """Remove the connection, and note for a while what it misses. Raises ChatcommunityNotConnected."""
    connection_jobs.disconnect(caller, _APP, server, follows=followed_server(caller.organization) is not None)


def resume(connection: Connection) -> None:
    """Follow conversations again where a server comes back that did, and catch up with what was missed.

    Raises ChatcommunityNotConnected.
    """
    if _at(connection, settings(connection.organization)).follows:
        _follow(connection, lambda seen: seen, missed.job(connection.organization, _APP))


def note_asked(connection: Connection) -> None:
    """Note that somebody asked in the server: answers are to go there. Raises ChatcommunityNotConnected.

    One call, and more for the first question.
    """
    if not _at(connection, settings(connection.organization)).asked:
        _follow(connection, lambda seen: replace(seen, server=connection.account_id, asked=True))


def note_problem(organization: str, channel_id: str, problem: str | None) -> None:
    """Note why nothing arrives in a channel, or with None that it does, unless another one was chosen since.

    Where something arrives again, conversations that were missed are looked at.
    """
    found = settings(organization)
    if found.channel_id != channel_id or found.problem == problem:
        return

    def next_settings(item: Mapping[str, Any]) -> Mapping[str, Any]:
        seen = CommunitySettings.from_item(item)
        return (replace(seen, problem=problem) if seen.channel_id == channel_id else seen).to_item()

    def also(transaction: Transaction) -> None:
        if problem is None:
            jobs.put(transaction, missed.job(organization, _APP))

    integrations.change_settings(organization, _APP, next_settings, also)


def refused(code: int) -> str:
    """Return what an admin does about a channel that Discord keeps the bot out of, for Discord's number for why."""
    return (
        f"Discord keeps the bot out of the channel ({code}). Let it view the channel and send messages there, or name "
        "another channel."
    )


def _follow(
    connection: Connection,
    wanted: Callable[[CommunitySettings], CommunitySettings],
    then: IntegrationJob | None = None,
) -> None:
    follows: list[bool] = []

    def next_settings(item: Mapping[str, Any]) -> Mapping[str, Any]:
        after = wanted(_at(connection, CommunitySettings.from_item(item)))
        follows.append(after.follows)
        return after.to_item()

    def also(transaction: Transaction) -> None:
        integrations.require(transaction, connection)
        webhooks.follow(transaction, connection.organization, _APP.value, follows=follows[-1])
        if then is not None:
            jobs.put(transaction, then)

    integrations.change_settings(connection.organization, _APP, next_settings, also)


def _at(connection: Connection, found: CommunitySettings) -> CommunitySettings:
    """Return the settings of the server that is connected: those of another one are of no use in it."""
    return found if found.server == connection.account_id else CommunitySettings()


def _next(
    connection: Connection,
    seen: CommunitySettings,
    channel: Named | None,
    role: Named | None,
    wanted: CommunityUpdate,
) -> CommunitySettings:
    after = replace(seen, server=connection.account_id)
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


def _known(connection: Connection) -> Directory:
    if connection.status is ConnectionStatus.BROKEN:
        directory.ask(connection)  # which mends the connection if the bot is back
        raise ChatcommunityBotOffline
    known = repository.directory(connection)
    if known.listed_at is None:
        directory.ask(connection)
        raise ChatcommunityBotTimeout
    return known


def _channel(connection: Connection, known: Directory, named: str) -> Named:
    found = _matching(known.channels, named, "#")
    if len(found) != 1:
        directory.ask(connection)
        raise ChannelNotFound(_why("channel", "#", found, known.channels))
    [channel] = found
    current = _at(connection, settings(connection.organization))
    if current.channel_id == channel.id and current.problem is not None:
        transaction = Transaction()
        jobs.put(transaction, _try_channel(connection.organization, channel.id))
        transaction.commit()
        raise ChatcommunityActFailed(current.problem)
    return channel


def _role(connection: Connection, known: Directory, named: str) -> Named:
    found = _matching(known.roles, named, "@")
    if len(found) != 1:
        directory.ask(connection)
        raise RoleNotFound(_why("role", "@", found, known.roles))
    [role] = found
    if not role.mentionable:
        directory.ask(connection)
        raise ChatcommunityActFailed(
            f'A mention of @{role.name} would notify nobody. Switch on "Allow anyone to @mention this role" in the '
            "server's settings at Discord, and send the request again a minute later."
        )
    return role


def _matching(known: Sequence[Named], named: str, sign: str) -> list[Named]:
    text = named.strip()
    by_id = [each for each in known if each.id == text]
    name = text.removeprefix(sign).casefold()
    return by_id or [each for each in known if each.name.casefold() == name]


def _why(kind: str, sign: str, found: Sequence[Named], known: Sequence[Named]) -> str:
    if found:
        ids = ", ".join(each.id for each in found)
        return f"More than one {kind} has this name. Send the ID of one instead: {ids}."
    return f"No {kind} has this name. {_existing(f'{kind}s', sign, known)}"


def _existing(kind: str, sign: str, known: Sequence[Named]) -> str:
    if not known:
        return f"The bot can see no {kind} in the server."
    listed = ", ".join(f"{sign}{each.name}" for each in known[:NAMED])
    return f"The {kind} are {listed}{' and others' if len(known) > NAMED else ''}."


def _try_channel(organization: str, channel_id: str) -> IntegrationJob:
    return IntegrationJob(kind=CHOSEN, app=_APP, organization=organization, data={"channelId": channel_id})


def _changes(wanted: CommunityUpdate, channel: Named | None, role: Named | None) -> list[str]:
    """Return what was set, for the log."""
    return [
        *([f"the channel #{channel.name}"] if channel else []),
        *([f"the role {f'@{role.name}' if role else 'none'}"] if "role" in wanted.model_fields_set else []),
        *([f"alerts {'on' if wanted.enabled else 'off'}"] if wanted.enabled is not None else []),
    ]
