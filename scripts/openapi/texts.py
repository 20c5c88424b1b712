"""Texts of the document that no code declares: the introduction, groups, path parameters and headers."""

from typing import Any

from helpdesk.api.idempotency.service import KEPT_HOURS, MAX_KEY_CHARACTERS

INFO: dict[str, Any] = {
    "title": "Helpdesk API",
    "version": "1",
    "summary": "A customer-support backend: visitors write, an agent or your team answers, webhooks notify you.",
    "description": """A visitor's first message creates a customer record and a conversation. The agent answers from
your knowledge base, or hands the conversation to your team. Signed webhooks notify your servers of every change.

Requests and responses are JSON in UTF-8. Times are integers of milliseconds since 1970. Everything belongs to one
organization; IDs of other organizations return 404. A null field counts as omitted. Unknown query parameters
and fields are refused with `invalid_request`, which names the nearest known one. POST /v1/messages ignores unknown
fields at the top level of its body and in `attachments`; routes without a credential ignore unknown parameters.

**Credentials.** Send `Authorization: Bearer <credential>` with a secret key (`svc_key_…`, only from your servers) or
with an access token (`svc_oat_…`), which acts as the person who approved it.

**Errors.** Every error is `{"error": {"code", "message"}}`. Branch on `code`; `message` says how to fix the error and
can change. The checks run in this order: route, credential (401), rate limit (429), role (403), body (`invalid_json`),
fields (`invalid_request`), rules.

**Rate limits.** Each organization has an allowance for reads, one for writes and one for uploads. `RateLimit-Policy`
describes it, and `RateLimit` says what is left. A 429 says in `Retry-After` how many seconds to wait.

**Retries.** Send a POST with an `Idempotency-Key` header of your choice, and you can safely retry it if no response
arrives. Within 24 hours it changes things once; a repeat gets the first response with `idempotent-replayed: true`.""",
    "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
}

SERVERS: list[dict[str, Any]] = [
    {
        "url": "https://{api}.execute-api.{region}.amazonaws.com/{stage}",
        "description": "A stack on AWS: its output ApiUrl.",
        "variables": {
            "api": {"default": "a1b2c3d4e5", "description": "The ID of the API: the output ApiId."},
            "region": {"default": "eu-west-1", "description": "The AWS region of the stack."},
            "stage": {"default": "prod", "description": "The stack's parameter Stage."},
        },
    },
    {
        "url": "{baseUrl}",
        "description": "Any other address, such as the base URL that the local stack prints.",
        "variables": {
            "baseUrl": {"default": "https://support.example.com", "description": "The address up to /v1."}
        },
    },
]

# By the first segment of a path after /v1: the group's name and description, in the order of the document.
GROUPS: dict[str, tuple[str, str]] = {
    "messages": ("Messages", "The visitor's side: send messages and read the thread."),
    "uploads": ("Files", "Files for messages: upload and download."),
    "files": ("Files", "Files for messages: upload and download."),
    "conversations": (
        "Conversations",
        "The team's inbox: read, answer, take over, hand back, resolve, assign, snooze, archive.",
    ),
    "approvals": ("Approvals", "Calls of tools that wait until a person approves or denies them."),
    "customers": ("Customers", "Customer records and facts, outreach, data export and erasure."),
    "erasures": ("Customers", "Customer records and facts, outreach, data export and erasure."),
    "agent": ("Agent", "The agent's settings."),
    "widget": ("Widget", "The settings of a chat widget on your site; your server reads them."),
    "live": ("Live updates", "Tokens for WebSocket connections that learn at once what changes."),
    "analytics": ("Analytics", "Statistics about your team and your agent."),
    "knowledge": ("Knowledge", "The documents that the agent answers from, and suggestions for them."),
    "board": ("Feedback board", "Posts that customers vote for and comment on."),
    "keys": (
        "Secret keys",
        "Keys with which your servers call the API, and which sign webhooks and tool calls.",
    ),
    "invites": ("Invitations", "Invite people to an organization by e-mail."),
    "oauth": (
        "OAuth",
        "Access tokens for programs: registration, login, approval, refresh, revocation.",
    ),
    ".well-known": (
        "OAuth",
        "Access tokens for programs: registration, login, approval, refresh, revocation.",
    ),
    "invite": ("Invitations", "Invite people to an organization by e-mail."),
    "me": ("People", "Your account, your organizations, and the one that your token is bound to."),
    "organizations": (
        "People",
        "Your account, your organizations, and the one that your token is bound to.",
    ),
    "members": ("Members", "The members of the organization and their roles."),
    "grants": ("Members", "The members of the organization and their roles."),
    "replies": ("Saved replies", "Texts that your team sends often, with placeholders."),
    "tags": (
        "Conversations",
        "The team's inbox: read, answer, take over, hand back, resolve, assign, snooze, archive.",
    ),
    "teams": ("Teams", "Groups of members that conversations are assigned to."),
    "tool-endpoints": ("Tools", "Your servers that declare tools, and the tools that the agent may call."),
    "tools": ("Tools", "Your servers that declare tools, and the tools that the agent may call."),
    "signals": ("Signals", "Bugs and suggestions, who reported them, and commits that finish them."),
    "tasks": ("Tasks", "The task board: cards, and the commits and pull requests that move them."),
    "commits": ("Tasks", "The task board: cards, and the commits and pull requests that move them."),
    "integrations": ("Integrations", "The services that your organization is connected to."),
    "connect": ("Integrations", "The services that your organization is connected to."),
    "hooks": ("Integrations", "The services that your organization is connected to."),
    "webhooks": ("Webhooks", "Webhook endpoints and their deliveries."),
    "events": ("Webhooks", "Webhook endpoints and their deliveries."),
    "site": ("Help site", "The site on which customers read published documents."),
    "organization": ("Organization", "The organization's settings, limits and log."),
    "billing": ("Organization", "The organization's settings, limits and log."),
    "logs": ("Organization", "The organization's settings, limits and log."),
    "openapi.json": ("Description", "This API description, for programs and for people."),
    "docs": ("Description", "This API description, for programs and for people."),
}

