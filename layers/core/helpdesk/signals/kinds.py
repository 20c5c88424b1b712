"""The kinds, priorities and statuses of signals: apart from the models, which only the routes of signals need."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field


class SignalKind(StrEnum):
    """What customers report."""

    BUG = "bug"
    SUGGESTION = "suggestion"


class Priority(StrEnum):
    """How soon to work on a signal or a card."""

    URGENT = "urgent"
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class SignalStatus(StrEnum):
    """How far a signal is."""

    OPEN = "open"
    PLANNED = "planned"
    IN_PROGRESS = "in progress"
    IN_REVIEW = "in review"
    DONE = "done"
    DECLINED = "declined"


SentKind = Annotated[SignalKind, Field(strict=False)]
"""A kind in a request body."""
SentPriority = Annotated[Priority, Field(strict=False)]
"""A priority in a request body."""
SentStatus = Annotated[SignalStatus, Field(strict=False)]
"""A status in a request body."""
