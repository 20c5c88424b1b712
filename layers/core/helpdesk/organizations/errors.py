"""Errors of the organization's own routes (Specification: Errors, Organization and members)."""

from helpdesk.platform.errors import AppError
from helpdesk.quotas.errors import PlanUpgradeRequired


class InvalidSlug(AppError):
    """The slug is not 3 to 32 lowercase letters, digits and single dashes, or it is reserved."""

    status, code = 400, "invalid_slug"
    message = (
        "Choose a slug of 3 to 32 lowercase letters, digits and single dashes that is not a reserved word."
    )


class SlugTaken(AppError):
    """Another organization has the slug, or had it in the last year."""

    status, code = 400, "slug_taken"
    message = "Another organization has this slug, or had it lately. Choose a different one."


class OrganizationNotFound(AppError):
    """No such organization, or the caller does not belong to it."""

    status, code = 404, "org_not_found"
    message = "No organization has this ID, or you do not belong to it. List yours with GET /v1/me."


class KeyPrefixInvalid(AppError):
    """The task key prefix is not up to 8 letters or digits that begin with a letter."""

    status, code = 400, "key_prefix_invalid"
    message = "Choose a `taskKeyPrefix` of up to 8 letters or digits that begins with a letter."


class AddressTaken(AppError):
    """The support address belongs to another organization."""

    status, code = 400, "address_taken"
    message = "Another organization has this support address. Choose a different one."


class InvalidCode(AppError):
    """The code for a support address is wrong, used or too old, or none was mailed."""

    status, code = 400, "invalid_code"
    message = "This code no longer works, or none was mailed. Send `supportEmail` again to get a new one."


class UpgradeRequired(PlanUpgradeRequired):
    """The organization's plan does not include hiding the attribution mark."""

    message = "Hiding the attribution mark requires the Pro plan. Ask your operator to change the plan."
