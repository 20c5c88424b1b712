"""Lengths of time in the units that the product counts in.

Milliseconds, seconds for time-to-live attributes, and microseconds for rate limits.
"""

SECOND_MS = 1_000
MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS

HOUR_SECONDS = 3_600
DAY_SECONDS = 24 * HOUR_SECONDS

SECOND_US = 1_000_000
MINUTE_US = 60 * SECOND_US
