"""Other errors in OAuth's format: an unreadable body, or an internal error."""

from helpdesk.accounts.oauth.errors import (
    InvalidClientMetadata,
    InvalidOAuthRequest,
    OAuthError,
    ServerError,
    TooManyRequests,
)
from helpdesk.platform.errors import AppError, BadRequestError, ConflictingWrites, RateLimited


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
