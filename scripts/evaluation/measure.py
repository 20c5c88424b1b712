"""Asks questions as a visitor would, and counts what the agent does."""

import time
from collections.abc import Sequence
from dataclasses import dataclass

from helpdesk.agent.found_pages import MAY_HELP, MOST_FOUND
from helpdesk.knowledge.index import IndexSearcher
from helpdesk.knowledge.retrieval import CONFIDENT, Passage, search
from helpdesk.search.embeddings.embedder import Embedder
from scripts.evaluation.questions import Asked

PASSAGES = 5


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a question: its passages, the best first, and the CPU time of the search in ms."""

    asked: Asked
    passages: Sequence[Passage]
    took_ms: float

    @property
    def best(self) -> Passage | None:
        """The best passage, if there is any."""
        return self.passages[0] if self.passages else None

    @property
    def answered(self) -> bool:
        """Whether the agent would have answered."""
        return self.best is not None and self.best.score >= CONFIDENT

    @property
    def right(self) -> bool:
        """Whether the agent would have quoted a right document."""
        return self.answered and self.is_among(1)

    def is_among(self, count: int) -> bool:
        """Return whether a right document is among the first passages."""
        return any(passage.document_id in self.asked.documents for passage in self.passages[:count])


@dataclass(frozen=True, slots=True)
class Figures:
    """Results of a set of questions, counted."""

    answerable: int
    right: int
    wrong: int
    unanswerable: int
    handed_off: int
    first: int
    among_five: int

    @property
    def share_right(self) -> float:
        """The share of the answerable questions answered from a right document."""
        return self.right / max(self.answerable, 1)

    @property
    def share_wrong(self) -> float:
        """The share of the answerable questions answered from another document; the rest were handed off."""
        return self.wrong / max(self.answerable, 1)

    @property
    def share_handed_off(self) -> float:
        """The share of the unanswerable questions that were handed off."""
        return self.handed_off / max(self.unanswerable, 1)


def ask(corpus: IndexSearcher, asked: Sequence[Asked], model: Embedder) -> list[Outcome]:
    """Ask questions one by one."""
    found: list[Outcome] = []
    for question in asked:
        began = time.process_time()
        passages = search(corpus, question.text, model, limit=PASSAGES)
        found.append(Outcome(question, passages, (time.process_time() - began) * 1000))
    return found


def pages_line(outcomes: Sequence[Outcome]) -> str:
    """Return a line about the pages that visitors see where the agent hands off an answerable question."""
    handed_off = [each for each in outcomes if each.asked.documents and not each.answered]
    shown = [
        [
            page.document_id in each.asked.documents
            for page in each.passages[:MOST_FOUND]
            if page.score >= MAY_HELP
        ]
        for each in handed_off
    ]
    pages, right, found = sum(map(len, shown)), sum(map(sum, shown)), sum(map(any, shown))
    return (
        f"Hand-offs of answerable questions show {pages} pages, {right} of them right; "
        f"a right one is shown for {found} of {len(handed_off)}."
    )


def figures(outcomes: Sequence[Outcome]) -> Figures:
    """Count outcomes."""
    answerable = [outcome for outcome in outcomes if outcome.asked.documents]
    unanswerable = [outcome for outcome in outcomes if not outcome.asked.documents]
    return Figures(
        answerable=len(answerable),
        right=sum(outcome.right for outcome in answerable),
        wrong=sum(outcome.answered and not outcome.right for outcome in answerable),
        unanswerable=len(unanswerable),
        handed_off=sum(not outcome.answered for outcome in unanswerable),
        first=sum(outcome.is_among(1) for outcome in answerable),
        among_five=sum(outcome.is_among(PASSAGES) for outcome in answerable),
    )
