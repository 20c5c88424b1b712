"""Finding conversations and customers in an index.

Conversations come in the order of the inbox, by their latest activity, which their heads have. Each word may stand in
another entry of the thread, or in the head. So the rarest word is looked for first, and the others in the conversations
that have it. Where even the rarest is common, it is the other way round: the heads are gone through from the newest,
and those are kept that have every word; then the page is soon full.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from helpdesk.search.documents import Kind
from helpdesk.search.terms import Word

if TYPE_CHECKING:
    import tantivy

    from helpdesk.search.index import Reader

RARE = 5_000
"""Documents with a word, up to which all of them are looked at."""

_HEADS_AT_ONCE = 500
_MOST_ROUNDS = 20
"""A page is given out, however short, after so many rounds: two common words may never occur together."""

type Page = tuple[list[str], int | None]
"""Ids, and the place after which the next page begins; None at the end."""


def conversations(reader: "Reader", words: Sequence[Word], limit: int, after: int | None) -> Page:
    """Return conversations in which all words occur, the most recently active first."""
    counted = sorted(((reader.count(reader.having(word)), word) for word in words), key=lambda row: row[0])
    if not counted or counted[0][0] == 0:
        return [], None
    by_rarity = [word for _, word in counted]
    if counted[0][0] <= RARE:
        return _of_a_rare_word(reader, by_rarity, counted[0][0], limit, after)
    return _of_common_words(reader, by_rarity, limit, after)


def customers(reader: "Reader", words: Sequence[Word], limit: int, after: int | None) -> Page:
    """Return customers in whose name or e-mail all words occur, the newest first."""
    if not words:
        return [], None
    return _page(reader, [reader.having(word) for word in words], Kind.CUSTOMER, limit, after)


def _of_a_rare_word(
    reader: "Reader", by_rarity: Sequence[Word], frequency: int, limit: int, after: int | None
) -> Page:
    rarest, *others = by_rarity
    owners = sorted(reader.owners(reader.having(rarest), frequency))
    for word in others:
        owners = sorted(reader.among(owners, word))
    if not owners:
        return [], None
    return _page(reader, [reader.of_owners(owners)], Kind.HEAD, limit, after)


def _of_common_words(reader: "Reader", by_rarity: Sequence[Word], limit: int, after: int | None) -> Page:
    found: list[str] = []
    for _ in range(_MOST_ROUNDS):
        heads = _newest(reader, [], Kind.HEAD, _HEADS_AT_ONCE, after)
        owner_of = reader.owners_at([address for _, address in heads])
        owners = sorted(owner for owner in owner_of if owner is not None)
        for word in by_rarity:
            owners = sorted(reader.among(owners, word))
        kept = set(owners)
        for (place, address), owner in zip(heads, owner_of, strict=True):
            after = place
            if owner in kept:
                found.append(reader.id_at(address))
                if len(found) == limit:
                    return found, after
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
        conditions.append(reader.placed_before(after))
    return reader.newest(reader.all_of(*conditions), limit)
