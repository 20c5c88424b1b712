"""A customer's record."""

from helpdesk.http.schemas import Answer


class Identity(Answer):
    """What a visitor told about themselves; None is what they did not tell."""

    name: str | None
    email: str | None
    avatar_url: str | None
    metadata: dict[str, str] | None
