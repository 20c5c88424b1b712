"""Realistic examples for approvals: bodies and responses by operation."""

from typing import Any

_AT = 1763683199500
PENDING: dict[str, Any] = {
    "id": "apr_01jd3v1s6m2r8x4c7k0n5q9t3w",
    "status": "pending",
    "tool": "refund_order",
    "endpointId": "tep_01jd3n5p8s2d6f9g1h4j7k0m3q",
    "input": {"order": "A-1017", "amount": 24.9},
    "risk": "high",
    "reason": None,
    "conversationId": "conv_01jd3kq8v5zt4m9rx2c7w6ybne",
    "identity": {
        "externalId": "customer-7",
        "name": "Vera Visitor",
        "email": "vera@example.com",
        "emailVerified": True,
    },
    "customer": {
        "id": "cus_01jd3kq8v7x2m5p8s1v4y7b0ez",
        "name": "Vera Visitor",
        "email": "vera@example.com",
        "avatarUrl": None,
    },
    "requestedAt": _AT,
    "expiresAt": _AT + 86_400_000,
    "decidedAt": None,
    "decidedBy": None,
    "decidedByName": None,
    "note": None,
    "outcome": None,
    "result": None,
}
_DECIDED = {
    "decidedAt": _AT + 90_000,
    "decidedBy": "usr_01jd3f1a4d7f0h3k6n9r2v5y8c",
    "decidedByName": "Ada Lovelace",
}
_APPROVED = {**PENDING, **_DECIDED, "status": "approved"}

BODIES: dict[str, Any] = {
    "approveToolCall": {},
    "denyToolCall": {"note": "The order is older than 30 days. Offer a voucher."},
}

ANSWERS: dict[str, Any] = {
    "listApprovals": {"approvals": [PENDING], "nextCursor": None},
    "getApproval": {
        "approval": {**_APPROVED, "outcome": "succeeded", "result": '{"refund": "rf_88", "amount": 24.9}'}
    },
    "approveToolCall": {"approval": _APPROVED},
    "denyToolCall": {
        "approval": {**PENDING, **_DECIDED, "status": "denied", "note": BODIES["denyToolCall"]["note"]}
    },
}
