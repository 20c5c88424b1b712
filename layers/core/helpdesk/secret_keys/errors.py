"""Errors of the secret key routes (Specification: Errors, Keys, webhooks, tool endpoints)."""

from helpdesk.platform.errors import AppError

REVOKED_DAYS = 90
"""How long a revoked key stays in the list."""
MAX_SECRET_KEYS = 10
MAX_NAME_CHARACTERS = 40


class InvalidKeyName(AppError):
    """The key's name is empty or too long."""

    status, code = 400, "invalid_name"
    message = f"The key's `name` must have 1 to {MAX_NAME_CHARACTERS} characters after trimming."


class TooManyKeys(AppError):
    """The organization already has all the live secret keys it may have."""

    status, code = 400, "too_many_keys"
    message = f"Revoke one of the {MAX_SECRET_KEYS} secret keys first."


class KeyNotFound(AppError):
    """No such secret key in this organization."""

    status, code = 404, "key_not_found"
    message = "No secret key has this ID in your organization. List them with GET /v1/keys."


class KeyExists(AppError):
    """The operator imports a key that was imported before; it may be live or revoked."""

    status, code = 409, "key_exists"
    message = "This key was imported before. If it has been revoked, create a new key instead."


_HOW_TO_CREATE_A_KEY = "an admin or owner calls POST /v1/keys or runs `helpdesk keys create NAME`"


class MissingServiceKey(AppError):
    """The organization has no secret key to derive a signing secret from."""

    status, code = 400, "missing_service_key"
    message = (
        f"Create a secret key first: {_HOW_TO_CREATE_A_KEY}. Requests to your endpoint are signed with it."
    )


ONLY_LEGACY_KEYS = (
    "Your secret keys are from before the current scheme and can't sign requests to your endpoint. Create one of the "
    f"current scheme: {_HOW_TO_CREATE_A_KEY}."
)
"""The message of MissingServiceKey for an organization that has keys, but none that can sign."""
