"""The questions of docs/evaluation/questions.json, in halves: one to tune with, one to measure with.

A question's half is a matter of the hash of its text, so it stays where it is when others are added. Questions under
`tuned-before` were tuned with before there were halves and can only be in the first.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "docs" / "evaluation" / "questions.json"
TUNED_BEFORE = "tuned-before"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the kind of its wording, the guides that answer it (none where none does), and its half."""

    text: str
    kind: str
    guides: tuple[str, ...]
    held_out: bool


def questions() -> list[Asked]:
    """Return every question."""
    found: list[Asked] = []
    for kind, written in json.loads(FILE.read_text(encoding="utf-8")).items():
        for text, *guides in [*written["answerable"], *([text] for text in written["unanswerable"])]:
            found.append(Asked(text, kind, tuple(guides), kind != TUNED_BEFORE and _odd(text)))
    return found


def half(asked: Sequence[Asked], *, held_out: bool) -> list[Asked]:
    """Return the questions of one half."""
    return [question for question in asked if question.held_out is held_out]


def _odd(text: str) -> bool:
    return hashlib.sha256(text.encode()).digest()[0] % 2 == 1
