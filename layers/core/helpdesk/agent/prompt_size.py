"""How large a request of a language model is, whatever a conversation, a knowledge base and the tools hold.

Each part has a size of its own, in bytes of UTF-8: three or four of them are a token, in every script. With the rules
and the tools (helpdesk/tools/service.py) the first request for a message always fits into the message's budget.
"""

from collections.abc import Sequence

THREAD_BYTES = 20_000
"""The messages of a conversation, the newest ones."""

PASSAGES_BYTES = 30_000
"""The passages of the knowledge base, the best ones."""

RESULTS_BYTES = 24_000
"""The results of a message's calls together."""

_LEAST_RESULT_BYTES = 200
_CUT = " […]"


def newest[T](entries: Sequence[T], texts: Sequence[str]) -> Sequence[T]:
    """Return the newest of entries, whose texts fit into a thread; the newest one in any case."""
    return entries[len(entries) - _fitting(texts[::-1], THREAD_BYTES) :]


def best[T](entries: Sequence[T], texts: Sequence[str]) -> Sequence[T]:
    """Return the first of entries, whose texts fit into the passages; the first one in any case."""
    return entries[: _fitting(texts, PASSAGES_BYTES)]


def _fitting(texts: Sequence[str], most: int) -> int:
    """Return how many texts fit, in their order; at least one."""
    left = most
    for number, text in enumerate(texts):
        left -= len(text.encode())
        if left < 0 and number:
            return number
    return len(texts)


def results(turns: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the results of each turn's calls, oldest turn first, cut so that they fit together.

    The newest turn has its room first, which its results share. A line is left of what finds no room.
    """
    left = RESULTS_BYTES
    shown: list[list[str]] = []
    for texts in reversed(turns):
        cut = list(texts)
        shortest_first = sorted(range(len(texts)), key=lambda number: len(texts[number].encode()))
        for done, number in enumerate(shortest_first):
            share = max(left // (len(texts) - done), _LEAST_RESULT_BYTES)
            cut[number] = _cut(texts[number], share)
            left -= len(cut[number].encode())
        shown.append(cut)
    return shown[::-1]


def _cut(text: str, most: int) -> str:
    encoded = text.encode()
    return text if len(encoded) <= most else encoded[:most].decode(errors="ignore") + _CUT
