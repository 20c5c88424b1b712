"""Settings of Slack (Specification: PATCH /integrations/chatmirror), and the directory of channels.

The worker keeps the directory, so that routes answer without asking Slack. It is listed when a workspace is connected,
when Slack says that channels changed, and when a name is not found.
"""

import unicodedata
from collections.abc import Mapping
from copy import replace

from helpdesk.api.admission.caller import Caller
from helpdesk.events import integration_jobs as jobs
from helpdesk.events.integration_jobs import App, IntegrationJob
from helpdesk.integrations import service as integrations
from helpdesk.integrations.accounts import Account
from helpdesk.integrations.app_settings import Listing
from helpdesk.integrations.chat import ChatSettings
from helpdesk.integrations.errors import (
    MOST_LISTED,
    ChannelNotFound,
    SlackActFailed,
    SlackBotOffline,
    SlackBotTimeout,
    some_of,
)
from helpdesk.integrations.record import Connection, ConnectionStatus
from helpdesk.integrations.slack import api as slack
from helpdesk.integrations.slack.record import SlackChannel, SlackDirectory, SlackSettings, channels
from helpdesk.integrations.slack.schemas import MirrorChanged, MirrorSettingsAnswer, MirrorUpdate
from helpdesk.platform import clock
from helpdesk.storage import table
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import MalformedKey
from helpdesk.storage.transactions import Transaction

CHOSEN = "mirror_chosen"
"""The kind of the job that lets the bot into the channel that was chosen."""
RETRY_MS = 5_000
"""When a channel that refused a message is tried once more: the bot may just be joining it."""
SETTINGS = ChatSettings(App.SLACK, SlackSettings, RETRY_MS)
LISTING = Listing("mirror_channels", SlackDirectory.key_for)
MAX_CHANNELS = 5_000

_ON_A_PAGE = 999  # Slack allows twenty pages a minute
_MAX_NAME = 80
_directories = Collection(SlackDirectory)


def show(organization: str) -> MirrorSettingsAnswer:
    """Return the settings of the connected workspace. Raises SlackNotConnected."""
    return MirrorSettingsAnswer.model_validate(SETTINGS.in_force(organization), from_attributes=True)


def change(caller: Caller, wanted: MirrorUpdate) -> MirrorChanged:
    """Change the fields that were sent; return the channel.

    Raises SlackNotConnected, SlackBotOffline, SlackBotTimeout, ChannelNotFound, SlackActFailed.
    """
    organization = caller.organization
    connection = integrations.connection(organization, App.SLACK)
    channel = None if wanted.channel is None else _resolved(connection, wanted.channel)

    def extra_writes(transaction: Transaction, _before: SlackSettings, after: SlackSettings) -> None:
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

    def renamed(seen: SlackSettings) -> SlackSettings:
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
    connection: Connection, stored: SlackSettings, channel: SlackChannel | None, wanted: MirrorUpdate
) -> SlackSettings:
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


def _resolved(connection: Connection, named: str) -> SlackChannel:
    if connection.status is ConnectionStatus.BROKEN:
        raise SlackBotOffline
    # As Slack writes names; a case-folded one would be another where it has a letter such as the German sharp s.
    name = unicodedata.normalize("NFC", named.strip().removeprefix("#").lower())
    organization, team = connection.organization, connection.account_id
    try:
        found = channels.find(organization, team, name)
    except MalformedKey:  # text that cannot be a name is as absent as an unknown one
        found = None
    if found is None:
        listed_at = _listed_at(connection)
        LISTING.request_soon(connection)
        if listed_at is None:
            raise SlackBotTimeout
        raise ChannelNotFound(f"No channel has this name. {_existing(connection)}")
    current = SETTINGS.get(organization)
    if current.channel_id == found.id and current.problem is not None:
        jobs.enqueue(_chosen(organization, found))
        raise SlackActFailed(current.problem)
    return found


def _chosen(organization: str, channel: SlackChannel) -> IntegrationJob:
    data = {"channelId": channel.id}
    return IntegrationJob(kind=CHOSEN, app=App.SLACK, organization=organization, data=data)


def _existing(connection: Connection) -> str:
    names, more = _first_channels(connection.organization, connection.account_id, MOST_LISTED)
    if not names:
        return "The app can't see any public channels in Slack."
    return f"The public channels are {some_of([f'#{name}' for name in names], more=more)}."


def _changes(wanted: MirrorUpdate, channel: SlackChannel | None) -> list[str]:
    """Return what was set, for the log."""
    return [
        *([f"the channel #{channel.name}"] if channel else []),
        *([f"mirroring {'on' if wanted.enabled else 'off'}"] if wanted.enabled is not None else []),
        *([f"the mode {wanted.mode.value}"] if wanted.mode else []),
    ]


def refresh_directory(account: Account) -> list[SlackChannel]:
    """List the channels, write what changed, and return them. Raises SlackError, Revoked, TryLater."""
    connection, began_at = account.connection, clock.now_ms()
    found = _listed(account)
    listed = {each.name: each for each in found}
    known = {each.name: each for each in channels.all(connection.organization, connection.account_id)}
    for name, each in listed.items():
        if known.get(name) != each:
            table.change(each.key, set={"id": each.id, "private": each.private}, or_new=True)
    for name, gone in known.items():
        if name not in listed:
            table.delete(gone.key)
    table.change(LISTING.key(connection), set={"listed_at": began_at}, or_new=True)
    return found


def is_newer(connection: Connection, at: int) -> bool:
    """Return whether the channels were listed after an instant (ms)."""
    return (_listed_at(connection) or 0) > at


def _listed(account: Account) -> list[SlackChannel]:
    found: list[SlackChannel] = []
    cursor = ""
    while len(found) < MAX_CHANNELS:
        arguments = {"types": "public_channel,private_channel", "exclude_archived": True, "limit": _ON_A_PAGE}
        said = slack.read(
            account, "conversations.list", {**arguments, **({"cursor": cursor} if cursor else {})}
        )
        found += [
            SlackChannel(
                organization=account.connection.organization,
                team=account.connection.account_id,
                id=each["id"],
                name=each["name"],
                private=each.get("is_private") is not False,
            )
            for each in said["channels"]
            if 0 < len(each["name"]) <= _MAX_NAME and "#" not in each["name"]
        ]
        cursor = (said.get("response_metadata") or {}).get("next_cursor") or ""
        if not cursor:
            break
    return found[:MAX_CHANNELS]


def _first_channels(organization: str, team: str, limit: int) -> tuple[list[str], bool]:
    """Return the names of the first public channels, and whether there are more. One call, of five times as many."""
    partition, prefix = SlackChannel.prefix_for(organization, team)
    page = table.query(partition, sk_prefix=prefix, limit=5 * limit)
    found = [SlackChannel.from_item(item) for item in page.items]
    names = [each.name for each in found if not each.private]
    return names[:limit], len(names) > limit or len(page.items) == 5 * limit


def _listed_at(connection: Connection) -> int | None:
    """Return when a workspace's channels were listed (ms), None before the first time. One call."""
    found = _directories.find(connection.organization, connection.account_id)
    return None if found is None else found.listed_at
