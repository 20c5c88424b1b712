"""The delay of an SQS message that is due later than SQS can delay it. Pure arithmetic.

SQS delays a message by at most 15 minutes (Amazon SQS Developer Guide, "delay queues"). A message that is due later
travels in hops: it carries its due time, and a consumer that receives it early sends it again with the remaining delay.
"""

MAX_HOP_SECONDS = 900


def hop_delay_seconds(due_at_ms: int, now_ms: int, longest_seconds: int = MAX_HOP_SECONDS) -> int:
    """Return the DelaySeconds of the next hop towards `due_at_ms`: 0 when it is due, `longest_seconds` at most.

    The result is rounded up, so that the last hop never arrives early. A hop takes 1 to 900 seconds whatever
    `longest_seconds` is: SQS accepts no more, and hops of zero seconds would loop.
    """
    remaining_seconds = -(-(due_at_ms - now_ms) // 1000)
    longest = max(1, min(MAX_HOP_SECONDS, longest_seconds))
    return max(0, min(longest, remaining_seconds))
