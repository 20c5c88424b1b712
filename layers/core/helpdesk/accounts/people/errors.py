"""Errors of people's own routes (Specification: Errors, Organization and members; Conflicts)."""

from helpdesk.platform.errors import BadRequestError, ConflictError

MAX_ORGANIZATIONS = 50


class InvalidEmail(BadRequestError):
    code = "invalid_email"
    message = "The email address is invalid. Send one such as name@example.com."


class TooManyOrganizations(BadRequestError):
    code = "too_many_organizations"
    message = f"A person can belong to at most {MAX_ORGANIZATIONS} organizations. Leave one of them first."


class AlreadyAMember(ConflictError):
    code = "already_a_member"
    message = "This person is already a member of the organization. To change their role, use PATCH /v1/members/{id}."
