"""The request body of a snooze."""

from typing import Annotated, Any

from pydantic import BeforeValidator

from helpdesk.api.http.schemas import Body, as_integer, schema_hint


class SnoozeInput(Body):
    """Until when to snooze a conversation."""

    until: Annotated[
        Any,
        BeforeValidator(as_integer),
        schema_hint(
            anyOf=[
                {"type": "integer", "format": "int64"},
                {"type": "null"},
            ]
        ),
    ]
    """A time in milliseconds since 1970, a minute to a year (365 days) ahead; null ends the snooze."""
