"""The base class of every API error, and the errors that do not belong to one noun.

An `AppError` has what a client sees (Specification: Errors): the HTTP status, a stable code, and a message that says
how to fix it. A noun's errors are subclasses in its `errors` module. `helpdesk.routing` turns them into the error
object.

    AppError
    ├── RequestError         the request: unreadable body, invalid field, unknown route
    ├── CredentialError      401, 403 and 429: the caller, their rights and their rate limit
    └── <a noun's errors>    helpdesk.<noun>.errors
"""

from typing import Any, ClassVar

BASE_URL = "{base_url}"
"""In a message, this stands for the address of the API. Only the request has it, so `helpdesk.routing` fills it in."""


class AppError(Exception):
    """An error that the API returns.

    The class attributes are the defaults. An instance can have its own `message`, if the fix depends on the case.
    """

    status: ClassVar[int]
    code: ClassVar[str]
    message: str = ""
    reason: ClassVar[str | None] = None

    def __init__(self, message: str | None = None, *, headers: dict[str, str] | None = None) -> None:
        if message is not None:
            self.message = message
        self.headers = headers or {}
        super().__init__(self.message)

    def to_object(self) -> dict[str, Any]:
        """Return the response body (Specification: Error object)."""
        described = {"code": self.code, "message": self.message}
        if self.reason is not None:
            described["reason"] = self.reason
        return {"error": described}


class RequestError(AppError):
    """The request is not valid for the route."""


class InvalidJson(RequestError):
    """The body is not a JSON object."""

    status, code = 400, "invalid_json"
    message = "Send a JSON object as the body, encoded in UTF-8."


class InvalidRequest(RequestError):
    """A field is missing, of the wrong type or out of range; the message names it by its path."""

    status, code = 400, "invalid_request"
    message = "Check the fields of the request."


class InvalidCursor(RequestError):
    """The cursor was changed, or belongs to another list or organization."""

    status, code = 400, "invalid_cursor"
    message = "This cursor does not belong to this list. Start again without `cursor`."


class NotFound(RequestError):
    """No route has this path and method."""

    status, code = 404, "not_found"
    message = "No route has this method and path. Every path starts with /v1."


class ConflictingWrites(AppError):
    """Other requests changed the same data at the same time, until this one ran out of tries. Send it again."""

    status, code = 409, "conflict"
    message = (
        "Other requests are changing the same data. Wait for the seconds in Retry-After, then send this request "
        "again."
    )

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message, headers={"retry-after": "1"})


class InternalError(AppError):
    """The service failed; the logs say why."""

    status, code = 500, "internal_error"
    message = (
        "The service failed. Retry the request. If the error persists, give your operator its x-request-id."
    )


class CredentialError(AppError):
    """The caller is unknown, lacks the right, or exceeded a rate limit."""


class MissingApiKey(CredentialError):
    """The Authorization header has no bearer token."""

    status, code = 401, "missing_api_key"
    message = "Send your secret key in the header `Authorization: Bearer svc_key_…`."


class InvalidApiKey(CredentialError):
    """The key is unknown or revoked, or a messaging route got an access token."""

    status, code = 401, "invalid_api_key"
    message = (
        "This secret key is unknown or revoked. Check that it is complete and belongs to this deployment. An admin or "
        "owner can create a new one with POST /v1/keys."
    )


class PublishableKey(CredentialError):
    """A publishable key was sent. It does not grant access to the API."""

    status, code = 401, "publishable_key"
    message = "This is a publishable key. Call the API from your server with a secret key (svc_key_…)."


class InvalidToken(CredentialError):
    """The access token is unknown or expired, or its person left the organization."""

    status, code = 401, "invalid_token"
    message = (
        "This access token is unknown or expired, or its person has left the organization. Log in again."
    )


class TokenRequired(CredentialError):
    """An account route was called with a key, which has no person."""

    status, code = 401, "token_required"
    message = "This route needs a person. Call it with an access token (svc_oat_…) instead of a key."


class NeedsAPerson(CredentialError):
    """A person-only operation was called with a key."""

    status, code = 400, "needs_a_person"
    message = "A key has no person. Use the access token of an admin or owner."


class Forbidden(CredentialError):
    """The person lacks the role."""

    status, code = 403, "forbidden"
    message = "Your role does not allow this. Ask an admin or owner of the organization."


class InsufficientScope(CredentialError):
    """The program's login does not include the scope `manage` (RFC 6750, section 3.1)."""

    status, code = 403, "insufficient_scope"
    message = (
        "This login does not include the scope `manage`. Log in again with a program that requests the scope "
        "`api manage`."
    )


class ConsentRequired(CredentialError):
    """The program's login is for another organization, which its person chose when they allowed it."""

    status, code = 403, "consent_required"
    message = (
        "This login is for the organization that you chose when you allowed the program. To use the program in another "
        "organization, log in again and choose that one."
    )


class NoOrganization(CredentialError):
    """The token is not bound to an organization."""

    status, code = 403, "no_organization"
    message = (
        "This token is not bound to an organization. Choose one of yours with POST /v1/me/organization; GET /v1/me "
        "lists them."
    )


NO_MEMBERSHIP = (
    "You don't belong to an organization. Create one with POST /v1/organizations, or ask an admin of an organization "
    "to invite you."
)
"""The message of NoOrganization for a person who belongs to none."""


class RateLimited(CredentialError):
    """The organization has reached the rate limit of this request class."""

    status, code = 429, "rate_limited"
    message = (
        "The organization's allowance is temporarily full. Wait for the seconds in Retry-After and try again."
    )


UNUSUAL_TRAFFIC = (
    "Unusual automated traffic detected: requests were refused in many of the last 60 minutes. Slow your clients down, "
    "wait for the seconds in Retry-After, and contact support if you need more."
)
"""The second message of FairUseLimited, for an organization that is refused again and again."""


class FairUseLimited(RateLimited):
    """The organization has reached the fair-use threshold of the unlimited tier."""

    reason = "fair_use"
    message = "Temporary capacity protection. Wait for the seconds in Retry-After and try again."
