"""How careful a tool call is made, for tools and for the approvals of their calls."""

from enum import StrEnum


class Risk(StrEnum):
    """What happens before a tool runs: nothing (low), a line in the thread, a second model's review, an approval."""

    LOW = "low"
    MEDIUM = "medium"
    REVIEWED = "reviewed"
    HIGH = "high"

    @property
    def rank(self) -> int:
        """Return the place among the risks; a higher one is more careful."""
        return list(Risk).index(self)

    @property
    def runs_unattended(self) -> bool:
        """Whether no person sees a call before it is made."""
        return self is not Risk.HIGH
