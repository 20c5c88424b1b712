"""Looks up conversations, customers, signals, posts and cards in a search index.

Conversations come in the order of the inbox, by the latest activity in their heads. Each word may occur in another
entry of the thread or in the head. The rarest word is therefore looked up first, and the others among the conversations
that have it. If even the rarest word is common, the heads are read from the newest and those kept whose conversations
have every word: then the page is soon full.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from helpdesk.search.documents import Kind
from helpdesk.search.terms import Word

if TYPE_CHECKING:
    import tantivy

    from helpdesk.search.index import Reader

RARE = 5_000
"""The most documents with a word for which all of them are read."""

_HEADS_AT_ONCE = 500
_MOST_ROUNDS = 20
"""Rounds after which a page is returned even if it is short: two common words may never occur together."""

type Page = tuple[list[str], int | None]
"""Ids, and the sort key after which the next page begins; None at the end."""


def conversations(reader: "Reader", words: Sequence[Word], limit: int, after: int | None) -> Page:
    """Return conversations in which all words occur, the most recently active first."""
    counted = sorted(((reader.count(reader.having(word)), word) for word in words), key=lambda row: row[0])
    if not counted or counted[0][0] == 0:
        return [], None
    by_rarity = [word for _, word in counted]
    if counted[0][0] <= RARE:
        return _with_a_rare_word(reader, by_rarity, counted[0][0], limit, after)
    return _with_common_words(reader, by_rarity, limit, after)


def of_kind(reader: "Reader", kind: Kind, words: Sequence[Word], limit: int, after: int | None) -> Page:
    """Return what has one document of a kind, such as customers, if all words occur in it; the newest first."""
    if not words:
        return [], None
    return _page(reader, [reader.having(word) for word in words], kind, limit, after)


def _with_a_rare_word(
    reader: "Reader", by_rarity: Sequence[Word], frequency: int, limit: int, after: int | None
) -> Page:
    rarest, *others = by_rarity
    found = sorted(reader.conversations(reader.having(rarest), frequency))
    for word in others:
        found = sorted(reader.among(found, word))
    if not found:
        return [], None
    return _page(reader, [reader.of_conversations(found)], Kind.HEAD, limit, after)


def _with_common_words(reader: "Reader", by_rarity: Sequence[Word], limit: int, after: int | None) -> Page:
    found: list[str] = []
    end = after
    for _ in range(_MOST_ROUNDS):
        heads = _newest(reader, [], Kind.HEAD, _HEADS_AT_ONCE, after)
        numbers = reader.conversations_at([address for _, address in heads])
        candidates = sorted(number for number in numbers if number is not None)
        for word in by_rarity:
            candidates = sorted(reader.among(candidates, word))
        kept = set(candidates)
        for (sort_key, address), number in zip(heads, numbers, strict=True):
            after = sort_key
            if number in kept:
                if len(found) == limit:
                    return found, end
                found.append(reader.id_at(address))
                end = sort_key
        if len(heads) < _HEADS_AT_ONCE:
            return found, None
    return found, after


def _page(
    reader: "Reader", queries: "Sequence[tantivy.Query]", kind: Kind, limit: int, after: int | None
) -> Page:
    newest = _newest(reader, queries, kind, limit + 1, after)
    ids = [reader.id_at(address) for _, address in newest[:limit]]
    return ids, newest[limit - 1][0] if len(newest) > limit else None


def _newest(
    reader: "Reader", queries: "Sequence[tantivy.Query]", kind: Kind, limit: int, after: int | None
) -> "list[tuple[int, tantivy.DocAddress]]":
    conditions = [*queries, reader.equal("kind", kind)]
    if after is not None:
        conditions.append(reader.older_than(after))
    return reader.newest(reader.all_of(*conditions), limit)
