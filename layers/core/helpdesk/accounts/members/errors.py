"""Errors of the member and invitation routes (Specification: Errors, Organization and members)."""

from helpdesk.platform.errors import BadRequestError, NotFoundError


class CannotGrant(BadRequestError):
    code = "cannot_grant"
    message = "You can only grant roles up to your own. Ask an owner to grant or change the owner role."


class CannotManageSelf(BadRequestError):
    code = "cannot_manage_self"
    message = (
        "You can't change your own role or remove yourself. Ask another admin or owner, or leave with "
        "DELETE /v1/me/organization."
    )


class Outranked(BadRequestError):
    code = "outranked"
    message = "This member's role is above your own. Ask an owner."


class LastOwner(BadRequestError):
    code = "last_owner"
    message = "This is the organization's last owner. Make another member an owner first."


class MemberNotFound(NotFoundError):
    code = "member_not_found"
    message = "No member of your organization has this ID. GET /v1/members lists them."


class NotAMember(BadRequestError):
    code = "not_a_member"
    message = "The assignee must be a member of your organization. GET /v1/members lists them."
