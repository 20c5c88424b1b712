"""Examples of the routes of integrations: bodies and responses by operation."""

from typing import Any

from scripts.openapi.account_examples import AT

BODIES: dict[str, Any] = {"takeHook": {"zen": "Keep it logically awesome."}}

_NONE = {
    "status": "not_connected",
    "account": None,
    "connectedAt": None,
    "connectedByName": None,
    "problem": None,
}

ANSWERS: dict[str, Any] = {
    "listIntegrations": {
        "integrations": [
            {
                "app": "codehost",
                "status": "connected",
                "account": "acme",
                "connectedAt": AT,
                "connectedByName": "Grace Hopper",
                "problem": None,
            },
            {"app": "chatmirror", **_NONE},
            {"app": "chatcommunity", **_NONE},
            {"app": "tracker", **_NONE},
        ]
    },
    "removeIntegration": {"ok": True},
    "takeHook": {"ok": True},
}
