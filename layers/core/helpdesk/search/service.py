"""The rules of search: conversations, customers, signals, posts and cards found by words, and erased from the index.

A text is read as words of two or more characters, without case and accents. Everything else in it is ignored, so no
text is refused. All words must occur, the last one at least as a prefix. A text without words finds nothing.

Conversations come in the order of the inbox, by the latest activity in their heads. Each word may occur in another
entry of the thread or in the head. The rarest word is therefore looked up first, and the others among the conversations
that have it. If even the rarest word is common, the heads are read from the newest and those kept whose conversations
have every word: then the page is soon full.

The search library is imported on first use: functions that offer search among other things start without it.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from helpdesk.platform.record import Record
from helpdesk.search import documents, terms
from helpdesk.search.documents import Kind
from helpdesk.search.terms import Sought, Word

if TYPE_CHECKING:
    import tantivy

    from helpdesk.search.index import Reader

MAX_TEXT_CHARACTERS = 200
"""The rest of a text is ignored."""
RARE = 5_000
"""The most documents with a word for which all of them are read."""

_HEADS_AT_ONCE = 500
_MOST_ROUNDS = 20
"""Rounds after which a page is returned even if it is short: two common words may never occur together."""

type _Page = tuple[list[str], int | None]
"""Ids, and the sort key after which the next page begins; None at the end."""


class Found(Record):
    """One page of results.

    `after` is the position after which the next page begins, to be passed back as it is (JSON can hold it); None at the
    end. A page may be shorter than the limit, even empty, without being the last.
    """

    ids: list[str]
    after: int | None


def conversations(organization: str, text: str, limit: int, after: int | None = None) -> Found:
    """Return the ids of conversations in which all words of a text occur, the most recently active first.

    Each word may occur in another message, note or attachment name, in the subject, or in the customer's name or
    e-mail. Each conversation is returned once. Entries of the last seconds may be missing, and erased conversations may
    be included: the caller reads the conversations before it shows them.
    """
    words = terms.sought(text[:MAX_TEXT_CHARACTERS])
    if not words:
        return Found([], None)
    reader = _reader(organization)
    counted = sorted(((reader.count(reader.having(word)), word) for word in words), key=lambda row: row[0])
    least = counted[0][0]
    if least == 0:
        return Found([], None)
    by_rarity = [word for _, word in counted]
    if least <= RARE:
        return Found(*_with_a_rare_word(reader, by_rarity, least, limit, after))
    return Found(*_with_common_words(reader, by_rarity, limit, after))


def customers(organization: str, text: str, limit: int, after: int | None = None) -> Found:
    """Return the ids of customers in whose name or e-mail all words of a text begin a word, the newest first.

    An e-mail address is found whole, by its local part and by its domain (`@example.com` means the domain alone).
    """
    words = terms.sought(text[:MAX_TEXT_CHARACTERS], prefixes=True)
    return _of_kind(organization, Kind.CUSTOMER, words, limit, after)


def signals(organization: str, text: str, limit: int, after: int | None = None) -> Found:
    """Return the ids of signals whose title, aliases and body have all words of a text, the newest first.

    As with every search, changes of the last seconds may be missing, and what is gone meanwhile may be included.
    """
    return _of_kind(organization, Kind.SIGNAL, terms.sought(text[:MAX_TEXT_CHARACTERS]), limit, after)


def posts(organization: str, text: str, limit: int, after: int | None = None) -> Found:
    """Return the ids of posts, public or not, whose title and body have all words of a text, the newest first."""
    return _of_kind(organization, Kind.POST, terms.sought(text[:MAX_TEXT_CHARACTERS]), limit, after)


def tasks(
    organization: str, text: str, limit: int, after: int | None = None, *, prefixes: Sequence[str] = ()
) -> Found:
    """Return the ids of cards whose title, description and number have all words of a text, the newest first.

    `prefixes` are those of the organization's task keys: a key in the text (`ACME-12`) means the card of that number.
    """
    rest, numbers = without_task_keys(text[:MAX_TEXT_CHARACTERS], prefixes)
    words = [Sought(Word(documents.number_term(number)), prefix=False) for number in numbers]
    return _of_kind(organization, Kind.TASK, [*words, *terms.sought(rest)], limit, after)


def without_task_keys(text: str, prefixes: Sequence[str]) -> tuple[str, list[int]]:
    """Return a text without the task keys in it, and the numbers of those keys."""
    if not prefixes:
        return text, []
    key = re.compile(rf"\b(?:{'|'.join(map(re.escape, prefixes))})-([0-9]{{1,9}})\b", re.IGNORECASE)
    return key.sub(" ", text), [int(number) for number in key.findall(text)]


def _of_kind(organization: str, kind: Kind, words: Sequence[Sought], limit: int, after: int | None) -> Found:
    """Return what has one document of a kind, such as customers, if all words occur in it; the newest first."""
    if not words:
        return Found([], None)
    reader = _reader(organization)
    having = [reader.having(word) for word in words[: terms.MOST_WORDS]]
    return Found(*_page(reader, having, kind, limit, after))


def forget(organization: str, customer_ids: list[str], conversation_ids: Sequence[str]) -> None:
    """Remove customers, their posts and conversations from the index, so that no object of it holds their words.

    Call it after their items are gone from the table: what is in the table may be indexed again at any time. It may be
    repeated, and must be after a failure. Raises what AWS raises, Conflict, RemovalFailed.
    """
    from helpdesk.search.index import erase, index_of  # noqa: PLC0415 - see above

    erase(index_of(organization), customer_ids, conversation_ids)


def _reader(organization: str) -> "Reader":
    from helpdesk.search.index import index_of  # noqa: PLC0415 - see above

    found = index_of(organization)
    found.refresh()
    return found.reader


def _with_a_rare_word(
    reader: "Reader", by_rarity: Sequence[Sought], frequency: int, limit: int, after: int | None
) -> _Page:
    rarest, *others = by_rarity
    found = sorted(reader.conversations(reader.having(rarest), frequency))
    for word in others:
        found = sorted(reader.among(found, word))
    if not found:
        return [], None
    return _page(reader, [reader.of_conversations(found)], Kind.HEAD, limit, after)


def _with_common_words(reader: "Reader", by_rarity: Sequence[Sought], limit: int, after: int | None) -> _Page:
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
) -> _Page:
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
