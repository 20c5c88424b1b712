"""Asks the questions. The project's guides are indexed and searched by the code that runs in production."""

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from helpdesk.knowledge import index_format
from helpdesk.knowledge.index import IndexSearcher
from helpdesk.knowledge.markdown import sections
from helpdesk.knowledge.retrieval import CONFIDENT, Passage, search
from helpdesk.s3_index import directory
from scripts.evaluation.questions import ROOT, Asked

GUIDES = ROOT / "docs" / "guides"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a question: the best passage, if any, and the CPU time of the search in ms."""

    asked: Asked
    best: Passage | None
    took_ms: float

    @property
    def answered(self) -> bool:
        """Whether the agent would have answered."""
        return self.best is not None and self.best.score >= CONFIDENT

    @property
    def right(self) -> bool:
        """Whether the agent would have quoted a right guide."""
        return self.answered and self.best is not None and self.best.document_id in self.asked.guides


@dataclass(frozen=True, slots=True)
class Figures:
    """Results of a set of questions, counted."""

    answerable: int
    right: int
    wrong: int
    unanswerable: int
    handed_off: int

    @property
    def share_right(self) -> float:
        """The share of the answerable questions answered from a right guide."""
        return self.right / max(self.answerable, 1)

    @property
    def share_wrong(self) -> float:
        """The share of the answerable questions answered from another guide; the rest were handed off."""
        return self.wrong / max(self.answerable, 1)

    @property
    def share_handed_off(self) -> float:
        """The share of the unanswerable questions that were handed off."""
        return self.handed_off / max(self.unanswerable, 1)


@contextmanager
def indexed_guides() -> Iterator[IndexSearcher]:
    """Provide an index of docs/guides, with file names as document ids."""
    documents = []
    for path in sorted(GUIDES.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        title = text.partition("\n")[0].lstrip("# ")
        documents.append(index_format.IndexedDocument(path.name, title, None, sections(title, text)))
    with tempfile.TemporaryDirectory() as folder:
        index = index_format.FORMAT.create(Path(folder))
        directory.apply(index, index_format.edit_of([], documents))
        yield IndexSearcher(index_format.FORMAT.open(Path(folder)))


def ask(guides: IndexSearcher, asked: Sequence[Asked]) -> list[Outcome]:
    """Ask questions one by one."""
    found: list[Outcome] = []
    for question in asked:
        began = time.process_time()
        passages = search(guides, question.text, limit=1)
        took = (time.process_time() - began) * 1000
        found.append(Outcome(question, passages[0] if passages else None, took))
    return found


def figures(outcomes: Sequence[Outcome]) -> Figures:
    """Count outcomes."""
    answerable = [outcome for outcome in outcomes if outcome.asked.guides]
    unanswerable = [outcome for outcome in outcomes if not outcome.asked.guides]
    return Figures(
        answerable=len(answerable),
        right=sum(outcome.right for outcome in answerable),
        wrong=sum(outcome.answered and not outcome.right for outcome in answerable),
        unanswerable=len(unanswerable),
        handed_off=sum(not outcome.answered for outcome in unanswerable),
    )
