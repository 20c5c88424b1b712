"""Finding conversations and customers by words.

A text is taken for words of two or more characters, without case and accents; whatever else is in it is no syntax, so
nothing that a user types is refused. All words must occur, the last one at least as the beginning of a word. A text
without such a word finds nothing.
"""

from dataclasses import dataclass

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
    return Found([], None)


def customers(organization: str, text: str, limit: int, after: int | None = None) -> Found:
    """Return the ids of customers in whose name or e-mail all words of a text begin a word, the newest first.

    An e-mail address is found whole, by its local part and by its domain (`@example.com` means the domain alone).
    """
    return Found([], None)
