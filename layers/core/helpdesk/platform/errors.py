"""The base classes of API errors, and the errors that do not belong to one noun.

An `AppError` has what a client sees (Specification: Errors): the HTTP status, a stable code, and a message that says
what is wrong and how to fix it. A noun's errors are in its `errors` module; each has a base class below for its status.
`helpdesk.api.routing` turns them into the error object, and the API description takes its text from the message. An
error has a docstring if its message does not say everything.
"""

from typing import Any, ClassVar

BASE_URL = "{base_url}"
"""In a message, this stands for the address of the API. Only the request has it: `helpdesk.api.routing` fills it in."""


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


class BadRequestError(AppError):
    """The request is invalid, or a rule refuses it."""

    status = 400


class UnauthorizedError(AppError):
    """The credential is missing, or matches nothing."""

    status = 401


class ForbiddenError(AppError):
    """The caller lacks the right."""

    status = 403


class NotFoundError(AppError):
    """Nothing in the caller's organization has this ID."""

    status = 404


class ConflictError(AppError):
    """The request does not fit the present state."""

    status = 409


def at_most(name: str, most: int) -> str:
    """Return the message for a text that is too long."""
    return f"`{name}` must be at most {most:,} characters."


def one_to(name: str, most: int) -> str:
    """Return the message for a text that is required and limited. Characters are counted after trimming."""
    return f"`{name}` must be 1 to {most:,} characters and not blank."


class InvalidJson(BadRequestError):
    code = "invalid_json"
    message = "The body must be a JSON object in UTF-8."


class InvalidRequest(BadRequestError):
    """A field is missing, of the wrong type or out of range; the message names it by its path."""

    code = "invalid_request"
    message = "Check the fields of the request."


class InvalidCursor(BadRequestError):
    code = "invalid_cursor"
    message = "This cursor is malformed, or belongs to another list. Start again from the first page, without `cursor`."


class RouteNotFound(NotFoundError):
    code = "not_found"
    message = "No route has this method and path. Every path starts with /v1."


class ConflictingWrites(ConflictError):
    """Other requests changed the same data at the same time, until this one ran out of tries. Send it again."""

    code = "conflict"
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


class MissingApiKey(UnauthorizedError):
    """The Authorization header has no bearer token."""

    code = "missing_api_key"
    message = "Send your secret key in the header `Authorization: Bearer svc_key_…`."


class InvalidApiKey(UnauthorizedError):
    """The key is unknown or revoked, or a messaging route got an access token."""

    code = "invalid_api_key"
    message = (
        "This secret key is unknown or revoked. Check that it is complete and belongs to this deployment. To create a "
        "new one, an admin or owner calls POST /v1/keys."
    )


class PublishableKey(UnauthorizedError):
    """A publishable key was sent. It does not grant access to the API."""

    code = "publishable_key"
    message = "This is a publishable key. Call the API from your server with a secret key (svc_key_…)."


class InvalidToken(UnauthorizedError):
    code = "invalid_token"
    message = (
        "This access token is unknown or expired, or its person has left the organization. Log in again."
    )


class TokenRequired(UnauthorizedError):
    """An account route was called with a key, which has no person."""

    code = "token_required"
    message = "This route acts for a person. Call it with an access token (svc_oat_…) instead of a key."


class NeedsAPerson(BadRequestError):
    """A person-only operation was called with a key."""

    code = "needs_a_person"
    message = "A key does not identify a person. Use the access token of an admin or owner."


class Forbidden(ForbiddenError):
    code = "forbidden"
    message = "Your role does not allow this. Ask an admin or owner of the organization."


class InsufficientScope(ForbiddenError):
    """The program's login does not include the scope `manage` (RFC 6750, section 3.1)."""

    code = "insufficient_scope"
    message = (
        "This login does not include the scope `manage`. Log in again with a program that requests the scope "
        "`api manage`."
    )


class ConsentRequired(ForbiddenError):
    """The program's login is for another organization, which its person chose when they allowed it."""

    code = "consent_required"
    message = (
        "This login is for the organization that you chose when you allowed the program. To use the program in another "
        "organization, log in again and choose that one."
    )


class NoOrganization(ForbiddenError):
    """The token is not bound to an organization."""

    code = "no_organization"
    message = (
        "This token is not bound to an organization. Choose one of yours with POST /v1/me/organization; GET /v1/me "
        "lists them."
    )


NO_MEMBERSHIP = (
    "You don't belong to an organization. Create one with POST /v1/organizations, or ask an admin of an organization "
    "to invite you."
)
"""The message of NoOrganization for a person who belongs to none."""


class RateLimited(AppError):
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
