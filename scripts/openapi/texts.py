"""What the document says that no code declares: about the whole API, its groups, its path parameters and headers."""

from typing import Any

from helpdesk.idempotency.service import KEPT_HOURS, MAX_KEY_CHARACTERS

INFO: dict[str, Any] = {
    "title": "Helpdesk API",
    "version": "1",
    "summary": "A customer-support backend: visitors write, an agent or your team answers, webhooks tell of it.",
    "description": """A visitor's first message creates their record and a conversation. The agent answers it from
your knowledge base, or hands it to your team. Signed webhooks tell your servers of everything.

Requests and answers are JSON in UTF-8. Instants are whole milliseconds since 1970. Everything belongs to one
organization: an id of another is answered as not found. A field sent as null counts as omitted, and unknown
fields and query parameters are ignored unless a schema forbids them.

**Credentials.** Send `Authorization: Bearer <credential>` with a secret key (`svc_key_…`, from your servers
only) or with an access token (`svc_oat_…`), which acts as the person who approved it.

**Errors.** Every refusal is `{"error": {"code", "message"}}`. Branch on `code`; `message` names the fix and may
change. Checks run in this order: route, credential (401), allowance (429), role (403), body (`invalid_json`),
fields (`invalid_request`), rules.

**Limits.** Reads, writes and uploads each draw from an allowance of the organization. `RateLimit-Policy` and
`RateLimit` tell how much there is and what is left; a 429 says in `Retry-After` how many seconds to wait.

**Repeats.** Send a POST with a header `Idempotency-Key` of your choice, and you may send it again when no answer came:
within 24 hours it changes things once, and the first answer is given again with `idempotent-replayed: true`.""",
    "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
}

SERVERS: list[dict[str, Any]] = [
    {
        "url": "https://{api}.execute-api.{region}.amazonaws.com/{stage}",
        "description": "A stack on AWS: its output ApiUrl.",
        "variables": {
            "api": {"default": "a1b2c3d4e5", "description": "The id of the API: the output ApiId."},
            "region": {"default": "eu-west-1", "description": "The AWS region of the stack."},
            "stage": {"default": "prod", "description": "The stack's parameter Stage."},
        },
    },
    {
        "url": "{baseUrl}",
        "description": "Any other address, such as the base URL that the local stack prints.",
        "variables": {
            "baseUrl": {"default": "https://support.example.com", "description": "What /v1/… follows."}
        },
    },
]

# By the first part of a path behind /v1: the name of the group and what it is for, in the order of the document.
GROUPS: dict[str, tuple[str, str]] = {
    "messages": ("Messages", "The visitor's side: send what a visitor wrote, and read their thread back."),
    "uploads": ("Files", "Files for messages: take them in, and hand them out."),
    "files": ("Files", "Files for messages: take them in, and hand them out."),
    "conversations": (
        "Conversations",
        "The team's inbox: read, answer, take over, hand back, resolve, assign, snooze, archive.",
    ),
    "customers": ("Customers", "Who wrote, what is known of them, and writing to them first."),
    "erasures": ("Customers", "Who wrote, what is known of them, and writing to them first."),
    "agent": ("Agent", "How the agent behaves."),
    "widget": ("Widget", "What a chat widget on your site shows; your server asks for it."),
    "analytics": ("Analytics", "Figures about your team's and your agent's work."),
    "knowledge": ("Knowledge", "The documents that the agent answers from."),
    "keys": ("Secret keys", "What your servers call the API with, and what webhooks are signed with."),
    "invites": ("Invitations", "How a person becomes a member of an organization: by a link in an e-mail."),
    "oauth": (
        "OAuth",
        "How a program gets an access token: registration, login, approval, refresh, revocation.",
    ),
    ".well-known": (
        "OAuth",
        "How a program gets an access token: registration, login, approval, refresh, revocation.",
    ),
    "invite": ("Invitations", "How a person becomes a member of an organization: by a link in an e-mail."),
    "me": ("People", "Who you are, which organizations you belong to, and in which your token acts."),
    "organizations": (
        "People",
        "Who you are, which organizations you belong to, and in which your token acts.",
    ),
    "members": ("Members", "The people of the organization, and their roles."),
    "webhooks": ("Webhooks", "Where your servers listen, and how deliveries fare."),
    "events": ("Webhooks", "Where your servers listen, and how deliveries fare."),
    "organization": ("Organization", "What the organization may, and what happened in it."),
    "billing": ("Organization", "What the organization may, and what happened in it."),
    "logs": ("Organization", "What the organization may, and what happened in it."),
    "openapi.json": ("Description", "This document, for programs and for people."),
    "docs": ("Description", "This document, for programs and for people."),
}

EVENTS_GROUP = ("Events", "What your webhook endpoints are sent.")

PATH_PARAMETERS: dict[str, tuple[str, str]] = {
    "conversationId": ("The conversation's id.", "conv_01jd3kq8v5zt4m9rx2c7w6ybne"),
    "customerId": ("The customer's id.", "cus_01jd3kq8v7x2m5p8s1v4y7b0ez"),
    "erasureId": ("The erasure's id.", "ers_01jd3x5p8s1v4y7b0ez3k6nq9t"),
    "factId": ("The fact's id.", "fact_01jd3w2m5p8s1v4y7b0ez3k6nq"),
    "documentId": ("The document's id.", "doc_01jd3m2w7c9k5x8r4t6v1z3y0b"),
    "endpointId": ("The endpoint's id.", "wh_01jd3n5p8s2d6f9g1h4j7k0m3q"),
    "eventId": ("The event's id.", "evt_0019aa2f1e2c4d7f9a2b3c4d5e6f7081"),
    "inviteId": ("The invitation's id.", "inv_01jd3t0v3y7j1m4p8r2u5x9a6c"),
    "keyId": ("The key's id.", "key_01jd3g1a4d7f0h3k6n9r2v5y8c"),
    "logId": ("The entry's id.", "log_01jd3p6q9t3e7g0h2j5k8m1n4r"),
    "userId": ("The person's id.", "usr_01jd3f1a4d7f0h3k6n9r2v5y8c"),
    "token": ("The unguessable part of the address.", "7Kd02mXq9ZrT4vBw1sNc8HyLpGf3JtQa5EuRi6WoDkM"),
}

