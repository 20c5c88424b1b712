"""Errors of snoozes (Specification: Errors, Inbox)."""

from helpdesk.platform.errors import AppError
from helpdesk.platform.units import DAY_MS, MINUTE_MS

MIN_SNOOZE_MS = MINUTE_MS
MAX_SNOOZE_MS = 365 * DAY_MS


class BadSnoozeTime(AppError):
    """The time to snooze until is missing, too soon or too far ahead."""

    status, code = 400, "bad_snooze_time"
    message = (
        "`until` must be a time in milliseconds since 1970, a minute to a year (365 days) ahead, or null to end the "
        "snooze."
    )
