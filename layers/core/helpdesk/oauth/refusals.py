"""How OAuth's routes say what is not theirs: a body that cannot be read, or a failure of ours."""

from helpdesk.oauth.errors import (
    InvalidClientMetadata,
    InvalidOAuthRequest,
    OAuthError,
    ServerError,
    TooManyRequests,
)
from helpdesk.platform.errors import AppError, RateLimited, RequestError


def as_oauth(error: AppError) -> OAuthError:
    """Return any refusal in OAuth's form."""
    if isinstance(error, OAuthError):
        return error
    if isinstance(error, RequestError):
        return InvalidOAuthRequest(error.message)
    return TooManyRequests(headers=error.headers) if isinstance(error, RateLimited) else ServerError()


def as_registration(error: AppError) -> OAuthError:
    """Return any refusal in OAuth's form, as a registration has it (RFC 7591, section 3.2.2)."""
    return InvalidClientMetadata(error.message) if isinstance(error, RequestError) else as_oauth(error)
