"""The questions of docs/evaluation: those for tuning, by kind, and those held out from it."""

import json
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TUNING_FILE = ROOT / "docs" / "evaluation" / "questions.json"
HELD_OUT_FILE = ROOT / "docs" / "evaluation" / "held_out.json"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the kind of its wording, and the guides that answer it, if any."""

    text: str
    kind: str
    guides: tuple[str, ...]


def tuning() -> list[Asked]:
    """Return every question for tuning."""
    found: list[Asked] = []
    for kind, written in json.loads(TUNING_FILE.read_text(encoding="utf-8")).items():
        for text, *guides in [*written["answerable"], *([text] for text in written["unanswerable"])]:
            found.append(Asked(text, kind, tuple(guides)))
    return found


def held_out() -> list[Asked]:
    """Return the questions held out from tuning; none if the file is missing."""
    if not HELD_OUT_FILE.exists():
        return []
    written = json.loads(HELD_OUT_FILE.read_text(encoding="utf-8"))
    return [
        Asked(entry["question"], "held-out", tuple(entry.get("guides", ())))
        for entry in [*written["answerable"], *written["unanswerable"]]
    ]
