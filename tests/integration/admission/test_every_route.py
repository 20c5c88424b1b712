"""Every route with every kind of credential, against a table written from the specification.

Specification: Authentication, 2 to 9; docs/guides/authentication.md defines the rest. A route that is
in no row fails the test: a new route needs a row here.
"""

import re
from collections.abc import Callable
from typing import Any

import pytest

from helpdesk.api.routing.api import Route
from helpdesk.platform import ids
from scripts.openapi.routes import all_routes
from tests.support.api import Answer, Client

CREDENTIALS = (
    "nothing",
    "no bearer",
    "malformed key",
    "unknown key",
    "revoked key",
    "publishable key",
    "secret key",
    "member",
    "admin",
    "owner",
    "without organization",
    "expired token",
    "unknown token",
    "former member",
    "program",
)

PEOPLE = CREDENTIALS[7:11] + CREDENTIALS[13:]

_UNKNOWN = {
    "nothing": "401 missing_api_key",
    "no bearer": "401 missing_api_key",
    "malformed key": "401 invalid_api_key",
    "unknown key": "401 invalid_api_key",
    "revoked key": "401 invalid_api_key",
    "publishable key": "401 publishable_key",
}
_TOKENS_UNKNOWN = {
    "without organization": "403 no_organization",
    "expired token": "401 invalid_token",
    "unknown token": "401 invalid_token",
    "former member": "401 invalid_token",
}
_IN = dict.fromkeys(("secret key", "member", "admin", "owner", "program"), "in")
# A route that accepts no key says so to a key that is live, and to no other.
_NO_KEY = {"secret key": "401 token_required"}
_MEMBERS = {**_UNKNOWN, **_IN, **_TOKENS_UNKNOWN}
# A program's login with the scope `api` alone.
_MANAGERS = {**_MEMBERS, "program": "403 insufficient_scope"}

# The result for each credential, by access: "in" stands for any response of the route itself.
EXPECTED: dict[str, dict[str, str]] = {
    "everybody": dict.fromkeys(CREDENTIALS, "in"),
    # Rule 5: messaging accepts only a secret key.
    "messaging": {
        **_UNKNOWN,
        "secret key": "in",
        **dict.fromkeys(CREDENTIALS[7:], "401 invalid_api_key"),
    },
    "any member, any key": _MEMBERS,
    # Rule 8; a key acts with an admin's rights.
    "admin or owner": {**_MEMBERS, "member": "403 forbidden"},
    # Rule 7: inviting or changing members.
    "a person, admin or owner": {**_MANAGERS, "member": "403 forbidden", "secret key": "400 needs_a_person"},
    "account, admin or owner": {**_MEMBERS, "member": "403 forbidden", **_NO_KEY},
    "who gets in, admin or owner": {**_MANAGERS, "member": "403 forbidden", **_NO_KEY},
    # The person's own routes work without an organization, and for a former member.
    "account": {**_MEMBERS, **_NO_KEY, "without organization": "in", "former member": "in"},
    # About the organization that the person belongs to.
    "account, in an organization": {**_MANAGERS, **_NO_KEY},
    "account, in an organization, by any program": {**_MEMBERS, **_NO_KEY},
    "account, joining": {**_MANAGERS, **_NO_KEY, "without organization": "in", "former member": "in"},
}

