"""Reading the best sections word by word, with a model for which a word is like itself and like nothing else."""

import re
from pathlib import Path

import numpy as np
import pytest

from helpdesk.knowledge.index import Hit, IndexSearcher
from helpdesk.knowledge.late_interaction import SAME, SECTIONS, UNRELATED, Reading, read, worth_reading
from helpdesk.knowledge.retrieval import search
from helpdesk.search.embeddings.embedder import Tokens
from tests.support.corpus import searcher
from tests.unit.knowledge.test_retrieval import ByWord


class ByToken(ByWord):
    """The model, with a vector for each word; it finds all texts alike as a whole."""

    def __init__(self) -> None:
        super().__init__()
        self._numbers: dict[str, int] = {}

    def tokens(self, text: str) -> Tokens:  # type: ignore[override]
        words = re.findall(r"\w+|[?.]", text.lower())
        numbers = [self._numbers.setdefault(word, len(self._numbers)) for word in words]
        return Tokens(words, np.eye(200, dtype=np.float32)[numbers])


DOCUMENTS = [
    ("parcels", "Parcels", "A parcel is left with a neighbor. A parcel is insured."),
    ("cards", "Cards", "A card is charged when the parcel is packed. A card is insured."),
    ("long", "Long", "\n\n".join([*["Words about nothing. " * 25] * 2, "Then the customs form is signed."])),
]


@pytest.fixture
def model() -> ByToken:
    return ByToken()


@pytest.fixture
def corpus(tmp_path: Path, model: ByToken) -> IndexSearcher:
    return searcher(tmp_path, DOCUMENTS, model)


def read_all(corpus: IndexSearcher, model: ByToken, question: str) -> dict[str, Reading]:
    """Return the reading of each document's first section."""
    hits = corpus.search([{"parcel": 1.0}, {"word": 1.0}], 9)
    found = read(corpus, question, "en", model.question("any"), hits, model)
    return {hit.document_id: reading for hit, reading in zip(hits, found, strict=True)}


def test_a_section_answers_the_share_of_the_question_that_it_holds(
    corpus: IndexSearcher, model: ByToken
) -> None:
    found = read_all(corpus, model, "parcel neighbor")

    assert found["parcels"].likeness == found["parcels"].answered == pytest.approx(1.0)
    assert 0 < found["cards"].answered < 0.5  # the rarer word counts more
    assert found["long"] == Reading(0.0, 0.0)


def test_signs_weigh_nothing(corpus: IndexSearcher, model: ByToken) -> None:
    assert read_all(corpus, model, "parcel neighbor?")["parcels"].likeness == pytest.approx(1.0)
    assert set(read_all(corpus, model, "??").values()) == {Reading(0.0, 0.0)}


def test_words_that_every_question_has_are_no_part_of_what_is_answered(
    corpus: IndexSearcher, model: ByToken
) -> None:
    found = read_all(corpus, model, "when may my parcel leave")["parcels"]

    assert found.likeness < found.answered


@pytest.mark.parametrize("detail", ["4711", "20391b", "yesterday"])
def test_a_detail_of_the_visitors_case_weighs_nothing(
    corpus: IndexSearcher, model: ByToken, detail: str
) -> None:
    assert read_all(corpus, model, f"parcel {detail}") == read_all(corpus, model, "parcel")


def test_a_question_of_such_words_alone_is_about_them(corpus: IndexSearcher, model: ByToken) -> None:
    assert read_all(corpus, model, "is the a")["parcels"].answered > 0


def test_a_word_that_no_document_has_weighs_most(corpus: IndexSearcher, model: ByToken) -> None:
    unknown = read_all(corpus, model, "parcel bitcoin")["parcels"]
    known = read_all(corpus, model, "parcel customs")["parcels"]

    assert unknown.answered < known.answered < 0.5


def test_tokens_that_have_little_in_common_count_for_nothing(
    corpus: IndexSearcher, model: ByToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    tokens = model.tokens
    halfway = (UNRELATED + SAME) / 2
    for likeness, answered in ((UNRELATED, 0.0), (halfway, 0.5), (SAME, 1.0), (1.0, 1.0)):

        def less_alike(text: str, likeness: float = likeness) -> Tokens:
            found = tokens(text)
            return Tokens(found.words, found.vectors * likeness**0.5)

        with monkeypatch.context() as changed:
            changed.setattr(model, "tokens", less_alike)
            found = read_all(corpus, model, "parcel")["parcels"]
        assert [found.likeness, found.answered] == pytest.approx([likeness, answered], abs=1e-5)


def test_two_sections_of_a_document_are_read_and_four_in_all() -> None:
    ordered = [
        Hit(document, 1, "", "", "", None, position, "en", 0.0)
        for document, position in [("a", 0), ("a", 1), ("a", 2), ("b", 0), ("c", 0), ("d", 0)]
    ]

    chosen = [(hit.document_id, hit.position) for hit in worth_reading(ordered)]

    assert chosen == [("a", 0), ("a", 1), ("b", 0), ("c", 0)]
    assert len(chosen) == SECTIONS


def test_the_section_that_answers_the_question_word_by_word_comes_first(
    corpus: IndexSearcher, model: ByToken
) -> None:
    assert search(corpus, "is a card insured", model)[0].document_id == "cards"
    assert search(corpus, "is a parcel insured", model)[0].document_id == "parcels"


def test_another_section_of_the_document_that_fits_as_well_is_quoted_under_its_heading(
    tmp_path: Path, model: ByToken
) -> None:
    text = "# By road\n\nA parcel takes two days.\n\n# By air\n\nA parcel takes one day.\n\n# Cards\n\nNo."
    documents = [("parcels", "Parcels", text), *DOCUMENTS[1:]]

    found = search(searcher(tmp_path, documents, model), "how long takes a parcel", model)[0]

    assert found.excerpt in {
        "A parcel takes two days.\n\n**By air**\n\nA parcel takes one day.",
        "A parcel takes one day.\n\n**By road**\n\nA parcel takes two days.",
    }


def test_a_section_that_fits_less_is_not_quoted(corpus: IndexSearcher, model: ByToken) -> None:
    assert search(corpus, "is a card insured", model)[0].excerpt.count("\n\n") == 0
