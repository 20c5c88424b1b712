"""Realistic examples for the feedback board: bodies and responses by operation."""

from typing import Any

_AT = 1763683199500
POST = "post_01jd3r7w9y1a3c5e7g9j0k2m4p"
_COMMENT = "cmt_01jd3r8x0z2b4d6f8h0k1m3n5q"
_SIGNAL = "sig_01jd3r5v7x9z1b3d5f7h9k0m2n"
_TAG = "tag_01jd3r6w8y0a2c4e6g8j0k1m3p"
_TEXT = "When I filter orders by country, the export has all of them. I would like to export what I see."
_AUTHOR = {"name": "Ada Lovelace", "isTeam": False, "email": "ada@example.com"}
_TEAM = {"name": "Grace Hopper", "isTeam": True, "email": None}
_BOARD: dict[str, Any] = {
    "version": 1,
    "boards": [
        {"id": "ideas", "name": "Ideas", "moderated": False, "public": 41, "pending": 0, "spam": 2},
        {
            "id": "brd_01jd3r4v6x8z0b2d4f6h8k9m1n",
            "name": "Integrations",
            "moderated": True,
            "public": 7,
            "pending": 1,
            "spam": 0,
        },
    ],
    "statuses": [
        {"id": "open", "name": "Open", "signalStatus": "open", "posts": 38},
        {"id": "planned", "name": "Planned", "signalStatus": "planned", "posts": 6},
        {"id": "in_progress", "name": "In progress", "signalStatus": "in progress", "posts": 3},
        {"id": "done", "name": "Done", "signalStatus": "done", "posts": 4},
    ],
    "tags": [{"id": _TAG, "name": "Export", "posts": 5}],
}
_SHARED: dict[str, Any] = {
    "id": POST,
    "number": 48,
    "path": "/board/48-export-only-what-i-filter",
    "title": "Export only what I filter",
    "excerpt": _TEXT,
    "boardId": "ideas",
    "statusId": "planned",
    "tagIds": [_TAG],
    "state": "public",
    "isSpam": False,
    "pinned": False,
    "hasSignal": True,
    "votes": 17,
    "verifiedVotes": 11,
    "createdAt": _AT,
    "author": _AUTHOR,
}
_COMMENTS = [
    {"id": _COMMENT, "body": "Would CSV be enough for you?", "createdAt": _AT + 90_000, "author": _TEAM}
]
_OK = {"ok": True}

BODIES: dict[str, Any] = {
    "updateBoard": {
        "boards": [
            {"id": "ideas", "name": "Ideas"},
            {"name": "Integrations", "moderated": True},
        ],
        "tags": [{"name": "Export"}],
        "version": 0,
    },
    "createPost": {
        "title": "Export only what I filter",
        "body": _TEXT,
        "boardId": "ideas",
        "session": "b41c7de02f5a4e0c9d38",
    },
    "updatePost": {"statusId": "planned", "tagIds": [_TAG], "state": "public"},
    "filePost": {"signalId": _SIGNAL},
    "vote": {"session": "b41c7de02f5a4e0c9d38"},
    "withdrawVote": {"session": "b41c7de02f5a4e0c9d38"},
    "addComment": {"body": "Would CSV be enough for you?"},
}

ANSWERS: dict[str, Any] = {
    "getBoard": _BOARD,
    "updateBoard": _BOARD,
    "listPosts": {"posts": [{**_SHARED, "commentCount": 1, "voted": True}], "nextCursor": None},
    "createPost": {"id": POST, "number": 48},
    "getPost": {
        **_SHARED,
        "body": _TEXT,
        "comments": _COMMENTS,
        "signal": {
            "id": _SIGNAL,
            "title": "Export ignores filters",
            "status": "planned",
            "kind": "suggestion",
        },
    },
    "updatePost": _OK,
    "deletePost": _OK,
    "filePost": _OK,
    "vote": {"ok": True, "voted": True, "votes": 18},
    "withdrawVote": {"ok": True, "voted": False, "votes": 17},
    "listComments": {"comments": _COMMENTS, "nextCursor": None},
    "addComment": {"id": _COMMENT},
    "deleteComment": _OK,
}

EXPORTED: dict[str, Any] = {
    "posts": [
        {"id": POST, "number": 48, "title": "Export only what I filter", "body": _TEXT, "createdAt": _AT}
    ],
    "votes": [{"postId": "post_01jd3q2w9y1a3c5e7g9j0k2m4r", "at": _AT + 60_000}],
    "comments": [{"id": _COMMENT, "postId": POST, "body": "CSV is fine.", "createdAt": _AT + 95_000}],
}
