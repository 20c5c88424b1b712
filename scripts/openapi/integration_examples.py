"""Examples of the routes of integrations: bodies and responses by operation."""

from typing import Any

from scripts.openapi.account_examples import AT

BODIES: dict[str, Any] = {
    "takeHook": {"zen": "Keep it logically awesome."},
    "mirrorRepo": {"repo": "acme/docs", "path": "docs", "publishedAt": "https://93.184.215.14/docs"},
    "updateRepo": {"repo": "acme/docs", "branch": "next"},
    "syncRepo": {"repo": "acme/docs"},
    "setIssueRepo": {"repo": "acme/shop", "autoCreate": True},
    "linkSignalIssue": {"number": 12},
    "updateChatmirror": {"channel": "#support", "enabled": True, "mode": "two_way"},
    "updateTracker": {"team": "ENG", "autoCreate": True, "states": {"inReview": "In Review"}},
    "updateChatcommunity": {"channel": "#staff", "role": "@support", "enabled": True},
}

_NONE = {
    "status": "not_connected",
    "account": None,
    "connectedAt": None,
    "connectedBy": None,
    "connectedByName": None,
    "problem": None,
}

_TRACKER = {
    "team": "ENG",
    "autoCreate": True,
    "states": {
        "open": "Backlog",
        "planned": "Todo",
        "inProgress": "In Progress",
        "inReview": "In Review",
        "done": "Done",
        "declined": "Canceled",
    },
    "problem": None,
    "teams": [
        {
            "key": "ENG",
            "name": "Engineering",
            "states": [
                {"name": "Backlog", "type": "backlog"},
                {"name": "Todo", "type": "unstarted"},
                {"name": "In Progress", "type": "started"},
                {"name": "In Review", "type": "started"},
                {"name": "Done", "type": "completed"},
                {"name": "Canceled", "type": "canceled"},
            ],
        }
    ],
}

ANSWERS: dict[str, Any] = {
    "listIntegrations": {
        "integrations": [
            {
                "app": "codehost",
                "status": "connected",
                "account": "acme",
                "connectedAt": AT,
                "connectedBy": "usr_01jd3f1a4d7f0h3k6n9r2v5y8c",
                "connectedByName": "Grace Hopper",
                "problem": None,
            },
            {"app": "chatmirror", **_NONE},
            {"app": "chatcommunity", **_NONE},
            {"app": "tracker", **_NONE},
        ]
    },
    "getChatmirror": {"channel": "support", "enabled": True, "mode": "two_way", "problem": None},
    "updateChatmirror": {"channel": "support"},
    "getTracker": _TRACKER,
    "updateTracker": _TRACKER,
    "getChatcommunity": {"channel": "staff", "role": "support", "enabled": True, "problem": None},
    "updateChatcommunity": {"channel": "staff", "role": "support"},
    "removeIntegration": {"ok": True},
    "syncRepo": {"ok": True},
    "removeRepo": {"ok": True},
    "mirrorRepo": {"repo": "acme/docs"},
    "updateRepo": {"repo": "acme/docs"},
    "setIssueRepo": {"repo": "acme/shop"},
    "getIssueRepo": {"repo": "acme/shop", "autoCreate": True, "problem": None},
    "linkSignalIssue": {"codehost": {"number": 12, "url": "https://github.com/acme/shop/issues/12"}},
    "listRepos": {
        "repos": [
            {
                "repo": "acme/docs",
                "branch": None,
                "path": "docs",
                "publishedAt": "https://docs.example.com",
                "status": "synced",
                "problem": None,
                "documents": 132,
                "commit": "5a8c1f0d7e2b4a6c9d3f1e0b8a7c6d5e4f3a2b1c",
                "lastSyncAt": AT,
            }
        ]
    },
    "takeHook": {"ok": True},
}

THREAD = {
    "app": "chatmirror",
    "workspace": "T0123ABCD",
    "channel": "C0123ABCD",
    "thread": "1763683200.000100",
}
