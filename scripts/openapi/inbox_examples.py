"""Conversations, tags and saved replies, as examples show them."""

from typing import Any

from helpdesk.platform.units import DAY_MS
from scripts.openapi.account_examples import AT, TEAM, USER

CONVERSATION_ID = "conv_01jd3kq8v5zt4m9rx2c7w6ybne"
STATE: dict[str, Any] = {"id": CONVERSATION_ID, "status": "open", "awaitingHuman": False}
VISITOR: dict[str, Any] = {
    "id": "cus_01jd3kq8v7x2m5p8s1v4y7b0ez",
    "name": "Ada Lovelace",
    "email": "ada@example.com",
    "avatarUrl": None,
}
CONVERSATION: dict[str, Any] = {
    **STATE,
    "pendingApprovals": 0,
    "channel": "api",
    "subject": "Where do I find my invoices?",
    "handledBy": "agent",
    "assignee": None,
    "team": TEAM,
    "customer": VISITOR,
    "page": {"url": "https://shop.example.com/account", "title": "Your account", "referrer": None},
    "context": {
        "timeZone": "Europe/Berlin",
        "locale": "de-DE",
        "browser": "Firefox 145",
        "os": "macOS 26",
        "screen": "1440x900",
        "device": "desktop",
    },
    "startedAt": AT,
    "lastMessageAt": AT + 2_300,
    "lastMessageId": "msg_01jd3kqbx4k8e1j6v0f2p7z9ct",
    "waitingSince": None,
    "dueAt": None,
    "overdue": False,
    "unread": True,
    "snoozedUntil": None,
    "archivedAt": None,
    "rating": None,
    "tags": ["invoice"],
    "mergedInto": None,
}
_REPLY: dict[str, Any] = {
    "id": "reply_01jd3w9c2f5j8m1q4t7w0z3b6e",
    "title": "Invoices",
    "body": "Hello {{customer.name}}, your invoices are under Account, Billing.",
    "createdAt": AT,
    "createdBy": USER,
    "createdByName": "Grace Hopper",
    "updatedAt": AT,
}

BODIES: dict[str, Any] = {
    "tagConversation": {"tags": ["invoice", "vip"]},
    "createReply": {"title": _REPLY["title"], "body": _REPLY["body"]},
    "updateReply": {"title": "Where invoices are"},
    "mergeConversation": {"into": "conv_01jd3jz0a6m1s8d4h7k2p5r9wb"},
}
ANSWERS: dict[str, Any] = {
    "tagConversation": {"ok": True},
    "listReplies": {"replies": [_REPLY], "nextCursor": None},
    "createReply": _REPLY,
    "updateReply": {**_REPLY, "title": "Where invoices are", "updatedAt": AT + DAY_MS},
    "deleteReply": {"ok": True},
    "mergeConversation": {"ok": True},
    "listTags": {"tags": ["invoice", "vip"], "nextCursor": None},
}
