"""What visitors write, by language: sentences that ask for a person, and phrases that close a conversation.

The patterns are regular expressions in `languages/<code>.toml`. To add a language, add a file there; a test reads each.
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from helpdesk.platform.frozen_record import FrozenRecord

_FOLDER = Path(__file__).parent / "languages"

CODES = ("en", "de", "fr", "es", "it", "pt", "nl")
"""The languages that the agent understands without a model."""


class Language(FrozenRecord):
    """One language's patterns, as the source of regular expressions.

    `handoff` finds requests for a person. `closing` matches phrases that say by themselves that the matter is closed,
    `polite` matches those that may occur with them.
    """

    handoff: tuple[str, ...]
    closing: tuple[str, ...]
    polite: tuple[str, ...]


@cache
def load(code: str) -> Language:
    """Return a language's patterns."""
    data = _read(code)
    parts = _read("common")["parts"] | data["handoff"]["parts"]
    return Language(
        handoff=tuple(_filled(pattern, parts) for pattern in data["handoff"]["patterns"]),
        closing=tuple(data["closing"]["phrases"]),
        polite=tuple(data["closing"]["polite"]),
    )


@cache
def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def _filled(pattern: str, parts: dict[str, str]) -> str:
    for name, part in parts.items():
        pattern = pattern.replace(f"<{name}>", part)
    return pattern
