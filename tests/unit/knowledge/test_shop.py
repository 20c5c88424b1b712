"""Ten documents of a shop, asked as its visitors ask: with dates, numbers, names and places in the question."""

import pytest

from helpdesk.embeddings.minilm import MiniLm
from helpdesk.knowledge.index import IndexSearcher
from helpdesk.knowledge.retrieval import CONFIDENT, Passage, search
from tests.support.corpus import searcher, shop

MODEL = MiniLm()


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> IndexSearcher:
    return searcher(tmp_path_factory.mktemp("shop"), shop(), MODEL)


def best(corpus: IndexSearcher, question: str) -> Passage:
    return search(corpus, question, MODEL)[0]


@pytest.mark.parametrize(
    ("question", "document", "heading"),
    [
        ("Where is my parcel?", "tracking.md", "Where is my parcel?"),
        ("where's my parcel, ordered on Monday", "tracking.md", "Where is my parcel?"),
        (
            "Where is my parcel? I ordered on 3 November and nothing came",
            "tracking.md",
            "Where is my parcel?",
        ),
        ("Where is my order #4711?", "tracking.md", "Where is my order?"),
        ("hi, where is order 20391-B please", "tracking.md", "Where is my order?"),
        ("how much is postage to Vienna?", "postage.md", "How much is postage?"),
        ("How much is postage to Graz?", "postage.md", "How much is postage?"),
        ("How much is delivery?", "postage.md", "How much is postage?"),
        ("what does shipping to Italy cost", "postage.md", "How much is postage?"),
        ("How long does delivery to Hamburg take?", "delivery.md", "How long does delivery take?"),
        ("do you deliver to Switzerland", "delivery.md", "Where do you deliver to?"),
        ("my fern arrived dead yesterday", "returns.md", "What if a plant arrives dead or damaged?"),
        ("when do i get my money back, order 4711", "returns.md", "When do I get my money back?"),
        ("can i pay with paypal", "payment.md", "How can I pay?"),
        ("i forgot my password", "account.md", "I forgot my password"),
        ("are you open on saturday", "opening-hours.md", "When are you open?"),
        ("how often must I water a fern", "plant-care.md", "How often do I have to water my fern?"),
    ],
)
def test_a_question_is_answered_from_the_section_that_asks_it(
    corpus: IndexSearcher, question: str, document: str, heading: str
) -> None:
    found = best(corpus, question)

    assert (found.document_id, found.heading) == (document, heading)
    assert found.score >= CONFIDENT


@pytest.mark.parametrize(
    "question",
    [
        "Do you sell garden furniture?",
        "Who is the chancellor of Austria?",
        "Can I integrate your shop with Salesforce?",
        "What is your position on minimum wages?",
        "Do you have an affiliate program?",
        "My neighbour's dog ate my homework",
        "Are your tulips certified organic?",
        "write me a poem about the sea",
    ],
)
def test_a_question_that_no_document_answers_is_not_answered(corpus: IndexSearcher, question: str) -> None:
    assert best(corpus, question).score < CONFIDENT
