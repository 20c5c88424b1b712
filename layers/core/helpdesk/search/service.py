"""The rules of search: conversations, customers, signals, posts and cards found by words, and erased from the index.

A text is read as words of two or more characters, without case and accents. Everything else in it is ignored, so no
text is refused. All words must occur, the last one at least as a prefix. A text without words finds nothing.

The search library is imported on first use: functions that offer search among other things start without it.
"""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from helpdesk.platform.record import Record
from helpdesk.search import documents, lookup, terms
from helpdesk.search.documents import Kind
from helpdesk.search.terms import Word

if TYPE_CHECKING:
    from helpdesk.search.index import Reader

MAX_TEXT_CHARACTERS = 200
"""The rest of a text is ignored."""


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
    words = terms.words_of(text[:MAX_TEXT_CHARACTERS])
    if not words:
        return Found([], None)
    return Found(*lookup.conversations(_reader(organization), words, limit, after))


def customers(organization: str, text: str, limit: int, after: int | None = None) -> Found:
    """Return the ids of customers in whose name or e-mail all words of a text begin a word, the newest first.

    An e-mail address is found whole, by its local part and by its domain (`@example.com` means the domain alone).
    """
    words = terms.words_of(text[:MAX_TEXT_CHARACTERS], prefixes=True)
    if not words:
        return Found([], None)
    return Found(*lookup.of_kind(_reader(organization), Kind.CUSTOMER, words, limit, after))


def signals(organization: str, text: str, limit: int, after: int | None = None) -> Found:
    """Return the ids of signals whose title, aliases and body have all words of a text, the newest first.

    As with every search, changes of the last seconds may be missing, and what is gone meanwhile may be included.
    """
    return _backlog(organization, Kind.SIGNAL, terms.words_of(text[:MAX_TEXT_CHARACTERS]), limit, after)


def posts(organization: str, text: str, limit: int, after: int | None = None) -> Found:
    """Return the ids of posts, public or not, whose title and body have all words of a text, the newest first."""
    return _backlog(organization, Kind.POST, terms.words_of(text[:MAX_TEXT_CHARACTERS]), limit, after)


def tasks(
    organization: str, text: str, limit: int, after: int | None = None, *, prefixes: Sequence[str] = ()
) -> Found:
    """Return the ids of cards whose title, description and number have all words of a text, the newest first.

    `prefixes` are those of the organization's task keys: a key in the text (`ACME-12`) means the card of that number.
    """
    rest, numbers = without_task_keys(text[:MAX_TEXT_CHARACTERS], prefixes)
    words = [Word((documents.number_term(number),), prefix=False) for number in numbers]
    return _backlog(organization, Kind.TASK, [*words, *terms.words_of(rest)], limit, after)


def without_task_keys(text: str, prefixes: Sequence[str]) -> tuple[str, list[int]]:
    """Return a text without the task keys in it, and the numbers of those keys."""
    if not prefixes:
        return text, []
    key = re.compile(rf"\b(?:{'|'.join(map(re.escape, prefixes))})-([0-9]{{1,9}})\b", re.IGNORECASE)
    return key.sub(" ", text), [int(number) for number in key.findall(text)]


def _backlog(organization: str, kind: Kind, words: list[Word], limit: int, after: int | None) -> Found:
    if not words:
        return Found([], None)
    return Found(*lookup.of_kind(_reader(organization), kind, words[: terms.MOST_WORDS], limit, after))


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
