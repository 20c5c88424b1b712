"""What the organization's own routes can refuse (Specification: Errors, Organization and members)."""

from helpdesk.platform.errors import AppError


class InvalidSlug(AppError):
    """The slug is not 3 to 32 lowercase letters, digits and single dashes, or it is reserved."""

    status, code = 400, "invalid_slug"
    message = (
        "Choose a slug of 3 to 32 lowercase letters, digits and single dashes that is not a reserved word."
    )


class SlugTaken(AppError):
    """Another organization holds the slug."""

    status, code = 400, "slug_taken"
    message = "Another organization has this slug. Choose a different one."


class OrganizationNotFound(AppError):
    """No such organization, or the caller does not belong to it."""

    status, code = 404, "org_not_found"
    message = "No organization has this id, or you do not belong to it."