EVENTS_GROUP = ("Events", "The events that your webhook endpoints receive.")

PATH_PARAMETERS: dict[str, tuple[str, str]] = {
    "app": ("The integration: codehost, chatmirror, chatcommunity or tracker.", "codehost"),
    "report": ("The report's name.", "volume-by-day"),
    "conversationId": ("The conversation's ID.", "conv_01jd3kq8v5zt4m9rx2c7w6ybne"),
    "messageId": ("The message's ID.", "msg_01jd3ksd6n0g3h8w2k5m9r1yv4"),
    "approvalId": ("The approval's ID.", "apr_01jd3v1s6m2r8x4c7k0n5q9t3w"),
    "customerId": ("The customer's ID.", "cus_01jd3kq8v7x2m5p8s1v4y7b0ez"),
    "erasureId": ("The erasure's ID.", "ers_01jd3x5p8s1v4y7b0ez3k6nq9t"),
    "factId": ("The fact's ID.", "fact_01jd3w2m5p8s1v4y7b0ez3k6nq"),
    "postId": ("The post's ID.", "post_01jd3r7w9y1a3c5e7g9j0k2m4p"),
    "commentId": ("The comment's ID.", "cmt_01jd3r8x0z2b4d6f8h0k1m3n5q"),
    "folderId": ("The folder's ID.", "fold_01jd3m0a6q2w8e4r1t7y3u9i5o"),
    "crawlId": ("The crawl's ID.", "crawl_01jd3m4x8d0k6y9s5v7w2z4a1c"),
    "documentId": ("The document's ID.", "doc_01jd3m2w7c9k5x8r4t6v1z3y0b"),
    "signalId": ("The signal's ID.", "signal_01jd3r8s1w5g9j2k4m7n0p3q6t"),
    "commitId": ("The commit's ID.", "commit_5f1c8a0b7d2e4963f0a1b2c3d4"),
    "taskId": ("The card's ID or key.", "ACME-12"),
    "suggestionId": ("The suggestion's ID.", "sug_01jd3s9t2x6h0k3m5n8p1q4r7v"),
    "endpointId": ("The endpoint's ID.", "wh_01jd3n5p8s2d6f9g1h4j7k0m3q"),
    "name": ("The tool's name, as its manifest declares it.", "order_status"),
    "eventId": ("The event's ID.", "evt_0019aa2f1e2c4d7f9a2b3c4d5e6f7081"),
    "grantId": ("The ID of a program's access.", "grant_01jd3t5a8c0e3g6j9m2p5s8v1x"),
    "inviteId": ("The invitation's ID.", "inv_01jd3t0v3y7j1m4p8r2u5x9a6c"),
    "keyId": ("The key's ID.", "key_01jd3g1a4d7f0h3k6n9r2v5y8c"),
    "logId": ("The entry's ID.", "log_01jd3p6q9t3e7g0h2j5k8m1n4r"),
    "userId": ("The person's ID.", "usr_01jd3f1a4d7f0h3k6n9r2v5y8c"),
    "replyId": ("The saved reply's ID.", "reply_01jd3w9c2f5j8m1q4t7w0z3b6e"),
    "teamId": ("The team's ID.", "team_01jd3f4b7d0f3h6k9n2q5t8w1y"),
    "token": (
        "The last part of the file's URL, which nobody can guess.",
        "7Kd02mXq9ZrT4vBw1sNc8HyLpGf3JtQa5EuRi6WoDkM",
    ),
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
    "description": "Makes the request safe to retry: a value of your choice, such as a UUID. The same request with the "
    f"same credential and key changes things once within {KEPT_HOURS} hours.",
    "example": "b8a7f3c2-6f0e-4d0a-9a53-0d1c7e5f2b64",
}

