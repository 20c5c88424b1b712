"""Examples of the routes of tools and tool endpoints: bodies and responses by operation."""

from typing import Any

from scripts.openapi.account_examples import AT

_ENDPOINT = "tool_01jd3n7r4u6f8h1j3k5m7p9q2s"
_CHANGE = "change_4f6b1c0de27a93584f6b1c0de27a9358"
_KEY = "key_01jd3g1a4d7f0h3k6n9r2v5y8c"

BODIES: dict[str, Any] = {
    "addToolEndpoint": {"url": "https://shop.example.com/helpdesk/tools"},
    "moveToolEndpoint": {"url": "https://tools.example.com/helpdesk"},
    "acceptToolChanges": {"changes": [_CHANGE]},
    "updateTool": {"risk": "reviewed"},
    "testTool": {"input": {"order": "FS-1042"}, "as": "customer-7"},
}

_OK = {"ok": True}
_SAVED = {"ok": True, "id": _ENDPOINT}

ANSWERS: dict[str, Any] = {
    **dict.fromkeys(("syncToolEndpoint", "removeToolEndpoint", "acceptToolChanges", "updateTool"), _OK),
    **dict.fromkeys(("addToolEndpoint", "moveToolEndpoint"), _SAVED),
    "listToolEndpoints": {
        "toolEndpoints": [
            {
                "id": _ENDPOINT,
                "url": "https://shop.example.com/helpdesk/tools",
                "status": "synced",
                "problem": None,
                "tools": ["order_status", "refund"],
                "changes": [
                    {"id": _CHANGE, "tool": "refund", "kind": "changed", "fields": ["risk"]},
                    {"id": None, "tool": "order_status", "kind": "added", "fields": []},
                ],
                "lastSyncAt": AT,
                "keyId": _KEY,
            }
        ],
        "unreadable": [],
    },
    "listTools": {
        "tools": [
            {
                "name": "order_status",
                "title": "Order status",
                "description": "Returns where an order is. Call it when a visitor asks about their order.",
                "inputSchema": {
                    "type": "object",
                    "properties": {"order": {"type": "string", "pattern": "^FS-[0-9]+$"}},
                    "required": ["order"],
                    "additionalProperties": False,
                },
                "outputSchema": None,
                "risk": "low",
                "declaredRisk": "low",
                "requiresIdentity": True,
                "enabled": True,
                "inForce": True,
                "offered": True,
                "endpointId": _ENDPOINT,
                "changeId": None,
                "waiting": None,
            }
        ],
        "nextCursor": None,
    },
    "syncTools": {"ok": True, "endpoints": 1},
    "testTool": {
        "ok": True,
        "result": '{"status":"shipped"}',
        "error": None,
        "risk": "low",
        "conversationId": "test_01jd3q9v5zt4m9rx2c7w6ybned",
    },
}
