"""Errors of the secret key routes (Specification: Errors, Keys, webhooks, tool endpoints)."""

from helpdesk.platform.errors import BadRequestError, ConflictError, NotFoundError, one_to

REVOKED_DAYS = 90
"""How long a revoked key stays in the list."""
MAX_SECRET_KEYS = 10
MAX_NAME_CHARACTERS = 40


class InvalidKeyName(BadRequestError):
    code = "invalid_name"
    message = one_to("name", MAX_NAME_CHARACTERS)


class TooManyKeys(BadRequestError):
    code = "too_many_keys"
    message = f"An organization can have at most {MAX_SECRET_KEYS} live secret keys. Revoke one first."


class KeyNotFound(NotFoundError):
    code = "key_not_found"
    message = "No secret key has this ID in your organization. GET /v1/keys lists them."


class KeyExists(ConflictError):
    """The operator imports a key that was imported before; it may be live or revoked."""

    code = "key_exists"
    message = "This key was imported before. If it has been revoked, create a new key instead."


_HOW_TO_CREATE_A_KEY = "an admin or owner calls POST /v1/keys or runs `helpdesk keys create NAME`"


class MissingServiceKey(BadRequestError):
    """The organization has no secret key to derive a signing secret from."""

    code = "missing_service_key"
    message = (
        f"Create a secret key first: {_HOW_TO_CREATE_A_KEY}. Requests to your endpoint are signed with it."
    )


ONLY_LEGACY_KEYS = (
    "Your secret keys are from before the current scheme and can't sign requests to your endpoint. Create one of the "
    f"current scheme: {_HOW_TO_CREATE_A_KEY}."
)
"""The message of MissingServiceKey for an organization that has keys, but none that can sign."""