HEADERS: dict[str, dict[str, Any]] = {
    "RequestId": {
        "description": "The ID of the request. It is in the operator's logs; quote it when you ask for help.",
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
        "description": "The remaining allowance: `r` requests now; in `t` seconds it is full again.",
        "schema": {"type": "string"},
        "example": '"write";r=299;t=1',
    },
    "RetryAfter": {
        "description": "Whole seconds to wait, at least 1.",
        "required": True,
        "schema": {"type": "string", "pattern": "^[1-9][0-9]*$"},
        "example": "2",
    },
    "RetryAfterConflict": {
        "description": "With `conflict` and `idempotency_in_progress`: whole seconds to wait, at least 1.",
        "schema": {"type": "string", "pattern": "^[1-9][0-9]*$"},
        "example": "1",
    },
    "IdempotentReplayed": {
        "description": "`true` if the response is that of an earlier request with the same Idempotency-Key.",
        "schema": {"const": "true"},
        "example": "true",
    },
    "Link": {
        "description": "Only of CSV: the address of the next page. It isn't sent at the end.",
        "schema": {"type": "string"},
        "example": '<https://support.example.com/v1/customers?cursor=eyJwIjoiMDFqZDNrcTgifQ.8c1f0a9b>; rel="next"',
    },
    "Location": {
        "description": "The address of the redirect.",
        "required": True,
        "schema": {"type": "string"},
        "example": "https://helpdesk-files.s3.eu-west-1.amazonaws.com/…",
    },
}

ERROR_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "The body of every error.",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": {"type": "string", "description": "Stable. Branch on it."},
                "message": {
                    "type": "string",
                    "description": "Says how to fix the error, for people. It can change.",
                },
                "reason": {
                    "const": "fair_use",
                    "description": "Only with rate_limited on the unlimited tier, for its fair-use limit.",
                },
            },
        }
    },
}

OAUTH_ERROR_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "The body of an OAuth error (RFC 6749, section 5.2).",
    "required": ["error"],
    "properties": {
        "error": {"type": "string", "description": "Stable. Branch on it."},
        "error_description": {
            "type": "string",
            "description": "Says how to fix the error, for people. It can change.",
        },
    },
}

SECURITY: dict[str, dict[str, Any]] = {
    "secretKey": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "svc_key_…",
        "description": "A secret key. It acts as the organization, with an admin's rights and without a person. "
        "Keep it on your servers. Publishable keys (`svc_pk_…`) are refused.",
    },
    "accessToken": {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "svc_oat_…",
        "description": "An access token. It acts as the person who approved it, with their role: owner, admin or "
        "member.",
    },
}

DELIVERY = """Sent as a signed POST to every endpoint that subscribes to this event. Respond with any 2xx within 15
seconds. Everything else, including a redirect, counts as a failure and is retried after 30 seconds, 5 minutes, 30
minutes and 2 hours. The body is byte-identical on every attempt. Store `id`, and ignore events that you have handled.

Verify the signature before you read the body. `svc-signature` is `t=<milliseconds>,v1=<hex>`, where `v1` is the
HMAC-SHA-256 of the text `<t>.<raw body>`. Its key is the endpoint's webhook secret: the lower-case hexadecimal text
that is derived from the secret key that signs the endpoint's webhooks. Reject a `t` more than five minutes from your
clock, and compare in constant time. The clients do this for you."""

STANDARD_HEADERS: list[dict[str, Any]] = [
    {
        "name": name,
        "in": "header",
        "required": False,
        "schema": {"type": "string", "pattern": pattern},
        "description": f"{description} Sent to an endpoint that has its own secret (Standard Webhooks).",
        "example": example,
    }
    for name, pattern, description, example in (
        ("webhook-id", "^evt_[0-9a-f]{32}$", "The event's ID.", "evt_0019aa2f1e2c4d7f9a2b3c4d5e6f7081"),
        ("webhook-timestamp", "^[0-9]+$", "The time of the signature, in seconds since 1970.", "1763683200"),
        (
            "webhook-signature",
            "^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=){0,2}$",
            "HMAC-SHA-256 in Base64, one for each valid secret, over `<webhook-id>.<webhook-timestamp>.<raw body>`.",
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
        ),
    )
]
