"""Realistic examples for exploring datasets: bodies and responses by operation."""

from typing import Any

_DAY = 86_400_000
_START = 1_763_596_800_000
_CONVERSATION = "conv_01jd3kq8v5zt4m9rx2c7w6ybne"

BODIES: dict[str, Any] = {
    "explore": {
        "query": {
            "dataset": "conversations",
            "measure": {"op": "median", "field": "firstResponseTime"},
            "filters": [{"field": "status", "op": "is", "value": "resolved"}],
            "groupBy": "handledBy",
            "bucket": "day",
        },
        "days": 2,
    },
    "listRecords": {
        "query": {
            "dataset": "conversations",
            "filters": [{"field": "handedOff", "op": "is", "value": True}],
        },
        "days": 7,
        "sort": {"by": "messages", "direction": "desc"},
        "fields": ["handoffReason", "messages"],
    },
}
_EXPLORED: dict[str, Any] = {
    "ok": True,
    "unit": "milliseconds",
    "series": [
        {
            "key": "agent",
            "label": "Agent",
            "total": 2_300,
            "points": [
                {"at": _START, "end": _START + _DAY, "value": 2_300, "partial": False},
                {"at": _START + _DAY, "end": _START + 2 * _DAY, "value": None, "partial": True},
            ],
        }
    ],
    "previous": None,
    "matched": 3,
    "scanned": 5,
    "capped": False,
}
_VOLUME: dict[str, Any] = {
    "ok": True,
    "unit": "number",
    "series": [
        {
            "key": "__all",
            "label": "All",
            "total": 3,
            "points": [
                {"at": _START, "end": _START + _DAY, "value": 2, "partial": False},
                {"at": _START + _DAY, "end": _START + 2 * _DAY, "value": 1, "partial": True},
            ],
        }
    ],
    "previous": [
        {
            "key": "__all",
            "label": "All",
            "total": 1,
            "points": [
                {"at": _START - 2 * _DAY, "end": _START - _DAY, "value": 0, "partial": False},
                {"at": _START - _DAY, "end": _START, "value": 1, "partial": False},
            ],
        }
    ],
    "matched": 3,
    "scanned": 4,
    "capped": False,
}
_REPORT: dict[str, Any] = {
    "name": "volume-by-day",
    "title": "New conversations by day",
    "queries": [
        {"query": {"dataset": "conversations", "bucket": "day", "compare": True}, "days": 2},
    ],
}
ANSWERS: dict[str, Any] = {
    "explore": _EXPLORED,
    "listRecords": {
        "ok": True,
        "fields": ["handoffReason", "messages"],
        "rows": [
            {
                "id": _CONVERSATION,
                "at": _START,
                "title": "Where do I find my invoices?",
                "href": None,
                "values": ["nothing_found", 4],
            }
        ],
        "matched": 1,
        "scanned": 5,
        "capped": False,
    },
    "listDatasets": {
        "datasets": [
            {
                "id": "messages",
                "label": "Messages",
                "fields": [
                    {"id": "at", "label": "At", "type": "time", "values": None},
                    {
                        "id": "sender",
                        "label": "Sender",
                        "type": "enum",
                        "values": ["visitor", "agent", "teammate"],
                    },
                ],
            }
        ]
    },
    "listReports": {"reports": [_REPORT]},
    "getReport": {**_REPORT, "results": [_VOLUME]},
}
