"""Reads what Slack sends: the v0 signature over the bytes and its time, then the little that the worker needs.

Slack, "Verifying requests from Slack" and "Events API". Events come as JSON. What somebody clicks comes as a form whose
field `payload` is JSON.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import parse_qs

from helpdesk.integrations.adapter import Hook, Received
from helpdesk.integrations.errors import InvalidSignature
from helpdesk.integrations.hooks import json_object, require_hmac
from helpdesk.integrations.record import AppCredentials
from helpdesk.integrations.slack import instant_us
from helpdesk.platform import clock

MAX_AGE_SECONDS = 300
MAX_TEXT_CHARACTERS = 24_000
"""More than a reply of 4,000 characters has: a character takes up to five, and a mention comes first."""
REMOVED, CHANNELS, MESSAGE, CLICK = "removed", "channels", "message", "click"

_VERSION = "v0"
_WRITTEN = frozenset({None, "file_share", "thread_broadcast"})
_MAX_DIGITS = 12
_MAX_FIELDS = 100  # Slack sends one
_MEMBERS = ("member_joined_channel", "member_left_channel")


def verify(app: AppCredentials, hook: Hook) -> None:
    """Raise InvalidSignature unless Slack signed the body within the last five minutes."""
    sent_at = hook.headers.get("x-slack-request-timestamp", "")
    given = hook.headers.get("x-slack-signature", "")
    if not (sent_at.isascii() and sent_at.isdigit() and len(sent_at) <= _MAX_DIGITS):
        raise InvalidSignature
    if abs(clock.now_ms() // 1_000 - int(sent_at)) > MAX_AGE_SECONDS or not given.startswith(f"{_VERSION}="):
        raise InvalidSignature
    signed = f"{_VERSION}:{sent_at}:".encode() + hook.body
    require_hmac(app["signing_secret"], signed, given.removeprefix(f"{_VERSION}="))


def read(hook: Hook) -> Received:
    """Return what is to be done about an event or a click. Raises InvalidJson, InvalidRequest."""
    is_form = hook.headers.get("content-type", "").startswith("application/x-www-form-urlencoded")
    body = parse_qs(hook.body, max_num_fields=_MAX_FIELDS).get(b"payload", [b""])[0] if is_form else hook.body
    sent = json_object(body)
    kind = str(sent.get("type", ""))
    if kind == "url_verification":
        return Received("", None, kind, {}, {"challenge": str(sent["challenge"])})
    if kind == "event_callback":
        return _event(sent)
    if kind == "block_actions":
        return _click(sent)
    return Received("", None, kind, {})


def _event(sent: Mapping[str, Any]) -> Received:
    event = sent["event"]
    bots = {each["user_id"] for each in sent.get("authorizations") or []}
    is_others = event["type"] in _MEMBERS and event["user"] not in bots
    reader = None if is_others else _READERS.get(event["type"])
    name, data = ("", {}) if reader is None else reader(event)
    data = {"at": int(sent["event_time"]) * 1_000, **data}
    # What happens in a channel that workspaces share may have happened in another one than that of the app.
    installed = [each["team_id"] for each in (sent.get("authorizations") or [])[:1]]
    team = next(filter(None, installed), sent["team_id"])
    return Received(sent["event_id"], team if name else None, name, data)


def _click(sent: Mapping[str, Any]) -> Received:
    [action, *_] = sent["actions"]
    place = sent["container"]
    thread = place.get("thread_ts") or (sent.get("message") or {}).get("thread_ts")
    data = {
        "click": sent["trigger_id"],
        "action": action["action_id"],
        "value": action.get("value") or "",
        "user": sent["user"]["id"],
        "at": action["action_ts"],
        "channel": place["channel_id"],
        "message": place["message_ts"],
        "thread": thread or place["message_ts"],
    }
    instant_us(data["at"])
    # Null where the app is installed in a whole organization, which is not connected.
    team = sent["team"] or {}
    return Received(sent["trigger_id"], team.get("id"), CLICK, data)


def _removed(event: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    # Tokens of people are none of ours.
    if event["type"] == "tokens_revoked" and not event["tokens"].get("bot"):
        return "", {}
    return REMOVED, {}


def _channels(event: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return which channel it is about, which Slack names by its id alone or with more, and what came of it."""
    channel = event["channel"]
    return CHANNELS, {
        "came": event["type"],
        "channel": channel if isinstance(channel, str) else channel["id"],
    }


def _message(event: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return a message that a person wrote in a thread. Edits, deletions and what bots write do not travel."""
    found = in_thread(event["channel"], event)
    return ("", {}) if found is None else (MESSAGE, found)


def in_thread(channel: str, message: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what the worker needs of a message that a person wrote in a thread; None for any other message."""
    is_ours = message.get("bot_id") or message.get("app_id")
    if message.get("subtype") not in _WRITTEN or is_ours or not message.get("user"):
        return None
    if not message.get("thread_ts") or message["thread_ts"] == message["ts"]:
        return None
    instant_us(message["ts"])
    return {
        "channel": channel,
        "thread": message["thread_ts"],
        "message": message["ts"],
        "user": message["user"],
        "text": (message.get("text") or "")[:MAX_TEXT_CHARACTERS],  # a message may have blocks alone
        "files": len(message.get("files") or []),
        "edited": bool(message.get("edited")),
    }


_READERS: Final[Mapping[str, Callable[[Mapping[str, Any]], tuple[str, dict[str, Any]]]]] = MappingProxyType(
    {
        "app_uninstalled": _removed,
        "tokens_revoked": _removed,
        "message": _message,
        **dict.fromkeys(
            (
                "channel_archive",
                "channel_created",
                "channel_deleted",
                "channel_rename",
                "channel_unarchive",
                "group_rename",
                *_MEMBERS,
            ),
            _channels,
        ),
    }
)
EVENTS: Final = tuple(_READERS)
"""The types of events that are read, by Slack's names."""
