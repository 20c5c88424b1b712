"""Finding conversations and customers by words.

A text is taken for words of two or more characters, without case and accents; whatever else is in it is no syntax, so
nothing that a user types is refused. All words must occur, the last one at least as the beginning of a word. A text
without such a word finds nothing.

The search library is imported when it is first used: the functions that offer search among other things start without.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from helpdesk.search import finding, terms

if TYPE_CHECKING:
    from helpdesk.search.index import CachedSearchIndex, Reader

MAX_TEXT_CHARACTERS = 200
"""What of a text is looked at."""


@dataclass(frozen=True, slots=True)
class Found:
    """One page of what was found.

    `after` is where the next page goes on, to be handed back as it is (JSON holds it); None at the end. A page may be
    shorter than asked for, even empty, and yet not be the last.
    """

    ids: list[str]
    after: int | None


def conversations(organization: str, text: str, limit: int, after: int | None = None) -> Found:
    """Return the ids of conversations in which all words of a text occur, the most recently active first.

    Words are looked for in messages, notes, names of attachments, the subject and the customer's name and e-mail; each
    may occur in another of these. A conversation comes once. What was written in the last seconds may be missing, and
    one that was erased meanwhile may be among them: the caller reads what it shows.
    """
    words = terms.words_of(text[:MAX_TEXT_CHARACTERS])
    if not words:
        return Found([], None)
    return Found(*finding.conversations(_present(organization), words, limit, after))


def customers(organization: str, text: str, limit: int, after: int | None = None) -> Found:
    """Return the ids of customers in whose name or e-mail all words of a text begin a word, the newest first.

    An e-mail address is found whole, by its local part and by its domain (`@example.com` means the domain alone).
    """
    words = terms.words_of(text[:MAX_TEXT_CHARACTERS], prefixes=True)
    if not words:
        return Found([], None)
    return Found(*finding.customers(_present(organization), words, limit, after))


def forget(organization: str, customer_id: str, conversation_ids: Sequence[str]) -> None:
    """Remove a customer and conversations from the index, so that none of their words is left in any object of it.

    To be called when their items are gone from the table: what is in the table may be indexed again at any time. May be
    repeated, and is to be repeated after a failure. Raises what AWS raises, Conflict, NotRemoved.
    """
    forget_many(organization, [customer_id], conversation_ids)


def forget_many(organization: str, customer_ids: Sequence[str], conversation_ids: Sequence[str]) -> None:
    """Do the same for many customers, by one rewriting of the index."""
    _copy(organization).erase(customer_ids, conversation_ids)


def _present(organization: str) -> "Reader":
    copy = _copy(organization)
    copy.refresh()
    return copy.reader()


def _copy(organization: str) -> "CachedSearchIndex":
    from helpdesk.search.index import copy_of  # noqa: PLC0415 - see above

    return copy_of(organization)
