"""Partitions of the indexes that all organizations share, which keys.py has no room for.

Who writes there is every organization at once, so each such index is parted into shards; who reads there is one
scheduled function, which reads them all.
"""

from zlib import crc32

SHARDS = 16
"""Into how many partitions such an index is parted: one takes 1,000 writes a second."""


def shard_of(identifier: str) -> int:
    """Return the shard that an item with this id is in."""
    return crc32(identifier.encode()) % SHARDS


def pending_deliveries(shard: int) -> str:
    """Return GSI1's partition of one shard's deliveries that are not over; sorted by when their next attempt is due."""
    return f"PENDING#{shard}"


def auto_resolve(shard: int) -> str:
    """Return GSI1's partition of one shard's organizations with `nightlySweep` on; sorted by their ids."""
    return f"AUTORESOLVE#{shard}"


def new_outbox_items(shard: int) -> str:
    """Return GSI2's partition of one shard's outbox items that were not fanned out yet; sorted by time."""
    return f"OUTBOX#{shard}"


def retaining(shard: int) -> str:
    """Return GSI1's partition of one shard's organizations that keep conversations for a time; sorted by their ids."""
    return f"RETAINING#{shard}"


def snoozes(shard: int) -> str:
    """Return GSI1's partition of one shard's snoozed conversations; sorted by when they are to come back."""
    return f"WAKE#{shard}"
