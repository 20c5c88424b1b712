"""Errors of the member and invitation routes (Specification: Errors, Organization and members)."""

from helpdesk.platform.errors import AppError


class CannotGrant(AppError):
    """The role is above the caller's own; only an owner grants the owner role."""

    status, code = 400, "cannot_grant"
    message = "You can grant roles up to your own. Ask an owner to grant or manage the owner role."


class CannotManageSelf(AppError):
    """Callers cannot change their own role or membership in the list of members."""

    status, code = 400, "cannot_manage_self"
    message = (
        "You cannot change your own role or remove yourself. Ask another admin or owner, or leave with "
        "DELETE /v1/me/organization."
    )


class Outranked(AppError):
    """The member's role is above the caller's own."""

    status, code = 400, "outranked"
    message = "This member's role is above your own. Ask an owner."


class LastOwner(AppError):
    """An organization keeps an owner."""

    status, code = 400, "last_owner"
    message = "This is the organization's last owner. Make another member an owner first."


class MemberNotFound(AppError):
    """No such person in this organization."""

    status, code = 404, "member_not_found"
    message = "No member of your organization has this ID."


class NotAMember(AppError):
    """Something is assigned to a person outside the organization."""

    status, code = 400, "not_a_member"
    message = "The assignee must be a member of your organization. GET /v1/members lists them."
