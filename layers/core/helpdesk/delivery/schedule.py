"""When a delivery is attempted. Pure arithmetic (Specification: Events, Delivery and retries).

Attempts 1 to 5; each delay counts from the end of the attempt before it. SQS holds a message back for at most
15 minutes (Amazon SQS Developer Guide, "delay queues"), so a retry due later travels in hops: it carries its
due time, and a message received early is sent on with what remains, 15 minutes at most. A local stack may have shorter
hops, to see the whole schedule within a minute.
"""

MAX_ATTEMPTS = 5
MAX_HOP_SECONDS = 900

type Delays = tuple[int, int, int, int]
"""Seconds between attempts 1 and 2, 2 and 3, 3 and 4, 4 and 5."""

DEFAULT_DELAYS: Delays = (30, 300, 1800, 7200)


def parse_delays(text: str) -> Delays:
    """Read the template's RetryDelaysSeconds: four whole numbers of seconds, such as `30,300,1800,7200`.

    Raises ValueError, whose text names the setting, when it is anything else.
    """
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != MAX_ATTEMPTS - 1 or not all(part.isascii() and part.isdecimal() for part in parts):
        message = (
            f"RetryDelaysSeconds must be four whole numbers of seconds with commas between, not {text!r}"
        )
        raise ValueError(message)
    second, third, fourth, fifth = (int(part) for part in parts)
    return second, third, fourth, fifth


def next_due(attempt: int, finished_at_ms: int, delays: Delays = DEFAULT_DELAYS) -> int | None:
    """Return when the next attempt is due after `attempt` (1 to 5) failed; None after the fifth.

    Times are in milliseconds since the epoch.
    """
    if not 1 <= attempt <= MAX_ATTEMPTS:
        message = f"There is no attempt {attempt}: attempts count from 1 to {MAX_ATTEMPTS}"
        raise ValueError(message)
    if attempt == MAX_ATTEMPTS:
        return None
    return finished_at_ms + delays[attempt - 1] * 1000


def hop_delay_seconds(due_at_ms: int, now_ms: int, longest_seconds: int = MAX_HOP_SECONDS) -> int:
    """Return the DelaySeconds of the next hop towards `due_at_ms`: 0 when it is due, `longest_seconds` at most.

    Rounded up, so that the last hop never arrives before the due time. A hop is a second at least and 900 at most,
    whatever `longest_seconds` says: SQS takes no more, and hops of nothing would never arrive.
    """
    remaining_seconds = -(-(due_at_ms - now_ms) // 1000)
    longest = max(1, min(MAX_HOP_SECONDS, longest_seconds))
    return max(0, min(longest, remaining_seconds))
