"""When a delivery is attempted. Pure arithmetic (Specification: Events, Delivery and retries).

There are attempts 1 to 5. Each delay counts from the end of the attempt before it; `worker` then asks when the next one
is due. The delays are the parameter RetryDelaysSeconds of template.yaml. A local stack may have shorter ones, to show
the whole schedule within a minute. A retry that is due later than SQS can delay a message is queued again until then
(`platform.queues`).
"""

MAX_ATTEMPTS = 5

type Delays = tuple[int, int, int, int]
"""Seconds between attempts 1 and 2, 2 and 3, 3 and 4, 4 and 5."""


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


def next_due(attempt: int, finished_at_ms: int, delays: Delays) -> int | None:
    """Return when the next attempt is due after `attempt` (1 to 5) failed; None after the fifth.

    Times are in milliseconds since the epoch.
    """
    if not 1 <= attempt <= MAX_ATTEMPTS:
        message = f"There is no attempt {attempt}: attempts count from 1 to {MAX_ATTEMPTS}"
        raise ValueError(message)
    if attempt == MAX_ATTEMPTS:
        return None
    return finished_at_ms + delays[attempt - 1] * 1000
