"""What an organization sets for the chat mirror (Specification: PATCH /integrations/chatmirror)."""

import unicodedata
from collections.abc import Mapping
from copy import replace
from typing import Any

from helpdesk.admission.caller import Caller
from helpdesk.chatmirror import directory, repository
from helpdesk.chatmirror.errors import MirrorActFailed, MirrorBotOffline, MirrorBotTimeout
from helpdesk.chatmirror.record import Channel, MirrorSettings, Mode
from helpdesk.chatmirror.schemas import MirrorChanged, MirrorSettingsAnswer, MirrorUpdate
from helpdesk.integrations import connection_jobs, jobs, missed
from helpdesk.integrations import service as integrations
from helpdesk.integrations.apps import App
from helpdesk.integrations.errors import ChannelNotFound
from helpdesk.integrations.jobs import IntegrationJob
from helpdesk.integrations.record import Connection, ConnectionStatus
from helpdesk.platform import clock
from helpdesk.storage.transactions import Transaction
from helpdesk.webhooks import service as webhooks

CHOSEN = "mirror_chosen"
"""The kind of the job that lets the bot into the channel that was chosen."""
LOOK_AGAIN_MS = 5_000
"""When a channel that took nothing is tried once more: the bot may just have been on its way in."""
NAMED = 40
"""How many channels the message of channel_not_found names."""


def settings(organization: str) -> MirrorSettings:
    """Return what is set. One call."""
    return MirrorSettings.from_item(integrations.settings(organization, App.CHATMIRROR))


def show(organization: str) -> MirrorSettingsAnswer:
    """Return what is set, as the route shows it. Raises ChatmirrorNotConnected."""
    found, connection = settings(organization), integrations.connection(organization, App.CHATMIRROR)
    here = found.team == connection.account_id
    return MirrorSettingsAnswer(
        channel=found.channel if here else None,
        enabled=found.enabled and here,
        mode=found.mode,
        problem=connection.problem or (found.problem if here else None),
    )


def change(caller: Caller, wanted: MirrorUpdate) -> MirrorChanged:
    """Change what is sent; return the channel that is set then.

    Raises ChatmirrorNotConnected, MirrorBotOffline, MirrorBotTimeout, ChannelNotFound, MirrorActFailed.
    """
    organization = caller.organization
    connection = integrations.connection(organization, App.CHATMIRROR)
    channel = None if wanted.channel is None else _resolved(connection, wanted.channel)

    results: list[MirrorSettings] = []  # what the settings come to, with each try

    def next_settings(item: Mapping[str, Any]) -> Mapping[str, Any]:
        seen = MirrorSettings.from_item(item)
        if seen.team != connection.account_id:
            seen = MirrorSettings(mode=seen.mode)  # its channel was one of another workspace
        after = _next(connection, seen, channel, wanted)
        results.append(after)
        return after.to_item()

    def also(transaction: Transaction) -> None:
        integrations.require(transaction, connection)
        webhooks.follow(transaction, organization, App.CHATMIRROR.value, follows=results[-1].enabled)
        if channel is not None:
            data = {"channelId": channel.id}
            job = IntegrationJob(kind=CHOSEN, app=App.CHATMIRROR, organization=organization, data=data)
            jobs.put(transaction, job)
        integrations.add_changed(transaction, connection, caller.actor, _changes(wanted, channel))

    if not wanted.model_fields_set:
        return MirrorChanged(channel=show(organization).channel)
    integrations.change_settings(organization, App.CHATMIRROR, next_settings, also)
    return MirrorChanged(channel=results[-1].channel)


def mirrored_team(organization: str) -> str | None:
    """Return the workspace in which an organization wants its conversations, connected or not. One call."""
    found = settings(organization)
    return found.team if found.enabled else None


def disconnect(caller: Caller, workspace: str | None) -> None:
    """Remove the connection, and note for a while what it misses. Raises ChatmirrorNotConnected."""
    connection_jobs.disconnect(
        caller, App.CHATMIRROR, workspace, follows=mirrored_team(caller.organization) is not None
    )


def resume(connection: Connection) -> None:
    """Follow conversations again where a workspace comes back whose mirror is on, and catch up with what was missed.

    Raises ChatmirrorNotConnected.
    """
    organization, on = connection.organization, False

    def next_settings(item: Mapping[str, Any]) -> Mapping[str, Any]:
        nonlocal on
        seen = MirrorSettings.from_item(item)
        on = seen.enabled and seen.team == connection.account_id
        return seen.to_item()

    def also(transaction: Transaction) -> None:
        integrations.require(transaction, connection)
        webhooks.follow(transaction, organization, App.CHATMIRROR.value, follows=on)
        jobs.put(transaction, missed.job(organization, App.CHATMIRROR))

    found = settings(organization)
    if found.enabled and found.team == connection.account_id:
        integrations.change_settings(organization, App.CHATMIRROR, next_settings, also)


