"""Partitions of the indexes that all organizations share.

Every organization writes to them, so each index is divided into shards. A scheduled function reads all of them.
"""

from collections.abc import Callable, Iterator
from zlib import crc32

from helpdesk.platform import clock
from helpdesk.storage.wire import Item

SHARDS = 16
"""How many partitions such an index has. One takes 1,000 writes a second."""


def in_turn(turn: int) -> Iterator[int]:
    """Yield every shard once, beginning with another one each time `turn` grows by one.

    A run that ends before it has read everything therefore never leaves out the same shards again and again.
    """
    return ((turn + number) % SHARDS for number in range(SHARDS))


def pages[T](
    read: Callable[[int, Item | None], tuple[list[T], Item | None]], turn: int, until: int
) -> Iterator[list[T]]:
    """Yield the pages of every shard that are not empty, until all are read or the instant `until` (ms) has come.

    `read` takes a shard and the key to continue from, and returns a page and the key after it, None at the end. `turn`
    is a number that grows with each run (`in_turn`).
    """
    for shard in in_turn(turn):
        after: Item | None = None
        while clock.now_ms() < until:
            page, after = read(shard, after)
            if page:
                yield page
            if after is None:
                break


def shard_of(identifier: str) -> int:
    """Return the shard that an item with this id is in."""
    return crc32(identifier.encode()) % SHARDS
