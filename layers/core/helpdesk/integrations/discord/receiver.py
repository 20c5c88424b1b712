"""Reads what Discord sends: the Ed25519 signature over the time and the bytes, then the little that the worker needs.

Discord, "Receiving and Responding to Interactions". Each command is answered at once with a response that says
"thinking", since Discord waits for three seconds. It is filled in with the interaction's token, which ends after
15 minutes.
"""

from collections.abc import Mapping
from typing import Any

from helpdesk.integrations.adapter import Hook, Received
from helpdesk.integrations.errors import InvalidSignature
from helpdesk.integrations.hooks import json_object
from helpdesk.integrations.record import AppCredentials
from helpdesk.platform import clock

MAX_AGE_SECONDS = 300
ASK, CLOSE = "ask", "close"
"""The names of the commands, and of their events."""
QUESTION = "question"
"""The option of /ask."""

_PING, _COMMAND = 1, 2  # types of interactions
_PONG = {"type": 1}
_SAYS, _THINKS = 4, 5  # types of responses
_EPHEMERAL = 1 << 6  # only the person who typed the command sees it
_MAX_DIGITS = 12
_SIGNATURE_DIGITS = 128
_LOCALE_CHARACTERS = 20
_CHARACTERS = 6_000  # Discord takes as many in an option
_ONLY_IN_SERVERS = "Use this command in a server."
_UNKNOWN = "This command is not known any more."


def verify(app: AppCredentials, hook: Hook) -> None:
    """Raise InvalidSignature unless Discord signed the body within the last five minutes."""
    sent_at = hook.headers.get("x-signature-timestamp", "")
    given = hook.headers.get("x-signature-ed25519", "")
    if not (sent_at.isascii() and sent_at.isdigit() and len(sent_at) <= _MAX_DIGITS):
        raise InvalidSignature
    if abs(clock.now_ms() // 1_000 - int(sent_at)) > MAX_AGE_SECONDS or len(given) != _SIGNATURE_DIGITS:
        raise InvalidSignature
    # Imported here: what other services send is checked without it.
    from cryptography.exceptions import InvalidSignature as NotSigned  # noqa: PLC0415
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(app["public_key"].strip()))
        key.verify(bytes.fromhex(given), sent_at.encode() + hook.body)
    except (NotSigned, ValueError):
        raise InvalidSignature from None


def read(hook: Hook) -> Received:
    """Return what is to be done about an interaction. Raises InvalidJson, InvalidRequest."""
    sent = json_object(hook.body)
    kind = sent.get("type")
    if kind == _PING:
        return Received("", None, "ping", {}, _PONG)
    return _command(sent) if kind == _COMMAND else _refused(_UNKNOWN)


def _command(sent: Mapping[str, Any]) -> Received:
    name = sent["data"]["name"]
    if name not in {ASK, CLOSE}:
        return _refused(_UNKNOWN)
    if not sent.get("guild_id"):
        return _refused(_ONLY_IN_SERVERS)
    channel = sent.get("channel") or {}
    member, user = sent["member"], sent["member"]["user"]
    data: dict[str, Any] = {
        "interaction": sent["id"],
        "token": sent["token"],
        "channel": {
            "id": channel.get("id") or sent["channel_id"],
            "type": int(channel.get("type", 0)),
            "name": str(channel.get("name") or ""),
        },
        "may": int(sent.get("app_permissions", 0)),
        "locale": str(sent.get("locale") or "")[:_LOCALE_CHARACTERS],
        "user": {
            "id": user["id"],
            "username": user["username"],
            "name": member.get("nick") or user.get("global_name") or user["username"],
            "avatar": user.get("avatar"),
            "may": int(member.get("permissions", 0)),
        },
    }
    if name == ASK:
        asked = {each["name"]: each["value"] for each in sent["data"]["options"]}
        data["question"] = str(asked[QUESTION])[:_CHARACTERS]
        return Received(sent["id"], sent["guild_id"], ASK, data, {"type": _THINKS})
    return Received(
        sent["id"], sent["guild_id"], CLOSE, data, {"type": _THINKS, "data": {"flags": _EPHEMERAL}}
    )


def _refused(why: str) -> Received:
    return Received("", None, "refused", {}, {"type": _SAYS, "data": {"content": why, "flags": _EPHEMERAL}})