ROUTES: dict[str, str] = {
    "everybody": """
        GET /v1/.well-known/oauth-authorization-server
        GET /v1/.well-known/oauth-protected-resource
        GET /v1/.well-known/openid-configuration
        GET /v1/docs
        GET /v1/connect/<app>
        GET /v1/connect/<app>/callback
        POST /v1/connect/<app>
        POST /v1/hooks/<app>
        GET /v1/files/<token>
        GET /v1/invite/<token>
        GET /v1/oauth/authorize
        GET /v1/oauth/consent
        GET /v1/oauth/device
        GET /v1/openapi.json
        POST /v1/invite/<token>
        POST /v1/oauth/code
        POST /v1/oauth/consent
        POST /v1/oauth/device
        POST /v1/oauth/device_authorization
        POST /v1/oauth/register
        POST /v1/oauth/revoke
        POST /v1/oauth/sign-in
        POST /v1/oauth/sign-out
        POST /v1/oauth/token
    """,
    "messaging": """
        GET /v1/messages
        POST /v1/messages
        POST /v1/messages/rating
    """,
    "any member, any key": """
        GET /v1/agent
        POST /v1/agent/test
        GET /v1/approvals
        GET /v1/approvals/<approval_id>
        POST /v1/approvals/<approval_id>/approve
        POST /v1/approvals/<approval_id>/deny
        GET /v1/analytics/datasets
        POST /v1/analytics/explore
        POST /v1/analytics/records
        GET /v1/analytics/reports
        GET /v1/analytics/reports/<report>
        GET /v1/analytics/satisfaction
        POST /v1/live/tokens
        GET /v1/widget/settings
        GET /v1/billing/limits
        GET /v1/conversations
        GET /v1/conversations/<conversation_id>
        GET /v1/customers
        GET /v1/customers/<customer_id>
        GET /v1/board
        GET /v1/board/posts
        GET /v1/board/posts/<post_id>
        GET /v1/board/posts/<post_id>/comments
        DELETE /v1/board/posts/<post_id>
        DELETE /v1/board/posts/<post_id>/comments/<comment_id>
        DELETE /v1/board/posts/<post_id>/vote
        PATCH /v1/board/posts/<post_id>
        POST /v1/board/posts
        POST /v1/board/posts/<post_id>/comments
        POST /v1/board/posts/<post_id>/signal
        POST /v1/board/posts/<post_id>/vote
        GET /v1/erasures/<erasure_id>
        DELETE /v1/knowledge/crawls/<crawl_id>
        GET /v1/knowledge/crawls
        GET /v1/knowledge/crawls/<crawl_id>
        POST /v1/knowledge/crawls
        POST /v1/knowledge/crawls/<crawl_id>/run
        GET /v1/knowledge/documents
        GET /v1/knowledge/documents/<document_id>
        GET /v1/knowledge/folders
        GET /v1/integrations
        GET /v1/site
        GET /v1/site/searches
        GET /v1/site/articles
        GET /v1/site/appearance
        GET /v1/integrations/issue-repo
        GET /v1/integrations/repos
        GET /v1/integrations/chatcommunity
        GET /v1/integrations/chatmirror
        GET /v1/integrations/tracker
        GET /v1/tasks
        GET /v1/tasks/requests
        POST /v1/commits
        POST /v1/signals/<signal_id>/commits/<commit_id>/apply
        POST /v1/tasks
        POST /v1/tasks/adopt
        POST /v1/tasks/<task_id>/commits
        POST /v1/tasks/<task_id>/decline
        GET /v1/tasks/<task_id>
        PATCH /v1/tasks/<task_id>
        DELETE /v1/tasks/<task_id>
        GET /v1/knowledge/suggestions
        GET /v1/knowledge/suggestions/<suggestion_id>
        GET /v1/logs
        GET /v1/invites
        GET /v1/logs/<log_id>
        GET /v1/members
        GET /v1/organization
        GET /v1/signals
        GET /v1/signals/<signal_id>
        GET /v1/signals/similar
        POST /v1/signals/<signal_id>/merge
        PATCH /v1/signals/<signal_id>
        POST /v1/signals
        POST /v1/signals/<signal_id>/codehost
        POST /v1/signals/<signal_id>/commits
        POST /v1/signals/<signal_id>/reports
        POST /v1/signals/<signal_id>/tracker
        GET /v1/tools
        POST /v1/tools/<name>/test
        GET /v1/conversations/<conversation_id>/messages/<message_id>/source
        GET /v1/organization/hours
        GET /v1/organization/targets
        GET /v1/teams
        GET /v1/tags
        GET /v1/replies
        POST /v1/replies
        DELETE /v1/replies/<reply_id>
        PATCH /v1/replies/<reply_id>
        PUT /v1/conversations/<conversation_id>/tags
        POST /v1/conversations/<conversation_id>/archive
        POST /v1/conversations/<conversation_id>/assign
        POST /v1/conversations/<conversation_id>/hand-back
        POST /v1/conversations/<conversation_id>/merge
        POST /v1/conversations/<conversation_id>/close
        POST /v1/conversations/<conversation_id>/note
        POST /v1/conversations/<conversation_id>/reopen
        POST /v1/conversations/<conversation_id>/reply
        POST /v1/conversations/<conversation_id>/resolve
        POST /v1/conversations/<conversation_id>/snooze
        POST /v1/conversations/<conversation_id>/take-over
        POST /v1/conversations/<conversation_id>/unarchive
        DELETE /v1/customers/<customer_id>/facts/<fact_id>
        PATCH /v1/customers/<customer_id>
        POST /v1/customers
        POST /v1/customers/<customer_id>/facts
        POST /v1/customers/<customer_id>/messages
        DELETE /v1/knowledge/documents/<document_id>
        DELETE /v1/knowledge/folders/<folder_id>
        PATCH /v1/knowledge/documents/<document_id>
        POST /v1/knowledge/documents/<document_id>/aliases
        PATCH /v1/knowledge/folders/<folder_id>
        POST /v1/knowledge/documents
        POST /v1/knowledge/folders
        POST /v1/knowledge/folders/order
        POST /v1/knowledge/suggestions/<suggestion_id>/accept
        POST /v1/knowledge/suggestions/<suggestion_id>/dismiss
        POST /v1/uploads
    """,
    "admin or owner": """
        DELETE /v1/integrations/<app>
        DELETE /v1/integrations/repos
        POST /v1/integrations/issue-repo
        PATCH /v1/integrations/repos
        POST /v1/integrations/repos
        POST /v1/integrations/repos/sync
        PATCH /v1/integrations/chatcommunity
        PATCH /v1/integrations/chatmirror
        PATCH /v1/integrations/tracker
        DELETE /v1/customers/<customer_id>
        GET /v1/customers/<customer_id>/export
        DELETE /v1/tool-endpoints/<endpoint_id>
        GET /v1/tool-endpoints
        PATCH /v1/tool-endpoints/<endpoint_id>
        PATCH /v1/tools/<name>
        POST /v1/tool-endpoints/<endpoint_id>/changes/accept
        POST /v1/tool-endpoints/sync
        POST /v1/tools/sync
        PUT /v1/tool-endpoints
        DELETE /v1/webhooks/<endpoint_id>
        DELETE /v1/webhooks/<endpoint_id>/secret
        GET /v1/events
        GET /v1/webhooks
        GET /v1/webhooks/<endpoint_id>/deliveries
        PATCH /v1/agent
        PATCH /v1/board
        PATCH /v1/organization
        PATCH /v1/organization/hours
        PATCH /v1/organization/targets
        PATCH /v1/site
        PATCH /v1/site/appearance
        GET /v1/site/sign-in
        PATCH /v1/site/sign-in
        PATCH /v1/webhooks/<endpoint_id>
        DELETE /v1/teams/<team_id>
        PATCH /v1/teams/<team_id>
        POST /v1/billing/branding
        POST /v1/teams
        POST /v1/webhooks
        POST /v1/webhooks/<endpoint_id>/deliveries/<event_id>/redeliver
        POST /v1/webhooks/<endpoint_id>/secret
        POST /v1/webhooks/<endpoint_id>/test
    """,
    "a person, admin or owner": """
        DELETE /v1/invites/<invite_id>
        DELETE /v1/members/<user_id>
        PATCH /v1/members/<user_id>
        POST /v1/invites
        POST /v1/invites/<invite_id>/resend
    """,
    "account, admin or owner": """
        GET /v1/grants
        GET /v1/keys
    """,
    "who gets in, admin or owner": """
        DELETE /v1/grants/<grant_id>
        DELETE /v1/keys/<key_id>
        POST /v1/keys
    """,
    "account, joining": """
        DELETE /v1/me/grants/<grant_id>
        POST /v1/invites/accept
    """,
    "account, in an organization": """
        DELETE /v1/me/organization
    """,
    "account, in an organization, by any program": """
        GET /v1/me/notifications
        PUT /v1/conversations/<conversation_id>/read
    """,
    "account": """
        GET /v1/me
        GET /v1/me/grants
        PATCH /v1/me
        PATCH /v1/me/notifications
        POST /v1/me/organization
        POST /v1/organizations
    """,
}
WHO = {route.strip(): who for who, routes in ROUTES.items() for route in routes.strip().splitlines()}

