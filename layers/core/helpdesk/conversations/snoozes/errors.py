"""Errors of snoozes (Specification: Errors, Inbox)."""

from helpdesk.platform.errors import BadRequestError
from helpdesk.platform.units import DAY_MS, MINUTE_MS

MIN_SNOOZE_MS = MINUTE_MS
MAX_SNOOZE_MS = 365 * DAY_MS


class BadSnoozeTime(BadRequestError):
    code = "bad_snooze_time"
    message = (
        f"`until` must be a time in milliseconds since 1970, a minute to a year ({MAX_SNOOZE_MS // DAY_MS} days) "
        "ahead, or null to end the snooze."
    )
