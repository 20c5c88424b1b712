"""Errors and limits of approvals (Specification: Errors, Conflicts; Not found)."""

from helpdesk.platform.errors import ConflictError, NotFoundError
from helpdesk.platform.units import HOUR_MS

EXPIRES_AFTER_MS = 24 * HOUR_MS
"""How long an approval waits for a decision."""

MAX_WAITING = 3
"""How many calls of tools can wait for the team in a conversation."""

MAX_NOTE_CHARACTERS = 1_000


class TooManyWaiting(Exception):
    """More calls would wait in the conversation than can: the agent hands over to the team."""


class ApprovalNotFound(NotFoundError):
    code = "approval_not_found"
    message = "No approval has this ID in your organization."


class ApprovalSettled(ConflictError):
    code = "approval_settled"
    message = (
        "This tool call was already approved or denied. Get the approval to see the decision and its outcome."
    )


class ApprovalExpired(ConflictError):
    code = "approval_expired"
    message = (
        f"This approval has expired: it waited for {EXPIRES_AFTER_MS // HOUR_MS} hours, its conversation ended, its "
        "tool was changed or removed, or the customer's identity changed. The agent asks again if the customer still "
        "wants it."
    )
