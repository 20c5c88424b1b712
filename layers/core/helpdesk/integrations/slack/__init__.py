"""Slack: conversations as threads of a channel."""


def instant_us(time_stamp: str) -> int:
    """Return the instant (microseconds) of a time stamp of Slack, such as 1764000000.000200. Raises ValueError.

    Time stamps name and order messages (Slack, "message").
    """
    seconds, _, fraction = time_stamp.partition(".")
    return int(seconds) * 1_000_000 + int(fraction[:6].ljust(6, "0"))
