"""Examples of the crawl routes: bodies and responses by operation."""

from typing import Any

from helpdesk.platform.units import DAY_MS
from scripts.openapi.account_examples import AT

_CRAWL = "crawl_01jd3m4x8d0k6y9s5v7w2z4a1c"
_LISTED = {
    "id": _CRAWL,
    "url": "https://www.example.com/docs",
    "include": [],
    "exclude": ["/docs/archive/*"],
    "maxPages": 100,
    "folderId": None,
    "refresh": "weekly",
    "status": "finished",
    "problem": None,
    "counts": {
        "found": 42,
        "pending": 0,
        "created": 38,
        "updated": 0,
        "unchanged": 0,
        "removed": 0,
        "skipped": 3,
        "failed": 1,
    },
    "limitReached": False,
    "startedAt": AT,
    "finishedAt": AT + 58_000,
    "nextRunAt": AT + 7 * DAY_MS,
    "createdAt": AT,
    "createdBy": "usr_01jd3f1a4d7f0h3k6n9r2v5y8c",
    "createdByName": "Ada Admin",
}

BODIES: dict[str, Any] = {
    "createCrawl": {
        "url": "https://www.example.com/docs",
        "exclude": ["/docs/archive/*"],
        "refresh": "weekly",
    },
}

ANSWERS: dict[str, Any] = {
    "createCrawl": {"id": _CRAWL},
    "listCrawls": {"crawls": [_LISTED], "nextCursor": None},
    "runCrawl": {"ok": True},
    "deleteCrawl": {"ok": True},
    "getCrawl": {
        "crawl": _LISTED,
        "addresses": [
            {
                "url": "https://www.example.com/docs",
                "outcome": "created",
                "detail": None,
                "documentId": "doc_01jd3m2w7c9k5x8r4t6v1z3y0b",
                "at": AT + 2_000,
            }
        ],
        "nextCursor": None,
    },
}
