"""Errors of the OAuth routes, in OAuth's own format with its own codes, and errors of the pages.

    OAuthError          {"error", "error_description"}: registration, tokens, device login, revocation
    PageError           a page for the person, without a redirect

The message is the description, or the text of the page. Codes are those of RFC 6749 (4.1.2.1, 5.2), RFC 7591 (3.2.2),
RFC 8628 (3.5), RFC 8707 (2) and, for the limits, the specification's (Specification: Limits, Other buckets).
"""

from typing import Any

from helpdesk.platform.errors import AppError, BadRequestError, ConflictingWrites, NotFoundError, RateLimited


class OAuthError(AppError):
    """An error in OAuth's format. The status is 400 unless the class says otherwise."""

    status = 400

    def to_object(self) -> dict[str, Any]:
        """Return the body of the error response (RFC 6749, section 5.2)."""
        return {"error": self.code, "error_description": self.message}


class InvalidOAuthRequest(OAuthError):
    """A parameter is missing, sent twice or malformed."""

    code = "invalid_request"
    message = "Check the parameters of the request."


class InvalidClient(OAuthError):
    """The client is not registered here, or did not authenticate."""

    status, code = 401, "invalid_client"
    message = "This client is not registered here, or its secret is wrong. Register it with POST /v1/oauth/register."

    def __init__(self, message: str | None = None, *, headers: dict[str, str] | None = None) -> None:
        # RFC 6749, section 5.2: a 401 names the authentication scheme.
        super().__init__(message, headers={"www-authenticate": 'Basic realm="oauth"', **(headers or {})})


class InvalidGrant(OAuthError):
    """The code or refresh token is unknown, expired, used, revoked, or of another client or redirect address."""

    code = "invalid_grant"
    message = "This code or refresh token is unknown, expired or already used. Log in again."


class UnauthorizedClient(OAuthError):
    code = "unauthorized_client"
    message = "This client is not registered for this grant type. Register it with `grant_types`."


class UnsupportedGrantType(OAuthError):
    code = "unsupported_grant_type"
    message = "`grant_type` must be authorization_code, refresh_token or urn:ietf:params:oauth:grant-type:device_code."


class UnsupportedResponseType(OAuthError):
    code = "unsupported_response_type"
    message = "`response_type` must be code."


class InvalidTarget(OAuthError):
    code = "invalid_target"
    message = "`resource` must be the address of this API, as in its protected-resource metadata."


class AccessDenied(OAuthError):
    code = "access_denied"
    message = "The person denied the request."


class AuthorizationPending(OAuthError):
    code = "authorization_pending"
    message = "The person has not decided yet. Poll again after `interval` seconds."


class SlowDown(OAuthError):
    code = "slow_down"
    message = "You are polling too often. From now on, wait 5 seconds longer between two requests."


class TooManyRequests(SlowDown):
    """Too many registrations or device logins, from this network address or in total."""

    status, code = 429, "slow_down"
    message = "Too many requests. Wait for the seconds in Retry-After and try again."


class ExpiredToken(OAuthError):
    code = "expired_token"
    message = "This device code has expired. Start the device login again."


class InvalidRedirectUri(OAuthError):
    code = "invalid_redirect_uri"
    message = (
        "A redirect address must use https, http on loopback, or a private scheme with a dot in its name."
    )


class InvalidClientMetadata(OAuthError):
    """A field of the registration is invalid."""

    code = "invalid_client_metadata"
    message = "Check the fields of the registration."


class ServerError(OAuthError):
    status, code = 500, "server_error"
    message = (
        "The service failed. Retry the request. If the error persists, give your operator its x-request-id."
    )


class GrantNotFound(NotFoundError):
    code = "grant_not_found"
    message = (
        "No program's access has this ID here, or it has ended. GET /v1/grants or /v1/me/grants lists them."
    )


class PageError(AppError):
    """An error that a person reads on a page. `title` is the heading."""

    title = "Something went wrong"


class InvalidAuthorizationRequest(PageError):
    """The link that brought the person here is invalid."""

    status, code = 400, "invalid_request"
    title = "This link doesn't work"
    message = "The program that sent you here made a mistake. Go back to it and try again."


class RequestExpired(PageError):
    """The request has expired, was answered, or began in another browser."""

    status, code = 400, "request_over"
    title = "This page is no longer valid"
    message = (
        "You already answered it, it expired, or it began in another browser. "
        "Go back to the program and start again."
    )


class CsrfError(PageError):
    """The form does not come from a page that this browser received."""

    status, code = 403, "forbidden"
    title = "Please try again"
    message = (
        "This form was not sent from our page, or your browser blocks cookies. "
        "Allow cookies, go back to the program and start again."
    )


class TooManyAttempts(PageError):
    status, code = 429, "rate_limited"
    title = "Please wait a moment"
    message = "There were too many attempts from your network. Wait a few minutes and try again."


class TooManyCodes(PageError):
    """All people together have requested as many codes as this deployment sends."""

    status, code = 429, "rate_limited"
    title = "Please wait a moment"
    message = "Many people are signing in at the moment, so no code was sent. Try again in a few minutes."


class MailUnavailable(PageError):
    """The mail with the code could not be sent: for the moment, or until the operator acts."""

    status, code = 503, "mail_unavailable"
    title = "We could not send the mail"
    message = "The mail with your code could not be sent. Check the address and try again in a few minutes."


NO_MAIL_YET = (
    "This Helpdesk can't send email yet. Ask its operator to finish setting up email, then try again."
)
"""What `MailUnavailable` says until the operator acts."""


def as_oauth(error: AppError) -> OAuthError:
    """Return any error in OAuth's format."""
    if isinstance(error, OAuthError):
        return error
    if isinstance(error, BadRequestError):
        return InvalidOAuthRequest(error.message)
    if isinstance(error, RateLimited | ConflictingWrites):
        return TooManyRequests(headers=error.headers)
    return ServerError()


def as_registration(error: AppError) -> OAuthError:
    """Return any error in the format of a registration error (RFC 7591, section 3.2.2)."""
    return InvalidClientMetadata(error.message) if isinstance(error, BadRequestError) else as_oauth(error)
