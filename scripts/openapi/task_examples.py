"""Realistic examples for the task board: bodies and responses by operation."""

from typing import Any

TASK = "task_01jd4b7n2q5s8v1x4z7c0f3h6k"
_AT = 1763683199500
_SHA = "3f1c9a7e5b2d8046f1a3c5e7092b4d6f8a1c3e50"
_SHAPE: dict[str, Any] = {
    "id": TASK,
    "key": "ACME-12",
    "number": 12,
    "title": "Invoices show the wrong tax",
    "description": "Orders from Norway show 19 % instead of 25 %.",
    "status": "in_progress",
    "priority": "high",
    "assignee": {
        "userId": "usr_01jd3f1a4d7f0h3k6n9r2v5y8c",
        "name": "Ada Lovelace",
        "email": "ada@example.com",
    },
    "createdBy": "usr_01jd3f1a4d7f0h3k6n9r2v5y8c",
    "createdByName": "Ada Lovelace",
    "createdAt": _AT,
    "updatedAt": _AT + 90_000,
    "doneAt": None,
    "signalId": None,
    "tracker": None,
    "codehost": None,
    "commits": 1,
    "pullRequests": 1,
    "url": "https://shop.example.com/board/ACME-12",
}
_COMMIT = {
    "repo": "acme/shop",
    "sha": _SHA,
    "message": "Take the tax rate of the delivery address, fixes ACME-12",
    "url": f"https://git.example.com/acme/shop/commit/{_SHA}",
    "author": "Ada Lovelace",
    "reportedAt": _AT + 90_000,
}
_PULL = {
    "repo": "acme/shop",
    "number": 81,
    "title": "Fixes ACME-12: tax rate of the delivery address",
    "url": "https://git.example.com/acme/shop/pull/81",
    "state": "open",
    "reportedAt": _AT + 60_000,
}

_REQUEST = {
    "signalId": "signal_01jd3r8s1w5g9j2k4m7n0p3q6t",
    "kind": "bug",
    "title": "The export stops at 1,000 rows",
    "body": "Exports of larger tables end after 1,000 rows without an error.",
    "priority": "high",
    "reporterCount": 3,
    "filedAt": _AT - 600_000,
    "updatedAt": _AT,
}
_REPORT = {
    "repo": "acme/shop",
    "branch": "main",
    "default": True,
    "commits": [{name: _COMMIT[name] for name in ("sha", "message", "url", "author")}],
    "pullRequests": [{name: _PULL[name] for name in ("number", "title", "url", "state")}],
}
_REPORTED = {
    "ok": True,
    "tasks": [{"id": TASK, "key": "ACME-12", "status": "done", "moved": True}],
    "queued": 0,
}

BODIES: dict[str, Any] = {
    "createTask": {
        "title": _SHAPE["title"],
        "description": _SHAPE["description"],
        "priority": "high",
        "assigneeId": _SHAPE["assignee"]["userId"],
    },
    "updateTask": {"status": "in_progress", "priority": "high"},
    "adoptSignal": {"signalId": _REQUEST["signalId"]},
    "reportTaskCommits": _REPORT,
    "reportCommits": _REPORT,
}

ANSWERS: dict[str, Any] = {
    "listTasks": {"tasks": [_SHAPE], "nextCursor": None},
    "createTask": {"id": TASK, "key": "ACME-12"},
    "getTask": {"task": _SHAPE, "commits": [_COMMIT], "pullRequests": [_PULL]},
    "updateTask": {"task": _SHAPE},
    "deleteTask": {"ok": True},
    "listTaskRequests": {"requests": [_REQUEST], "nextCursor": None},
    "adoptSignal": {"id": TASK, "key": "ACME-12"},
    "declineTask": {"ok": True},
    "reportTaskCommits": _REPORTED,
    "reportCommits": _REPORTED,
}
