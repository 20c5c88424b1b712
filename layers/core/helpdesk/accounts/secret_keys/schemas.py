"""Request and response models of the secret key routes."""

from typing import Annotated

from helpdesk.accounts.secret_keys.errors import MAX_NAME_CHARACTERS
from helpdesk.api.http.schemas import Answer, Body, Milliseconds, OneTimeSecret, PageQuery, schema_hint


class NewKey(Body):
    """The body of POST /keys."""

    name: Annotated[str, schema_hint(minLength=1, maxLength=MAX_NAME_CHARACTERS)]
    """What the key is for, such as the server that uses it; 1 to 40 characters after trimming."""


class KeyCreated(Answer):
    """The response of POST /keys, the only one that contains the key."""

    id: str
    key: Annotated[
        str,
        schema_hint(pattern="^svc_key_[0-9a-z]{26}_[0-9A-Za-z]{43}$"),
        OneTimeSecret("Revoke it with DELETE /v1/keys/{id} and create another with a new Idempotency-Key."),
    ]
    """The key. It is not stored and cannot be shown again."""


class SecretKey(Answer):
    """A secret key in the list; the key itself is not stored."""

    id: str
    name: str
    hint: str
    """The key's last four characters; `????` for a legacy key, whose text is not known."""
    created_at: Milliseconds
    created_by: str | None
    """The ID of the person or key."""
    created_by_name: str
    """Who created it; `system` for the operator."""
    last_used_at: Milliseconds | None
    """When it was last used; null if it never was."""
    revoked_at: Milliseconds | None
    """When it was revoked; null while it is live."""
    legacy: bool
    """Whether it is from before the current scheme: it is accepted like any other key, but signs nothing."""


class KeysQuery(PageQuery):
    """The parameters of GET /keys."""


class KeysAnswer(Answer):
    """GET /keys, in the order of creation; revoked keys stay listed for 90 days."""

    keys: list[SecretKey]
    next_cursor: str | None
    """Send it as `cursor` for more keys; null at the end."""
