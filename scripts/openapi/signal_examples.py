"""Examples of the signal routes: bodies and responses by operation."""

from typing import Any

from scripts.openapi.account_examples import AT

_SIGNAL = "signal_01jd3r8s1w5g9j2k4m7n0p3q6t"
_CONVERSATION = "conv_01jd3m1v6b8g4w7q2s9x0y3zan"
_COMMIT = "commit_5f1c8a0b7d2e4963f0a1b2c3d4"
SHOWN = {
    "id": _SIGNAL,
    "kind": "bug",
    "title": "The export stops at 1,000 rows",
    "body": "Exports of larger tables end after 1,000 rows without an error.",
    "priority": "high",
    "status": "open",
    "reporterCount": 1,
    "aliases": ["CSV is cut off"],
    "filedAt": AT,
    "updatedAt": AT + 60_000,
    "updatedBy": "usr_01jd3f1a4d7f0h3k6n9r2v5y8c",
    "updatedByName": "Grace",
    "tracker": None,
    "codehost": None,
}

EXPORTED = {
    "signalId": _SIGNAL,
    "title": "The export stops at 1,000 rows",
    "who": "Vera Visitor",
    "quote": "Half of my contacts are missing in the file!",
    "conversationIds": [_CONVERSATION],
    "images": [],
    "reportedAt": AT,
    "notifiedAt": None,
}
"""A report in the export of a customer."""

BODIES: dict[str, Any] = {
    "fileSignal": {
        "kind": "bug",
        "title": "The export stops at 1,000 rows",
        "body": "Exports of larger tables end after 1,000 rows without an error.",
        "priority": "high",
        "conversationId": _CONVERSATION,
        "quote": "Half of my contacts are missing in the file!",
    },
    "updateSignal": {"status": "done"},
    "reportSignal": {
        "conversationId": _CONVERSATION,
        "quote": "My file ends at row 1,000, too.",
        "images": [{"url": "https://images.example.com/export.png"}],
    },
    "mergeSignals": {"duplicateId": "signal_01jd3r9a2x6h0k3m5n8p1q4r7v"},
    "trackSignal": {"team": "ENG"},
    "addSignalCommit": {
        "sha": "9fceb02d0ae598e95dc970b74767f19372d61af8",
        "message": "Export: read all pages",
        "url": "https://git.example.com/shop/commit/9fceb02d",
        "author": "Grace",
        "why": "The loop ended after the first page of 1,000 rows.",
    },
}

ANSWERS: dict[str, Any] = {
    "listSignals": {"signals": [SHOWN], "nextCursor": None},
    "fileSignal": {"id": _SIGNAL},
    "getSignal": {
        "signal": SHOWN,
        "reporters": [
            {
                "conversations": [{"conversationId": _CONVERSATION, "subject": "Contacts are missing"}],
                "who": "Vera Visitor",
                "quote": "Half of my contacts are missing in the file!",
                "reportedAt": AT,
                "notifiedAt": None,
                "images": [
                    {
                        "url": "https://images.example.com/export.png",
                        "name": "export.png",
                        "external": True,
                    }
                ],
            }
        ],
        "commits": [
            {
                "id": _COMMIT,
                "sha": "9fceb02d0ae598e95dc970b74767f19372d61af8",
                "message": "Export: read all pages",
                "url": "https://git.example.com/shop/commit/9fceb02d",
                "author": "Grace",
                "why": "The loop ended after the first page of 1,000 rows.",
                "applied": False,
            }
        ],
        "nextCursor": None,
    },
    "updateSignal": {"signal": {**SHOWN, "status": "done"}},
    "reportSignal": {"signal": {**SHOWN, "reporterCount": 2}},
    "applySignalCommit": {"signal": {**SHOWN, "status": "done"}},
    "addSignalCommit": {"id": _COMMIT},
    "trackSignal": {"tracker": None},
    "mergeSignals": {"ok": True},
    "findSimilarSignals": {"signals": [SHOWN]},
}
