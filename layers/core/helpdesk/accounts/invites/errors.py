"""Errors of the invitation routes (Specification: Errors, Organization and members; Conflicts)."""

from helpdesk.platform.errors import BadRequestError, ConflictError, NotFoundError

MAX_PENDING_INVITES = 100
INVITE_DAYS = 7


class InviteNotFound(NotFoundError):
    """No such invitation is pending, or it is for another address."""

    code = "invite_not_found"
    message = (
        "No pending invitation has this ID here. It was accepted or withdrawn, has expired after "
        f"{INVITE_DAYS} days, or belongs to another organization."
    )


class AlreadyInvited(ConflictError):
    code = "already_invited"
    message = "This address already has a pending invitation. Resend it, or withdraw it first."


class TooManyInvites(BadRequestError):
    code = "too_many_invites"
    message = (
        f"An organization can have at most {MAX_PENDING_INVITES} pending invitations. Withdraw one first."
    )