def note_problem(organization: str, channel_id: str, problem: str | None) -> None:
    """Note why nothing arrives in a channel, or with None that it does, unless another one was chosen since.

    Then conversations that missed something are looked at: at once where something arrives again, and a little later
    where nothing does.
    """
    found = settings(organization)
    if found.channel_id != channel_id or found.problem == problem:
        return
    turned = False

    def next_settings(item: Mapping[str, Any]) -> Mapping[str, Any]:
        nonlocal turned
        seen = MirrorSettings.from_item(item)
        is_it = seen.channel_id == channel_id
        turned = is_it and (seen.problem is None) != (problem is None)
        return (replace(seen, problem=problem) if is_it else seen).to_item()

    def also(transaction: Transaction) -> None:
        if turned:
            due_at = None if problem is None else clock.now_ms() + LOOK_AGAIN_MS
            jobs.put(transaction, missed.job(organization, App.CHATMIRROR, due_at))

    integrations.change_settings(organization, App.CHATMIRROR, next_settings, also)


def note_name(connection: Connection, names: Mapping[str, str]) -> None:
    """Note what the channel that was chosen is called now, by the names of a workspace's channels. One read, mostly."""
    organization = connection.organization

    def named(seen: MirrorSettings) -> MirrorSettings:
        name = names.get(seen.channel_id or "") if seen.team == connection.account_id else None
        return seen if name is None else replace(seen, channel=name)

    found = settings(organization)
    if named(found) != found:
        integrations.change_settings(
            organization, App.CHATMIRROR, lambda item: named(MirrorSettings.from_item(item)).to_item()
        )


_OUTSIDE = frozenset({"channel_not_found", "is_archived", "not_in_channel"})
_UNAUTHORIZED = frozenset({"ekm_access_denied", "missing_scope", "no_permission", "not_allowed_token_type"})


def refused(code: str) -> str:
    """Return what an admin does about a channel in which Slack refuses the bot, for Slack's word why."""
    if code in _UNAUTHORIZED:
        return (
            f"Slack does not allow the app to post ({code}). Connect Slack again at /v1/connect/chatmirror."
        )
    if code not in _OUTSIDE:
        return f"Slack refuses what the app posts ({code}). Allow apps to post in the channel, or name another channel."
    return f"Slack keeps the app out of the channel ({code}). Type `/invite @helpdesk` there, or name another channel."


def _next(
    connection: Connection, seen: MirrorSettings, channel: Channel | None, wanted: MirrorUpdate
) -> MirrorSettings:
    after = seen
    if channel is not None:
        first = seen.channel_id is None
        after = replace(
            seen,
            channel=channel.name,
            channel_id=channel.id,
            team=connection.account_id,
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
    if _is_two_way(after) and not _is_two_way(seen):
        after = replace(after, two_way_since=now)
    return after


def _is_two_way(found: MirrorSettings) -> bool:
    return found.enabled and found.mode is Mode.TWO_WAY


def _resolved(connection: Connection, named: str) -> Channel:
    if connection.status is ConnectionStatus.BROKEN:
        raise MirrorBotOffline
    # As Slack writes names; a case-folded one would be another where it has a letter such as the German sharp s.
    name = unicodedata.normalize("NFC", named.strip().removeprefix("#").lower())
    organization, team = connection.organization, connection.account_id
    found = repository.channel(organization, team, name)
    if found is None:
        listed_at = repository.listed_at(connection)
        directory.ask(connection)
        if listed_at is None:
            raise MirrorBotTimeout
        raise ChannelNotFound(f"No channel has this name. {_existing(connection)}")
    current = settings(organization)
    if current.channel_id == found.id and current.problem is not None:
        _try_again(connection, found)
        raise MirrorActFailed(current.problem)
    return found


def _try_again(connection: Connection, channel: Channel) -> None:
    transaction = Transaction()
    data = {"channelId": channel.id}
    jobs.put(
        transaction,
        IntegrationJob(kind=CHOSEN, app=App.CHATMIRROR, organization=connection.organization, data=data),
    )
    transaction.commit()


def _existing(connection: Connection) -> str:
    names, more = repository.first_channels(connection.organization, connection.account_id, NAMED)
    if not names:
        return "The app can see no public channel in Slack."
    listed = ", ".join(f"#{name}" for name in names)
    return f"The public channels are {listed}{' and others' if more else ''}."


def _changes(wanted: MirrorUpdate, channel: Channel | None) -> list[str]:
    """Return what was set, for the log."""
    return [
        *([f"the channel #{channel.name}"] if channel else []),
        *([f"mirroring {'on' if wanted.enabled else 'off'}"] if wanted.enabled is not None else []),
        *([f"the mode {wanted.mode.value}"] if wanted.mode else []),
    ]
