"""What visitors write, by language: requests for a person, closing phrases, greetings, choices, and frequent words.

The patterns are regular expressions in `languages/<code>.toml`. To add a language, add a file there and its default
sentences (`helpdesk/visitor_texts`); a test reads each.
"""

import tomllib
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

from helpdesk.platform.record import Record
from helpdesk.visitor_texts.languages import LANGUAGES

_FOLDER = Path(__file__).parent / "languages"

CODES = LANGUAGES
"""The languages that the agent understands without a model."""


class Language(Record):
    """One language's patterns, as the source of regular expressions.

    `handoff` finds requests for a person. `closing` matches phrases that say by themselves that the matter is closed,
    `polite` matches those that may occur with them. `greeting` matches greetings, `after_greeting` what may follow them
    in a mere greeting. `letter_opening` and `letter_closing` match what letters begin with, beside greetings, and end
    with. `first` and `second` match replies that choose one of two. `words` are frequent words of the
    language, normalized.
    """

    handoff: tuple[str, ...]
    closing: tuple[str, ...]
    polite: tuple[str, ...]
    greeting: tuple[str, ...]
    after_greeting: tuple[str, ...]
    letter_opening: tuple[str, ...]
    letter_closing: tuple[str, ...]
    first: str
    second: str
    words: frozenset[str]


def normalize(text: str) -> str:
    """Return text as the patterns are written for: lower case, without accents, with straight apostrophes."""
    straight = text.replace("’", "'").replace("`", "'").casefold()
    return "".join(c for c in unicodedata.normalize("NFKD", straight) if not unicodedata.combining(c))


@cache
def load(code: str) -> Language:
    """Return a language's patterns."""
    data = _read(code)
    parts = _read("common")["parts"] | data["handoff"]["parts"]
    return Language(
        handoff=tuple(_filled(pattern, parts) for pattern in data["handoff"]["patterns"]),
        closing=tuple(data["closing"]["phrases"]),
        polite=tuple(data["closing"]["polite"]),
        greeting=tuple(data["greeting"]["phrases"]),
        after_greeting=tuple(data["greeting"]["after"]),
        letter_opening=tuple(data["letter"]["opening"]),
        letter_closing=tuple(data["letter"]["closing"]),
        first=data["choice"]["first"],
        second=data["choice"]["second"],
        words=frozenset(data["language"]["words"].split()),
    )


@cache
def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def _filled(pattern: str, parts: dict[str, str]) -> str:
    for name, part in parts.items():
        pattern = pattern.replace(f"<{name}>", part)
    return pattern