# Codes that only admission returns. A route that returned one of them would go unnoticed.
ADMISSION = {
    "missing_api_key",
    "invalid_api_key",
    "publishable_key",
    "invalid_token",
    "token_required",
    "no_organization",
    "forbidden",
    "insufficient_scope",
    "needs_a_person",
    "rate_limited",
}


def name(route: Route) -> str:
    return f"{route.method} {route.path}"


def test_the_table_lists_every_route_and_no_other() -> None:
    assert {name(route) for route in all_routes()} == set(WHO)


def outcome(answer: Answer) -> str:
    """Return "in" for a response of the route itself, else the status and code of admission's error."""
    error: Any = answer.body.get("error") if isinstance(answer.body, dict) else None
    if isinstance(error, dict) and error["code"] in ADMISSION:
        return f"{answer.status} {error['code']}"
    return "in"


@pytest.mark.parametrize("access", EXPECTED)
def test_routes_admit_the_callers_in_the_table(access: str, credentials: Callable[[str], str | None]) -> None:
    known = {kind: credentials(kind) for kind in CREDENTIALS}
    found = {}
    for route in all_routes():
        if WHO[name(route)] != access:
            continue
        if access.startswith("account"):  # such a route can end a person's membership
            known |= {kind: credentials(kind) for kind in PEOPLE}
        else:  # a person outside an organization has a rate limit of their own
            known["without organization"] = credentials("without organization")
        path = re.sub(r"<\w+>", lambda _: ids.new("some"), route.path)
        body: Any = None if route.method in {"GET", "DELETE"} else {}
        found[name(route)] = {
            kind: outcome(
                Client(headers={"Authorization": authorization} if authorization else {}).request(
                    route.method, path, body
                )
            )
            for kind, authorization in known.items()
        }

    assert found == dict.fromkeys(found, EXPECTED[access])
    assert found
