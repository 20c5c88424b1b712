"""Bodies and responses of Slack's routes."""

from typing import Annotated

from pydantic import Field

from helpdesk.api.http.schemas import Answer, Body, schema_hint
from helpdesk.integrations.slack.record import Mode

SentMode = Annotated[Mode, Field(strict=False)]
"""A mode as JSON has it, which is text."""


class MirrorUpdate(Body):
    """PATCH /integrations/chatmirror. Only what is sent changes."""

    channel: Annotated[str, schema_hint(minLength=1, maxLength=81)] | None = None
    """The channel's name, with or without #."""
    enabled: bool | None = None
    """Whether conversations go to the channel. True when a channel is named for the first time."""
    mode: SentMode | None = None
    """`alerts`: nothing that is said in the channel reaches a customer. `two_way`: replies in a thread do."""


class MirrorChanged(Answer):
    """The channel that is set, null if none is."""

    channel: str | None


class MirrorSettingsAnswer(Answer):
    """What is set for the chat mirror."""

    channel: str | None
    """The channel's name, without #. Null before one is named."""
    enabled: bool
    mode: Mode
    problem: str | None
    """Why nothing arrives in the channel, and what to do. Null if nothing is wrong."""
