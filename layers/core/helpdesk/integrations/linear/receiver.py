"""Reads what Linear sends: Linear-Signature over the bytes, its time, then the little that the worker needs.

Linear, "Webhooks". The time is inside of what is signed, so the signature comes first.
"""

from collections.abc import Mapping
from typing import Any

from helpdesk.integrations.adapter import Hook, Received
from helpdesk.integrations.errors import InvalidSignature
from helpdesk.integrations.hooks import json_object, require_hmac
from helpdesk.integrations.record import AppCredentials
from helpdesk.platform import clock
from helpdesk.platform.errors import InvalidRequest

MAX_AGE_MS = 60_000
CHANGED, REMOVED, REVOKED = "changed", "removed", "revoked"

_FOLLOWED = frozenset({"stateId", "teamId", "number", "trashed", "archivedAt"})
"""What of an issue the worker follows."""


def verify(app: AppCredentials, hook: Hook) -> None:
    """Raise InvalidSignature unless Linear signed the body within the last minute."""
    require_hmac(app["hook_secret"], hook.body, hook.headers.get("linear-signature", ""))
    sent_at = json_object(hook.body).get("webhookTimestamp")
    if not isinstance(sent_at, int | float) or not abs(clock.now_ms() - sent_at) <= MAX_AGE_MS:
        raise InvalidSignature


def read(hook: Hook) -> Received:
    """Return what is to be done about an event. Raises InvalidJson, InvalidRequest."""
    sent = json_object(hook.body)
    kind, delivery_id = str(sent.get("type", "")), hook.headers.get("linear-delivery", "")
    if not delivery_id:
        raise InvalidRequest("Send the header Linear-Delivery.")
    if kind == "Issue":
        event, data = _issue(sent)
    elif kind == "OAuthApp":
        event, data = (REVOKED if sent["action"] == "revoked" else ""), {"at": _at(sent["createdAt"])}
    else:
        event, data = "", {}
    return Received(delivery_id, str(sent["organizationId"]) if event else None, event, data)


def _issue(sent: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    issue, action = sent["data"], sent["action"]
    if action in {"remove", "restore"}:
        return REMOVED, {"issueId": issue["id"]}
    if action != "update" or not _FOLLOWED & set(sent.get("updatedFrom") or {}):
        return "", {}
    return CHANGED, {
        "issueId": issue["id"],
        "identifier": issue["identifier"],
        "url": issue["url"],
        "at": _at(issue["updatedAt"]),
        "trashed": bool(issue.get("trashed")),
        "teamId": issue["teamId"],
        "state": {name: issue["state"][name] for name in ("id", "name", "type")},
    }


def _at(text: str) -> int:
    from datetime import datetime  # noqa: PLC0415 - for requests that are signed

    return round(datetime.fromisoformat(text).timestamp() * 1_000)
