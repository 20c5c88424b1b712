"""Errors of the invitation routes (Specification: Errors, Organization and members; Conflicts)."""

from helpdesk.platform.errors import AppError

MAX_PENDING_INVITES = 100
INVITE_DAYS = 7


class InviteNotFound(AppError):
    """No such invitation is pending, or it is for another address."""

    status, code = 404, "invite_not_found"
    message = (
        "There is no such pending invitation: it was accepted or withdrawn, its "
        f"{INVITE_DAYS} days are over, or it belongs to another organization."
    )


class AlreadyInvited(AppError):
    """The address has a pending invitation."""

    status, code = 409, "already_invited"
    message = "This address has a pending invitation already. Send it again, or withdraw it first."


class TooManyInvites(AppError):
    """The organization has the maximum number of pending invitations."""

    status, code = 400, "too_many_invites"
    message = f"Withdraw one of the {MAX_PENDING_INVITES} pending invitations first."
