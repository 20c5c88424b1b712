"""Keys of cards in the messages of commits and the titles of pull requests.

`fixes ACME-12` finishes the card, `ACME-12` alone links to it. The words are close, fix and resolve, as GitHub and
GitLab read them. Case does not count. `ACME-1.5` is a version and not a card. Each key needs a word of its own: of
"fixes ACME-1, ACME-2" the second is a link.
"""

import re
from collections.abc import Sequence

MAX_CHARACTERS = 10_000
"""Of a message; the rest is not read."""
MAX_REFERENCES = 20
"""Cards, or issues, that one message names; others are passed over."""

_REVERT = re.compile(r"\s*Revert\b", re.IGNORECASE)


def is_revert(text: str) -> bool:
    """Return whether a message takes a change back."""
    return _REVERT.match(text) is not None


def references(text: str, prefixes: Sequence[str]) -> dict[int, bool]:
    """Return the numbers of the cards that a text names, in its order, and whether it finishes each.

    A revert takes a change back: it finishes nothing.
    """
    keys = "|".join(sorted(map(re.escape, prefixes), key=len, reverse=True))
    pattern = re.compile(
        rf"(?:\b(?P<word>close[sd]?|fix(?:es|ed)?|resolve[sd]?):?\s+)?\b(?:{keys})-(?P<number>[1-9][0-9]{{0,8}})\b(?!\.[0-9])",
        re.IGNORECASE | re.ASCII,
    )
    finishing = not is_revert(text)
    found: dict[int, bool] = {}
    for match in pattern.finditer(text[:MAX_CHARACTERS]):
        if match.end() == MAX_CHARACTERS < len(text):
            break  # the rest of this number is not read
        number = int(match.group("number"))
        if number not in found and len(found) == MAX_REFERENCES:
            continue
        found[number] = found.get(number, False) or (finishing and match.group("word") is not None)
    return found
