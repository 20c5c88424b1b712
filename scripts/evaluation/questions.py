"""Questions: those of docs/evaluation about the project's own guides, and those of a file about any folder."""

import json
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GUIDES = ROOT / "docs" / "guides"
OWN_FILE = ROOT / "docs" / "evaluation" / "questions.json"
HELD_OUT_FILE = ROOT / "docs" / "evaluation" / "held_out.json"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the kind of its wording, and the documents that answer it, if any, by their path in the folder.

    `heading` is the one under which the answer is, if the file says it.
    """

    text: str
    kind: str
    documents: tuple[str, ...]
    heading: str | None = None


def own() -> list[Asked]:
    """Return the questions about the guides that were written while the product was tuned."""
    found: list[Asked] = []
    for kind, written in json.loads(OWN_FILE.read_text(encoding="utf-8")).items():
        for text, *documents in [*written["answerable"], *([text] for text in written["unanswerable"])]:
            found.append(Asked(text, kind, tuple(documents)))
    return found


def held_out() -> list[Asked]:
    """Return the questions about the guides that were held out from tuning; none if the file is missing."""
    if not HELD_OUT_FILE.exists():
        return []
    written = json.loads(HELD_OUT_FILE.read_text(encoding="utf-8"))
    return [
        Asked(entry["question"], "held-out", tuple(entry.get("guides", ())))
        for entry in [*written["answerable"], *written["unanswerable"]]
    ]


def of_file(path: Path) -> list[Asked]:
    """Return the questions of a file: a JSON array of `{question, answerable, documents, heading, style}`.

    Only `question` and `answerable` are required; `documents` too for an answerable one.
    """
    return [
        Asked(
            entry["question"],
            entry.get("style") or "all",
            tuple(entry["documents"]) if entry["answerable"] else (),
            entry.get("heading"),
        )
        for entry in json.loads(path.read_text(encoding="utf-8"))
    ]
