"""The base of every refusal, and the ones that no single noun owns.

An `AppError` carries the three things a caller sees (Specification: Errors): the HTTP status, the stable code to
branch on, and a message that names the fix. A noun's own refusals are subclasses in its `errors` module; one
handler in `helpdesk.http` turns them all into the error object.

    AppError
    ├── RequestError         the request itself: unreadable body, wrong shape, unknown route
    ├── CredentialError      401 and 403: who is asking, and may he
    └── <a noun's errors>    helpdesk.<noun>.errors
"""

from typing import Any, ClassVar


class AppError(Exception):
    """A refusal that the caller is told of.

    Class attributes are the defaults; `message` may be given anew where the fix depends on the case.
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
        """Return the body of the refusal (Specification: Error object)."""
        described = {"code": self.code, "message": self.message}
        if self.reason is not None:
            described["reason"] = self.reason
        return {"error": described}


class RequestError(AppError):
    """The request cannot be read as what the route takes."""


class InvalidJson(RequestError):
    """The body is not a JSON object."""

    status, code = 400, "invalid_json"
    message = "Send a JSON object as the body, encoded in UTF-8."


class InvalidRequest(RequestError):
    """A field is missing, of the wrong type or out of range; the message names it by its path."""

    status, code = 400, "invalid_request"
    message = "Check the fields of the request."


class InvalidCursor(RequestError):
    """The cursor was altered, or belongs to another query or organization."""

    status, code = 400, "invalid_cursor"
    message = "Start again without `cursor`: this one does not belong to this list."


class NotFound(RequestError):
    """No route under /v1 has this path and method."""

    status, code = 404, "not_found"
    message = "No such route. Check the method and the path; every path begins with /v1."


class InternalError(AppError):
    """Something failed on our side; the operator sees why in the logs."""

    status, code = 500, "internal_error"
    message = "Something failed on our side. Retry the request; if it persists, tell your operator its x-request-id."


class CredentialError(AppError):
    """The caller is unknown or may not do this."""


class MissingApiKey(CredentialError):
    """No bearer token in the Authorization header."""

    status, code = 401, "missing_api_key"
    message = "Send your secret key in the header `Authorization: Bearer svc_key_…`."


class InvalidApiKey(CredentialError):
    """The key matches no organization or is revoked, or an OAuth token came to a messaging route."""

    status, code = 401, "invalid_api_key"
    message = (
        "This secret key is unknown or revoked. Check that it is whole and that it is of this deployment; an admin or "
        "owner makes a new one with POST /v1/keys (on the local stack it is in .local/stack.json)."
    )


class PublishableKey(CredentialError):
    """A publishable key was sent; it opens nothing here."""

    status, code = 401, "publishable_key"
    message = "This is a publishable key. Call the API from your server with a secret key (svc_key_…)."


class InvalidToken(CredentialError):
    """The access token is unknown or expired, or its person left the organization."""

    status, code = 401, "invalid_token"
    message = (
        "This access token is unknown or expired, or its person has left the organization. Log in again."
    )


class TokenRequired(CredentialError):
    """An account route was called with a key, behind which there is no person."""

    status, code = 401, "token_required"
    message = "This route acts for a person. Call it with an access token (svc_oat_…) instead of a key."


class NeedsAPerson(CredentialError):
    """A person-only operation was called with a key."""

    status, code = 400, "needs_a_person"
    message = "A key has no person behind it. Do this with the access token of an admin or owner."


class Forbidden(CredentialError):
    """The token's person lacks the role."""

    status, code = 403, "forbidden"
    message = "Your role does not allow this. Ask an admin or owner of the organization."


class NoOrganization(CredentialError):
    """The token is bound to no organization."""

    status, code = 403, "no_organization"
    message = "This token is bound to no organization. Log in again and choose one."


class RateLimited(CredentialError):
    """The organization's allowance for this class of requests is empty for the moment."""

    status, code = 429, "rate_limited"
    message = (
        "The organization's allowance is temporarily full. Wait for the seconds in Retry-After and try again."
    )


class FairUseLimited(RateLimited):
    """The unlimited tier met its fair-use threshold."""

    reason = "fair_use"
    message = "Temporary capacity protection. Wait for the seconds in Retry-After and try again."
