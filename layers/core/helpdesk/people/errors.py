"""Errors of people's own routes (Specification: Errors, Organization and members; Conflicts)."""

from helpdesk.platform.errors import AppError

MAX_ORGANIZATIONS = 50


class InvalidEmail(AppError):
    """Not an e-mail address."""

    status, code = 400, "invalid_email"
    message = "Send an e-mail address such as name@example.com."


class TooManyOrganizations(AppError):
    """The person belongs to the maximum number of organizations."""

    status, code = 400, "too_many_organizations"
    message = f"A person may belong to {MAX_ORGANIZATIONS} organizations. Leave one of them first."


class AlreadyAMember(AppError):
    """The person belongs to the organization already."""

    status, code = 409, "already_a_member"
    message = "This person is already a member of the organization. Change their role in the list of members."
