"""How long a message of SQS waits for a time that may be further ahead than SQS holds it back. Pure arithmetic.

SQS holds a message back for at most 15 minutes (Amazon SQS Developer Guide, "delay queues"). So one that is due later
travels in hops: it carries its due time, and where it is received early it is sent on with what remains.
"""

MAX_HOP_SECONDS = 900


def hop_delay_seconds(due_at_ms: int, now_ms: int, longest_seconds: int = MAX_HOP_SECONDS) -> int:
    """Return the DelaySeconds of the next hop towards `due_at_ms`: 0 when it is due, `longest_seconds` at most.

    Rounded up, so that the last hop never arrives before the due time. A hop is a second at least and 900 at most,
    whatever `longest_seconds` says: SQS takes no more, and hops of nothing would never arrive.
    """
    remaining_seconds = -(-(due_at_ms - now_ms) // 1000)
    longest = max(1, min(MAX_HOP_SECONDS, longest_seconds))
    return max(0, min(longest, remaining_seconds))
