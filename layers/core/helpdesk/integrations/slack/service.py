"""Settings of the chat mirror (Specification: PATCH /integrations/chatmirror)."""

import unicodedata
from collections.abc import Mapping
from copy import replace

from helpdesk.api.admission.caller import Caller
from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations import service as integrations
from helpdesk.integrations.chat import ChatSettings
from helpdesk.integrations.errors import MOST_LISTED, ChannelNotFound, some_of
from helpdesk.integrations.record import Connection, ConnectionStatus
from helpdesk.integrations.slack import directory, repository
from helpdesk.integrations.slack.errors import MirrorActFailed, MirrorBotOffline, MirrorBotTimeout
from helpdesk.integrations.slack.record import MirrorChannel, MirrorSettings
from helpdesk.integrations.slack.schemas import MirrorChanged, MirrorSettingsAnswer, MirrorUpdate
from helpdesk.platform import clock
from helpdesk.storage.transactions import Transaction

CHOSEN = "mirror_chosen"
"""The kind of the job that lets the bot into the channel that was chosen."""
RETRY_MS = 5_000
"""When a channel that refused a message is tried once more: the bot may just be joining it."""
SETTINGS = ChatSettings(App.CHATMIRROR, MirrorSettings, RETRY_MS)


def show(organization: str) -> MirrorSettingsAnswer:
    """Return the settings of the connected workspace. Raises ChatmirrorNotConnected."""
    connection = integrations.connection(organization, App.CHATMIRROR)
    found = SETTINGS.get(organization).within(connection.account_id)
    return MirrorSettingsAnswer.model_validate(
        replace(found, problem=connection.problem or found.problem), from_attributes=True
    )


def change(caller: Caller, wanted: MirrorUpdate) -> MirrorChanged:
    """Change the fields that were sent; return the channel.

    Raises ChatmirrorNotConnected, MirrorBotOffline, MirrorBotTimeout, ChannelNotFound, MirrorActFailed.
    """
    organization = caller.organization
    connection = integrations.connection(organization, App.CHATMIRROR)
    channel = None if wanted.channel is None else _resolved(connection, wanted.channel)

    def extra_writes(transaction: Transaction, _before: MirrorSettings, after: MirrorSettings) -> None:
        SETTINGS.add_follow(transaction, connection, follows=after.follows)
        if channel is not None:
            jobs.put(transaction, _chosen(organization, channel))
        integrations.add_changed(transaction, connection, caller.actor, _changes(wanted, channel))

    if not wanted.model_fields_set:
        return MirrorChanged(channel=show(organization).channel)
    after = SETTINGS.change(organization, lambda seen: _next(connection, seen, channel, wanted), extra_writes)
    return MirrorChanged(channel=after.channel)


def rename_channel(connection: Connection, names: Mapping[str, str]) -> None:
    """Store the chosen channel's new name, by the names of a workspace's channels. One read, mostly."""

    def renamed(seen: MirrorSettings) -> MirrorSettings:
        name = names.get(seen.channel_id or "") if seen.account_id == connection.account_id else None
        return seen if name is None else replace(seen, channel=name)

    found = SETTINGS.get(connection.organization)
    if renamed(found) != found:
        SETTINGS.change(connection.organization, renamed)


_OUTSIDE = frozenset({"channel_not_found", "is_archived", "not_in_channel"})
_UNAUTHORIZED = frozenset({"ekm_access_denied", "missing_scope", "no_permission", "not_allowed_token_type"})


def channel_problem(code: str) -> str:
    """Return what an admin does about a channel in which Slack refuses the bot, by Slack's error code."""
    if code in _UNAUTHORIZED:
        return f"Slack doesn't allow the app to post ({code}). Connect Slack again at /v1/connect/chatmirror."
    if code not in _OUTSIDE:
        return f"Slack rejects the app's messages ({code}). Allow apps to post in the channel, or name another channel."
    return (
        f"The app can't join the channel ({code}). Type `/invite @helpdesk` there, or name another channel."
    )


def _next(
    connection: Connection, stored: MirrorSettings, channel: MirrorChannel | None, wanted: MirrorUpdate
) -> MirrorSettings:
    after = seen = stored.within(connection.account_id)
    if channel is not None:
        first = seen.channel_id is None
        after = replace(
            seen,
            channel=channel.name,
            channel_id=channel.id,
            account_id=connection.account_id,
            enabled=True if first else seen.enabled,
            problem=None,
        )
    if wanted.enabled is not None:
        after = replace(after, enabled=wanted.enabled)
    if wanted.mode is not None:
        after = replace(after, mode=wanted.mode)
    if after.enabled and after.channel_id is None:
        raise ChannelNotFound(f"Name a channel first. {_existing(connection)}")
    now = clock.now_ms()
    if after.enabled and (not seen.enabled or seen.channel_id != after.channel_id):
        after = replace(after, since=now)
    if after.is_two_way and not seen.is_two_way:
        after = replace(after, two_way_since=now)
    return after


def _resolved(connection: Connection, named: str) -> MirrorChannel:
    if connection.status is ConnectionStatus.BROKEN:
        raise MirrorBotOffline
    # As Slack writes names; a case-folded one would be another where it has a letter such as the German sharp s.
    name = unicodedata.normalize("NFC", named.strip().removeprefix("#").lower())
    organization, team = connection.organization, connection.account_id
    found = repository.channel(organization, team, name)
    if found is None:
        listed_at = repository.listed_at(connection)
        directory.LISTING.request_soon(connection)
        if listed_at is None:
            raise MirrorBotTimeout
        raise ChannelNotFound(f"No channel has this name. {_existing(connection)}")
    current = SETTINGS.get(organization)
    if current.channel_id == found.id and current.problem is not None:
        jobs.enqueue(_chosen(organization, found))
        raise MirrorActFailed(current.problem)
    return found


def _chosen(organization: str, channel: MirrorChannel) -> IntegrationJob:
    data = {"channelId": channel.id}
    return IntegrationJob(kind=CHOSEN, app=App.CHATMIRROR, organization=organization, data=data)


def _existing(connection: Connection) -> str:
    names, more = repository.first_channels(connection.organization, connection.account_id, MOST_LISTED)
    if not names:
        return "The app can't see any public channels in Slack."
    return f"The public channels are {some_of([f'#{name}' for name in names], more=more)}."


def _changes(wanted: MirrorUpdate, channel: MirrorChannel | None) -> list[str]:
    """Return what was set, for the log."""
    return [
        *([f"the channel #{channel.name}"] if channel else []),
        *([f"mirroring {'on' if wanted.enabled else 'off'}"] if wanted.enabled is not None else []),
        *([f"the mode {wanted.mode.value}"] if wanted.mode else []),
    ]
