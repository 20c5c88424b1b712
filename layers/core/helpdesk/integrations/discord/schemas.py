"""Bodies and responses of Discord's routes."""

from typing import Annotated

from helpdesk.api.http.schemas import Answer, Body, schema_hint

_Name = Annotated[str, schema_hint(minLength=1, maxLength=101)]


class CommunityUpdate(Body):
    """PATCH /integrations/chatcommunity. Only what is sent changes."""

    channel: _Name | None = None
    """The channel's name, with or without #, or its ID at Discord."""
    role: _Name | None = None
    """The role's name, with or without @, or its ID at Discord. Null mentions nobody any more."""
    enabled: bool | None = None
    """Whether alerts go to the channel. True when a channel is named for the first time."""


class CommunityChanged(Answer):
    """The channel and the role that are set, null where none is."""

    channel: str | None
    role: str | None


class CommunitySettingsAnswer(Answer):
    """What is set for the chat community."""

    channel: str | None
    """The channel's name, without #. Null before one is named."""
    role: str | None
    """The name of the role that alerts mention, without @. Null if they mention none."""
    enabled: bool
    problem: str | None
    """Why no alert arrives in the channel, and what to do. Null if nothing is wrong."""