IDEMPOTENCY_KEY: dict[str, Any] = {
    "name": "Idempotency-Key",
    "in": "header",
    "schema": {
        "type": "string",
        "minLength": 1,
        "maxLength": MAX_KEY_CHARACTERS,
        "pattern": "^[!-~]([ -~]*[!-~])?$",
    },
    "description": "Makes the request safe to repeat: a name of your own for what it is to change, such as a UUID. The "
    f"same request with the same credential and key changes things once in {KEPT_HOURS} hours.",
    "example": "b8a7f3c2-6f0e-4d0a-9a53-0d1c7e5f2b64",
}

HEADERS: dict[str, dict[str, Any]] = {
    "RequestId": {
        "description": "The id of the request, which the operator's logs hold; quote it when you ask for help.",
        "required": True,
        "schema": {"type": "string"},
        "example": "6d1f9f0e-3c52-4a7e-9a4b-5f0c6a3de1b8",
    },
    "RateLimitPolicy": {
        "description": "The allowance of the request's class: the rate `q` in a window of `w` seconds.",
        "schema": {"type": "string"},
        "example": '"write";q=1200;w=60',
    },
    "RateLimit": {
        "description": "What is left: `r` requests at this moment; in `t` seconds the allowance is full again.",
        "schema": {"type": "string"},
        "example": '"write";r=299;t=1',
    },
    "RetryAfter": {
        "description": "Whole seconds to wait, at least 1.",
        "required": True,
        "schema": {"type": "string", "pattern": "^[1-9][0-9]*$"},
        "example": "2",
    },
    "RetryAfterRunning": {
        "description": "With `idempotency_in_progress`: whole seconds to wait, at least 1.",
        "schema": {"type": "string", "pattern": "^[1-9][0-9]*$"},
        "example": "1",
    },
    "IdempotentReplayed": {
        "description": "`true` where the answer is that of an earlier request with the same Idempotency-Key.",
        "schema": {"const": "true"},
        "example": "true",
    },
    "Location": {
        "description": "The address that the answer leads to.",
        "required": True,
        "schema": {"type": "string"},
        "example": "https://helpdesk-files.s3.eu-west-1.amazonaws.com/…",
    },
}

ERROR_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "The body of every refusal.",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": {"type": "string", "description": "Stable; branch on it."},
                "message": {"type": "string", "description": "Names the fix, for people; may change."},
                "reason": {
                    "const": "fair_use",
                    "description": "Only with rate_limited on the unlimited tier, where fair use is the limit.",
                },
            },
        }
    },
}

OAUTH_ERROR_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "The body of a refusal of OAuth's routes (RFC 6749, section 5.2).",
    "required": ["error"],
    "properties": {
        "error": {"type": "string", "description": "Stable; branch on it."},
        "error_description": {"type": "string", "description": "Names the fix, for people; may change."},
    },
}

SECURITY: dict[str, dict[str, Any]] = {
    "secretKey": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "svc_key_…",
        "description": "A secret key. It acts as the organization, with an admin's rights and no person behind it. "
        "Keep it on your servers. Publishable keys (`svc_pk_…`) are refused.",
    },
    "accessToken": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "svc_oat_…",
        "description": "An access token. It acts as the person who approved it, with that person's role: owner, admin "
        "or member.",
    },
}

DELIVERY = """Sent as a signed POST to every endpoint that listens to this event. Answer any 2xx within 15 seconds;
anything else, a redirect included, counts as a failure and is tried again after 30 seconds, 5 minutes, 30 minutes and 2
hours. The body is byte-identical on every attempt; remember `id` and ignore what you have handled.

Verify before you read: `svc-signature` is `t=<milliseconds>,v1=<hex>`, where `v1` is the HMAC-SHA-256 of the
text `<t>.<raw body>`, keyed with the endpoint's webhook secret (the lower-case hexadecimal text that is derived
from the secret key it is signed with). Refuse a `t` more than five minutes from your clock, and compare in
constant time. The clients do this for you."""

STANDARD_HEADERS: list[dict[str, Any]] = [
    {
        "name": name,
        "in": "header",
        "required": False,
        "schema": {"type": "string", "pattern": pattern},
        "description": f"{description} Sent to an endpoint that has a secret of its own (Standard Webhooks).",
        "example": example,
    }
    for name, pattern, description, example in (
        ("webhook-id", "^evt_[0-9a-f]{32}$", "The event's id.", "evt_0019aa2f1e2c4d7f9a2b3c4d5e6f7081"),
        ("webhook-timestamp", "^[0-9]+$", "When it was signed, in seconds since 1970.", "1763683200"),
        (
            "webhook-signature",
            "^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=){0,2}$",
            "HMAC-SHA-256 in base64, one for each secret in force, over `<webhook-id>.<webhook-timestamp>.<raw body>`.",
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        ),
    )
]
