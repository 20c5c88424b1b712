"""Errors and limits of sign-in settings and of sign-ins."""

from helpdesk.platform.errors import AppError, BadRequestError

MAX_ISSUER_CHARACTERS = 512
MAX_CLIENT_ID_CHARACTERS = 255
MAX_CLIENT_SECRET_CHARACTERS = 1_024


class DiscoveryFailed(BadRequestError):
    """The OpenID Connect provider's discovery document cannot be used; the message says why."""

    code = "discovery_failed"
    message = "The provider's discovery document could not be read. Check `oidc.issuer`."


class SignInUnavailable(AppError):
    """The mail with the code could not be sent, or too many people are signing in."""

    status, code = 503, "sign_in_unavailable"
    message = "Sign-in is unavailable at the moment. Try again in a few minutes."


class MailNotWorking(SignInUnavailable):
    """This deployment sends no mail until its operator acts."""

    message = "This help site can't send email yet, so no code was sent. Tell the people who run it."


class Refused(Exception):
    """A sign-in failed for a reason that an admin can remove.

    code    the provider's code, or ours
    detail  the provider's words; None where it said none
    """

    def __init__(self, code: str, detail: str | None = None) -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail


class Declined(Exception):
    """The visitor declined at the provider."""
