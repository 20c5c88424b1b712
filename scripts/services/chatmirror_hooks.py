"""What the stand-in of Slack sends about its channels and its app: events as Slack's types have them."""

from collections.abc import Mapping
from typing import Any

from scripts.services.chatmirror import Channel, ChatMirror, Workspace

PERSON = "U0ADMIN"
"""The id of the person who does things at Slack."""
type Sent = tuple[dict[str, str], str]


def created(slack: ChatMirror, workspace: Workspace, channel: Channel, **how: Any) -> Sent:
    """Return what is sent about a public channel that somebody made."""
    about = {
        "id": channel.id,
        "name": channel.name,
        "name_normalized": channel.name,
        "created": int(slack.clock()),
        "creator": PERSON,
        "context_team_id": workspace.id,
        "is_archived": channel.archived,
        "is_channel": True,
        "is_ext_shared": False,
        "is_frozen": False,
        "is_general": False,
        "is_group": False,
        "is_im": False,
        "is_mpim": False,
        "is_org_shared": False,
        "is_pending_ext_shared": False,
        "is_private": False,
        "is_shared": False,
    }
    return slack.event(
        workspace, {"type": "channel_created", "channel": about, "event_ts": slack.ts()}, **how
    )


def unarchived(slack: ChatMirror, workspace: Workspace, channel: Channel, **how: Any) -> Sent:
    """Return what is sent about a channel that somebody took out of the archive."""
    event = {"type": "channel_unarchive", "channel": channel.id, "user": PERSON, "event_ts": slack.ts()}
    return slack.event(workspace, event, **how)


def renamed(slack: ChatMirror, workspace: Workspace, channel: Channel, **how: Any) -> Sent:
    """Return what is sent about a public channel that somebody gave its present name."""
    about = {
        "id": channel.id,
        "name": channel.name,
        "name_normalized": channel.name,
        "created": int(slack.clock()),
        "is_channel": True,
        "is_mpim": False,
    }
    return slack.event(workspace, {"type": "channel_rename", "channel": about, "event_ts": slack.ts()}, **how)


def broadcast(
    slack: ChatMirror,
    workspace: Workspace,
    channel: Channel,
    reply: Mapping[str, Any],
    first: Mapping[str, Any],
) -> Sent:
    """Return what is sent about a reply in a thread that its writer also sent to the channel."""
    where = {"channel": channel.id, "channel_type": "group" if channel.private else "channel"}
    root = {
        "type": "message",
        "user": workspace.bot,
        "ts": first["ts"],
        "event_ts": first["ts"],
        "text": first["text"],
        "thread_ts": first["ts"],
        "reply_count": 1,
        "reply_users_count": 1,
        "reply_users": [reply["user"]],
        "latest_reply": reply["ts"],
        **where,
    }
    sent = {**reply, **where, "subtype": "thread_broadcast", "event_ts": reply["ts"], "root": root}
    return slack.event(workspace, {**sent, "client_msg_id": "8a3f5c1e"})


def joined(slack: ChatMirror, workspace: Workspace, channel: Channel, user: str, **how: Any) -> Sent:
    """Return what is sent about a person, or the bot, who entered a channel."""
    return _member(slack, workspace, channel, user, "joined", **how)


def left(slack: ChatMirror, workspace: Workspace, channel: Channel, user: str, **how: Any) -> Sent:
    """Return what is sent about a person, or the bot, who left a channel or was removed from it."""
    return _member(slack, workspace, channel, user, "left", **how)


def _member(
    slack: ChatMirror, workspace: Workspace, channel: Channel, user: str, did: str, **how: Any
) -> Sent:
    event = {
        "type": f"member_{did}_channel",
        "user": user,
        "channel": channel.id,
        "channel_type": "G" if channel.private else "C",
        "team": workspace.id,
        "event_ts": slack.ts(),
    }
    return slack.event(workspace, event, **how)


def uninstalled(slack: ChatMirror, workspace: Workspace, **how: Any) -> Sent:
    """Return what is sent about the app's removal."""
    return slack.event(workspace, {"type": "app_uninstalled"}, **how)


def tokens_revoked(
    slack: ChatMirror,
    workspace: Workspace,
    *,
    bot: tuple[str, ...] = (),
    people: tuple[str, ...] = (),
    **how: Any,
) -> Sent:
    """Return what is sent about tokens that ended: the bot's, and those of people."""
    tokens = {"bot": [*bot], "oauth": [*people]}
    return slack.event(workspace, {"type": "tokens_revoked", "tokens": tokens}, **how)
