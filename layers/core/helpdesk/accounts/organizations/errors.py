"""Errors of the organization's own routes (Specification: Errors, Organization and members)."""

from helpdesk.accounts.quotas.errors import PlanUpgradeRequired
from helpdesk.platform.errors import BadRequestError, NotFoundError

MIN_SLUG_CHARACTERS, MAX_SLUG_CHARACTERS = 3, 32
MAX_PREFIX_CHARACTERS = 8


class InvalidSlug(BadRequestError):
    code = "invalid_slug"
    message = (
        f"The slug must be {MIN_SLUG_CHARACTERS} to {MAX_SLUG_CHARACTERS} lowercase letters, digits and single dashes, "
        "and not a reserved word."
    )


class SlugTaken(BadRequestError):
    """Another organization has the slug, or had it in the last year."""

    code = "slug_taken"
    message = "Another organization has this slug, or had it within the last year. Choose another."


class OrganizationNotFound(NotFoundError):
    code = "org_not_found"
    message = "No organization has this ID, or you don't belong to it. GET /v1/me lists yours."


class KeyPrefixInvalid(BadRequestError):
    code = "key_prefix_invalid"
    message = (
        f"`taskKeyPrefix` must be at most {MAX_PREFIX_CHARACTERS} letters or digits and start with a letter."
    )


class AddressTaken(BadRequestError):
    code = "address_taken"
    message = "Another organization has this support address. Choose another."


class InvalidCode(BadRequestError):
    """The code for a support address is wrong, used or expired, or none was sent."""

    code = "invalid_code"
    message = "This code is invalid or has expired. Send `supportEmail` again to get a new one."


class UpgradeRequired(PlanUpgradeRequired):
    """The organization's plan does not include hiding the attribution mark."""

    message = "Hiding the attribution mark requires the Pro plan. Ask your operator to change the plan."
