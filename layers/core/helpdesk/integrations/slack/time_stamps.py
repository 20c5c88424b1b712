"""Time stamps of Slack: text such as 1764000000.000200, by which messages are named and ordered (Slack, "message")."""


def instant_us(time_stamp: str) -> int:
    """Return the instant (microseconds) of a time stamp. Raises ValueError."""
    seconds, _, fraction = time_stamp.partition(".")
    return int(seconds) * 1_000_000 + int(fraction[:6].ljust(6, "0"))
