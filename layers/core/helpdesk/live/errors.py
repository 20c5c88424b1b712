"""Errors and limits of live updates."""

from helpdesk.platform.errors import AppError, BadRequestError

MAX_CONNECTIONS_OF_A_PERSON, MAX_CONNECTIONS_OF_A_SESSION = 20, 2
RETRY_AFTER_SECONDS = 60


class SessionRequired(BadRequestError):
    code = "session_required"
    message = (
        "A secret key gets live updates for one visitor: send their `session`. For all conversations of your "
        "organization, call this route with a member's access token."
    )


class SessionNotAllowed(BadRequestError):
    code = "session_not_allowed"
    message = "A member gets live updates without `session`. Leave it out, or use a secret key for a visitor."


class TooManyConnections(AppError):
    """The person, the session or the organization has as many live connections as it may have."""

    status, code = 429, "too_many_connections"
    message = (
        f"A person has at most {MAX_CONNECTIONS_OF_A_PERSON} live connections at a time, a session "
        f"{MAX_CONNECTIONS_OF_A_SESSION}. Close one, or poll: wait for the seconds in Retry-After and try again."
    )

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message, headers={"retry-after": str(RETRY_AFTER_SECONDS)})


class ConnectionRefused(Exception):
    """The token is unknown, expired or used, or its person is no longer a member."""
