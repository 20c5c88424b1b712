"""Ten documents of a shop, asked as its visitors ask: with dates, numbers, names and places in the question."""

from pathlib import Path

import pytest

from helpdesk.knowledge.index import IndexSearcher
from helpdesk.knowledge.retrieval import CONFIDENT, Passage, search
from helpdesk.search.embeddings.minilm import MiniLm
from scripts.evaluation.questions import of_file
from tests.support.corpus import searcher, shop

MODEL = MiniLm()
ASKED = of_file(Path(__file__).with_name("shop") / "questions.json")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> IndexSearcher:
    return searcher(tmp_path_factory.mktemp("shop"), shop(), MODEL)


def best(corpus: IndexSearcher, question: str) -> Passage:
    return search(corpus, question, MODEL)[0]


@pytest.mark.parametrize(
    ("question", "document", "heading"),
    [(asked.text, asked.documents[0], asked.heading) for asked in ASKED if asked.documents],
)
def test_a_question_is_answered_from_the_section_that_asks_it(
    corpus: IndexSearcher, question: str, document: str, heading: str
) -> None:
    found = best(corpus, question)

    assert (found.document_id, found.heading) == (document, heading)
    assert found.score >= CONFIDENT


@pytest.mark.parametrize("question", [asked.text for asked in ASKED if not asked.documents])
def test_a_question_that_no_document_answers_is_not_answered(corpus: IndexSearcher, question: str) -> None:
    assert best(corpus, question).score < CONFIDENT
