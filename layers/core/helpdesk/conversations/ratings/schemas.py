"""The request body of a rating."""

from typing import Annotated

from pydantic import AfterValidator

from helpdesk.api.http.schemas import Body, schema_hint
from helpdesk.conversations.messages.sessions import Session
from helpdesk.conversations.ratings.errors import MAX_NOTE_CHARACTERS, MAX_STARS, MIN_STARS


def _stars(value: int) -> int:
    if not MIN_STARS <= value <= MAX_STARS:
        raise ValueError(f"must be from {MIN_STARS} to {MAX_STARS}")
    return value


class RatingInput(Body):
    """The body of POST /messages/rating."""

    session: Session
    """The visitor's session token, as in POST /v1/messages."""
    conversation_id: str
    """The resolved conversation, one of that session."""
    stars: Annotated[int, AfterValidator(_stars), schema_hint(minimum=MIN_STARS, maximum=MAX_STARS)]
    """1 to 5."""
    note: Annotated[str, schema_hint(maxLength=MAX_NOTE_CHARACTERS)] | None = None
    """What the visitor says about it, for the team; up to 2,000 characters after trimming."""
