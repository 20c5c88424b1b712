"""What goes in and out of the routes of secret keys."""

from typing import Annotated

from helpdesk.http.schemas import Answer, Body, Milliseconds, OneTimeSecret, schema_hint
from helpdesk.secret_keys.errors import MAX_NAME_CHARACTERS


class NewKey(Body):
    """The body of POST /keys."""

    name: Annotated[str, schema_hint(minLength=1, maxLength=MAX_NAME_CHARACTERS)]
    """What the key is for, such as the server that uses it; 1 to 40 characters after trimming."""


class KeyCreated(Answer):
    """The answer of POST /keys, the only one that holds the key."""

    id: str
    key: Annotated[
        str,
        schema_hint(pattern="^svc_key_[0-9a-z]{26}_[0-9A-Za-z]{43}$"),
        OneTimeSecret("Revoke it with DELETE /v1/keys/{id}, and make another with another Idempotency-Key."),
    ]
    """The key. It is not stored and cannot be shown again."""


class SecretKey(Answer):
    """A secret key as it is listed; the key itself is not stored."""

    id: str
    name: str
    hint: str
    """The key's last four characters; `????` for a legacy key, of which only the hash is known."""
    created_at: Milliseconds
    created_by_name: str
    """Who made it; `system` for the operator."""
    last_used_at: Milliseconds | None
    """When it was last let in; null where it never was."""
    revoked_at: Milliseconds | None
    """When it was revoked; null while it lives."""
    legacy: bool
    """Whether it is from before the current scheme: it opens what other keys open, but nothing is signed with it."""


class KeysAnswer(Answer):
    """GET /keys, in the order they were made; revoked ones stay listed."""

    keys: list[SecretKey]
