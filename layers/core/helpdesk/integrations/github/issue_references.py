"""Issues in the messages of commits: `#12`, `GH-12`, `acme/shop#12`, addresses (GitHub Docs, "Autolinked references").

`fixes #12` says that the commit finishes it. The words are those of GitHub: close, fix, resolve. Case does not count.
"""

import re
from typing import Final

from helpdesk.platform.record import Record
from helpdesk.progress.references import MAX_CHARACTERS, MAX_REFERENCES, is_revert

_REPO: Final = r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}"
_REFERENCE = re.compile(
    r"(?:\b(?P<word>close[sd]?|fix(?:es|ed)?|resolve[sd]?):?\s+)?(?<![\w/&#-])"
    rf"(?:https://github\.com/(?P<page>{_REPO})/issues/|(?P<repo>{_REPO})?#|GH-)"
    r"(?P<number>[1-9][0-9]{0,8})\b(?!\.[0-9])",
    re.IGNORECASE | re.ASCII,
)


class Reference(Record):
    """An issue that a message names, and whether the message says that it is finished."""

    repo: str
    number: int
    finishes: bool


def references(text: str, repo: str) -> list[Reference]:
    """Return the issues that the message of a commit in a repository names, each once. A revert finishes nothing."""
    finishing = not is_revert(text)
    found: dict[tuple[str, int], Reference] = {}
    for match in _REFERENCE.finditer(text[:MAX_CHARACTERS]):
        if match.end() == MAX_CHARACTERS < len(text):
            break  # the rest of this number is not read
        named = match.group("page") or match.group("repo") or repo
        key = named.lower(), int(match.group("number"))
        if key not in found and len(found) == MAX_REFERENCES:
            continue
        finishes = finishing and match.group("word") is not None
        finishes = finishes or (key in found and found[key].finishes)
        found[key] = Reference(named, key[1], finishes)
    return list(found.values())
