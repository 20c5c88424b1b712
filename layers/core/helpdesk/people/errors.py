"""What people's own routes can refuse (Specification: Errors, Organization and members; Conflicts)."""

from helpdesk.platform.errors import AppError

MAX_ORGANIZATIONS = 50


class InvalidEmail(AppError):
    """Not an e-mail address."""

    status, code = 400, "invalid_email"
    message = "Send an e-mail address such as name@example.com."


class TooManyOrganizations(AppError):
    """The person belongs to as many organizations as one may."""

    status, code = 400, "too_many_organizations"
    message = f"A person may belong to {MAX_ORGANIZATIONS} organizations. Leave one of them first."


class AlreadyAMember(AppError):
    """The person belongs to the organization already."""

    status, code = 409, "already_a_member"
    message = "This person is a member of the organization already. Change the role in the list of members."
