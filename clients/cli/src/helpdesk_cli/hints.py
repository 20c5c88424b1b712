"""What to do about each error code, in terms of this program. It is printed after the API's own message."""

from __future__ import annotations

_LOG_IN = "Log in again: helpdesk login. In a script, replace HELPDESK_TOKEN."
_A_PERSON = (
    "This needs a person: log in with `helpdesk login`, and unset HELPDESK_TOKEN if it holds a secret key."
)
_FIND = {
    "approval": "helpdesk approvals list",
    "conversation": "helpdesk conversations",
    "crawl": "helpdesk knowledge crawl list",
    "change": "helpdesk tools endpoints",
    "endpoint": "helpdesk webhooks list, or helpdesk tools endpoints",
    "grant": "helpdesk grants list",
    "invite": "helpdesk invites list",
    "key": "helpdesk keys list",
    "member": "helpdesk members list",
    "org": "helpdesk org list",
    "signal": "helpdesk signals list",
    "task": "helpdesk tasks",
    "post": "helpdesk board posts",
    "comment": "helpdesk board comments POST",
    "board": "helpdesk board show",
    "board_status": "helpdesk board show",
    "board_tag": "helpdesk board show",
    "suggestion": "helpdesk knowledge suggestions",
    "tool": "helpdesk tools list",
}
_HINTS = {
    "already_a_member": "See who belongs to the organization: helpdesk members list",
    "already_invited": "Send it again with `helpdesk invites resend ID`; `helpdesk invites list` shows the ID.",
    "approval_expired": "See why: helpdesk approvals show ID",
    "approval_settled": "See the decision: helpdesk approvals show ID",
    "board_changed": "Someone changed the settings at the same moment. Run the command again.",
    "approvals_pending": "Decide them: helpdesk approvals",
    "bad_snooze_time": "Choose a time from one minute to 365 days ahead, such as --until 3h.",
    "chatcommunity_not_connected": "Connect it: helpdesk integrations connect chatcommunity",
    "chatcommunity_bot_offline": "Connect it again: helpdesk integrations connect chatcommunity",
    "chatmirror_not_connected": "Connect it: helpdesk integrations connect chatmirror",
    "codehost_not_connected": "Connect it: helpdesk integrations connect codehost",
    "commit_repo_not_found": "See which accounts are connected: helpdesk integrations list",
    "cannot_grant": "Ask an owner to do it.",
    "cannot_manage_self": "Ask another admin or owner to do it.",
    "consent_required": "Log in again and choose the organization on the page: helpdesk login",
    "conversation_archived": "Unarchive it: helpdesk conversations unarchive ID",
    "conversation_merged": "Read the other one: helpdesk conversations show ID",
    "conversation_moved": "Read what is new: helpdesk conversations show ID",
    "crawl_running": "See how far it is: helpdesk knowledge crawl list",
    "delivery_in_progress": "See when its next attempt is due: helpdesk webhooks history ID",
    "delivery_not_found": "List the deliveries: helpdesk webhooks history ID",
    "different_customers": "List the conversations of one: helpdesk conversations --customer ID",
    "endpoint_required": "Name one with --url: helpdesk tools endpoints",
    "forbidden": "See your role: helpdesk whoami",
    "insufficient_scope": "Log in again, which asks for it: helpdesk login",
    "invalid_api_key": "HELPDESK_TOKEN holds a key that is not valid here. Replace it, or unset it and log in.",
    "invalid_token": _LOG_IN,
    "integration_not_found": "See which there are: helpdesk integrations list",
    "issue_not_found": "See where issues are: helpdesk integrations issue-repo show",
    "issue_repo_missing": "Set it: helpdesk integrations issue-repo set OWNER/REPO",
    "last_owner": "Make another member an owner first: helpdesk members role ID owner",
    "missing_api_key": "Log in: helpdesk login",
    "missing_service_key": "Create one: helpdesk keys create NAME",
    "needs_a_person": _A_PERSON,
    "no_endpoint": "Add one: helpdesk tools add URL",
    "no_events": "Name at least one: --event message.created",
    "no_organization": "Choose one: helpdesk org list, then helpdesk org use SLUG. Or: helpdesk org create",
    "not_a_member": "List the members: helpdesk members list",
    "not_archived": "See what is archived: helpdesk conversations --archived",
    "not_found": "This service has no such route. It may be older than this program.",
    "outranked": "Ask an owner to do it.",
    "publishable_key": "Unset HELPDESK_TOKEN and log in, or set it to a secret key (svc_key_…).",
    "repo_already_connected": "Change it: helpdesk integrations repos set OWNER/REPO --branch BRANCH --path FOLDER",
    "repo_not_connected": "List those that are: helpdesk integrations repos list",
    "signal_exists": "Report that one: helpdesk signals report ID",
    "slug_taken": "Choose another with --slug.",
    "invalid_slug": "Choose another with --slug.",
    "still_used": "See how many posts have it: helpdesk board show",
    "suggestion_gone": "Dismiss it: helpdesk knowledge suggestions dismiss ID",
    "suggestion_settled": "See the decision: helpdesk knowledge suggestions show ID",
    "suggestion_stale": "Change the document yourself, then: helpdesk knowledge suggestions dismiss ID",
    "already_a_task": "See the board: helpdesk tasks",
    "not_a_request": "See what waits: helpdesk tasks requests",
    "token_required": _A_PERSON,
    "team_exists": "List the teams: helpdesk teams",
    "team_not_found": "List your teams: helpdesk teams. Those of Linear: helpdesk integrations tracker show",
    "tracker_failed": "Linear is asked again. See the result: helpdesk signals show ID",
    "tracker_not_connected": "Connect it: helpdesk integrations connect tracker",
    "mirror_bot_offline": "Connect it again: helpdesk integrations connect chatmirror",
    "too_many_tool_endpoints": "Remove one: helpdesk tools endpoints, then helpdesk tools remove ID",
    "too_many_crawls": "See which are running: helpdesk knowledge crawl list",
    "too_many_endpoints": "Remove one: helpdesk webhooks list, then helpdesk webhooks remove ID",
    "too_many_invites": "Withdraw one: helpdesk invites list, then helpdesk invites withdraw ID",
    "reply_not_found": "List them: helpdesk replies",
    "too_many_replies": "Delete one: helpdesk replies, then helpdesk replies delete ID",
    "too_many_teams": "Delete one: helpdesk teams, then helpdesk teams delete ID",
    "too_many_keys": "Revoke one: helpdesk keys list, then helpdesk keys revoke ID",
}


def hint_for(code: str, status: int, retry_after: float | None, request_id: str | None) -> str:
    """Return what to do about an error; empty if the API's message already says it."""
    if code in _HINTS:
        return _HINTS[code]
    if status in {429, 503}:
        return f"Try again in {retry_after:.0f} s." if retry_after else "Try again in a moment."
    if status >= 500:
        operator = f" If it persists, give the operator this request ID: {request_id}" if request_id else ""
        return f"Try again later.{operator}"
    listing = _FIND.get(code.removesuffix("_not_found"))
    if code.endswith("_not_found") and listing:
        return f"List them: {listing}"
    if status == 401:
        return _LOG_IN
    return "Correct this and run the command again."
