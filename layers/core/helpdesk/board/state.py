"""The state of a post: apart from the models, which only the board's routes need."""

from enum import StrEnum


class PostState(StrEnum):
    """Whether a post waits for moderation."""

    PENDING = "pending"
    PUBLIC = "public"
