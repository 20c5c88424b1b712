"""One error shape and one meaning per code; every route declares who may call it and what it can refuse."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator

import pytest

import helpdesk
from helpdesk.accounts.oauth.errors import OAuthError, PageError
from helpdesk.api.admission.caller import Access
from helpdesk.api.admission.limits import RequestClass
from helpdesk.api.routing.api import Api, Route
from helpdesk.platform.errors import (
    AppError,
    BadRequestError,
    ConflictError,
    ForbiddenError,
    InternalError,
    NotFoundError,
    UnauthorizedError,
)
from tests.support.api import function
from tests.support.rules import for_each
from tests.support.template import ROOT

# Specification: Errors, Codes. Any code ending in _not_found is 404; those of conflicts are 409.
SPECIFIED: dict[int, str] = {
    401: "missing_api_key invalid_api_key publishable_key invalid_token token_required",
    403: "no_organization forbidden",
    404: "not_found",
    429: "rate_limited",
    500: "internal_error",
    409: "already_a_member already_invited approval_settled approval_expired suggestion_settled suggestion_stale"
    " suggestion_gone signal_exists crawl_running already_a_task not_a_request",
    400: "needs_a_person legacy_api_key invalid_json invalid_request invalid_session empty_message message_too_long"
    " too_many_attachments attachment_missing attachment_wrong_type empty_file file_too_big too_many_keys"
    " invalid_name missing_service_key invalid_url no_events too_many_endpoints too_many_tool_endpoints no_endpoint"
    " endpoint_required invalid_input too_many_running conversation_archived invalid_slug slug_taken"
    " too_many_organizations invalid_email too_many_invites cannot_grant cannot_manage_self outranked last_owner"
    " bad_snooze_time not_archived customer_unreachable invalid_feedback title_missing body_missing body_too_large"
    " doc_is_synced folder_name_missing folder_too_deep folder_cycle order_invalid bad_url upgrade_required"
    " too_many_crawls signal_empty title_required key_prefix_invalid not_a_member invalid_query invalid_personality"
    " address_taken chatmirror_not_connected chatcommunity_not_connected tracker_not_connected"
    " codehost_not_connected repo_name_invalid repo_already_connected bad_docs_url address_private repo_not_connected"
    " issue_repo_missing mirror_bot_offline mirror_bot_timeout mirror_act_failed tracker_failed"
    " chatcommunity_bot_offline chatcommunity_bot_timeout chatcommunity_act_failed",
}
# Ours, where the specification leaves a refusal open.
OURS = {
    "invalid_cursor": 400,
    "session_required": 400,
    "session_not_allowed": 400,
    "too_many_connections": 429,
    "invalid_code": 400,
    "invalid_signature": 401,
    "doc_changed": 409,
    "conversation_moved": 409,
    "invalid_tag": 400,
    "reply_not_found": 404,
    "too_many_replies": 400,
    "unknown_placeholder": 400,
    "conversation_merged": 400,
    "same_conversation": 400,
    "different_customers": 400,
    "approvals_pending": 409,
    "mail_conversation": 400,
    "discord_conversation": 400,
    "too_many_merged": 400,
    "form_not_own": 403,
    "insufficient_scope": 403,
    "consent_required": 403,
    "discovery_failed": 400,
    "sign_in_unavailable": 503,
    "document_limit": 400,
    "budget_exceeded": 429,
    "folder_limit": 400,
    "still_used": 409,
    "board_changed": 409,
    "team_exists": 409,
    "too_many_teams": 400,
    "not_resolved": 400,
    "rating_settled": 409,
    "key_exists": 409,
    "delivery_in_progress": 409,
    "conflict": 409,
    "idempotency_mismatch": 422,
    "idempotency_in_progress": 409,
    "idempotency_answer_lost": 409,
    "idempotency_answer_withheld": 409,
}
# OAuth's own, in its own form (RFC 6749, 4.1.2.1 and 5.2; RFC 7591, 3.2.2; RFC 8628, 3.5; RFC 8707, 2); the 429 is the
# specification's (Limits, Other buckets).
OAUTH = {
    "invalid_request": {400},
    "invalid_client": {401},
    "invalid_grant": {400},
    "unauthorized_client": {400},
    "unsupported_grant_type": {400},
    "unsupported_response_type": {400},
    "invalid_target": {400},
    "access_denied": {400},
    "authorization_pending": {400},
    "slow_down": {400, 429},
    "expired_token": {400},
    "invalid_redirect_uri": {400},
    "invalid_client_metadata": {400},
    "server_error": {500},
}
# What a person reads on a page, which has a status and no code.
PAGES = {
    "InvalidAuthorizationRequest": 400,
    "RequestExpired": 400,
    "CsrfError": 403,
    "TooManyAttempts": 429,
    "TooManyCodes": 429,
    "MailUnavailable": 503,
    "AppNotSetUp": 400,
    "ConnectFailed": 400,
    "NoAdmin": 403,
}
STATUS_OF = {code: status for status, codes in SPECIFIED.items() for code in codes.split()} | OURS


def _all_modules() -> None:
    for module in pkgutil.walk_packages(helpdesk.__path__, "helpdesk."):
        importlib.import_module(module.name)


BASES = {
    BadRequestError,
    UnauthorizedError,
    ForbiddenError,
    NotFoundError,
    ConflictError,
    OAuthError,
    PageError,
}


def _errors(base: type[AppError] = AppError) -> Iterator[type[AppError]]:
    for error in base.__subclasses__():
        if error.__module__.startswith("helpdesk."):
            if error not in BASES:
                yield error
            yield from _errors(error)


_all_modules()
ERRORS = sorted(set(_errors()), key=lambda error: (error.__module__, error.__name__))


@for_each("error", ERRORS, ids=lambda error: error.__name__)
def test_an_error_has_a_code_and_a_message_of_sentences(error: type[AppError]) -> None:
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", error.code)
    assert error.message.endswith(".")
    assert error.message[0].isupper() or error.message[0] == "`"
    assert "\n" not in error.message


@for_each("error", ERRORS, ids=lambda error: error.__name__)
def test_an_errors_code_has_the_status_of_the_specification(error: type[AppError]) -> None:
    if issubclass(error, OAuthError):
        assert error.status in OAUTH[error.code]
    elif issubclass(error, PageError):
        assert error.status == PAGES[error.__name__]
    else:
        expected = 404 if error.code.endswith("_not_found") else STATUS_OF.get(error.code)
        assert error.status == expected


def test_every_code_of_oauth_and_every_page_is_there() -> None:
    assert {error.code for error in ERRORS if issubclass(error, OAuthError)} == set(OAUTH)
    assert {error.__name__ for error in ERRORS if issubclass(error, PageError)} == set(PAGES)


def test_oauths_errors_are_answered_by_oauths_routes_alone() -> None:
    for route in ROUTES:
        if any(issubclass(error, OAuthError) for error in route.errors):
            assert route.path.startswith("/v1/oauth/")
            assert route.refusal is not None
            assert isinstance(route.refusal(InternalError()), OAuthError)


# The specification gives these to several nouns, and each says in its own sentence what its names must be.
SHARED = {"endpoint_not_found", "team_not_found", "invalid_name", "title_required", "body_too_large"}


def test_errors_of_one_code_are_of_one_kind() -> None:
    by_code: dict[str, list[type[AppError]]] = {}
    for error in ERRORS:
        if issubclass(error, OAuthError | PageError):
            continue  # OAuth's codes are another language, and a page has none
        by_code.setdefault(error.code, []).append(error)
    strangers = [
        (one.__name__, other.__name__)
        for code, same in by_code.items()
        if code not in SHARED
        for one in same
        for other in same
        if not issubclass(one, other) and not issubclass(other, one)
    ]

    assert strangers == []


@for_each("error", ERRORS, ids=lambda error: error.__name__)
def test_errors_live_with_their_noun(error: type[AppError]) -> None:
    assert error.__module__.rpartition(".")[2] == "errors"


def _apis() -> dict[str, Api]:
    found = {}
    for path in sorted((ROOT / "functions").glob("*/app.py")):
        text = path.read_text()
        if "api = Api()" in text:
            found[path.parent.name] = function(path.parent.name).api
    return found


APIS = _apis()
ROUTES = [route for api in APIS.values() for route in api.routes]


def _name(route: Route) -> str:
    return f"{route.method} {route.path}"


def test_there_are_routes() -> None:
    assert {"messages", "conversations", "organizations", "webhooks", "knowledge", "agent_settings"} <= set(
        APIS
    )


@for_each("route", ROUTES, ids=_name)
def test_a_route_declares_access_path_class_and_known_refusals(route: Route) -> None:
    assert isinstance(route.access, Access)
    assert re.fullmatch(r"/v1(/[a-z._-]+|/<[a-z_]+>)+", route.path)
    assert isinstance(route.request_class, RequestClass)
    assert set(route.errors) <= set(ERRORS)
    assert inspect.getdoc(route.function)


@for_each("route", ROUTES, ids=_name)
def test_a_route_is_charged_as_its_method_says(route: Route) -> None:
    if route.path == "/v1/uploads":
        expected = RequestClass.UPLOAD
    elif route.method == "GET" or route.path in {"/v1/analytics/explore", "/v1/analytics/records"}:
        expected = RequestClass.READ
    else:
        expected = RequestClass.WRITE

    assert route.request_class is expected


@for_each("route", ROUTES, ids=_name)
def test_a_route_with_an_id_can_return_not_found(route: Route) -> None:
    if "<" in route.path:
        assert 404 in {error.status for error in route.errors}


def test_a_path_and_method_are_served_once() -> None:
    served = [(route.method, re.sub(r"<\w+>", "<>", route.path)) for route in ROUTES]

    assert len(served) == len(set(served))


# Specification: Authentication, 5 and 8; GET /billing/limits.
ACCESS = {
    "POST /v1/messages": Access.SECRET_KEY,
    "GET /v1/messages": Access.SECRET_KEY,
    "POST /v1/messages/rating": Access.SECRET_KEY,
    "GET /v1/analytics/satisfaction": Access.MEMBER,
    "GET /v1/webhooks": Access.ADMIN,
    "POST /v1/webhooks": Access.ADMIN,
    "PATCH /v1/webhooks/<endpoint_id>": Access.ADMIN,
    "DELETE /v1/webhooks/<endpoint_id>": Access.ADMIN,
    "GET /v1/billing/limits": Access.MEMBER,
    "GET /v1/conversations": Access.MEMBER,
    "GET /v1/agent": Access.MEMBER,
    "PATCH /v1/agent": Access.ADMIN,
    "POST /v1/invites": Access.PERSON_ADMIN,
}


@pytest.mark.parametrize("name", ACCESS)
def test_a_route_accepts_the_callers_that_the_specification_says(name: str) -> None:
    (route,) = [route for route in ROUTES if _name(route) == name]

    assert route.access is ACCESS[name]
