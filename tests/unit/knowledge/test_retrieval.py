"""Choosing and scoring passages, over a few sections: by words alone, and with vectors that a test decides."""

from collections.abc import Sequence
from copy import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpdesk.knowledge import scoring
from helpdesk.knowledge.index import IndexSearcher
from helpdesk.knowledge.retrieval import CONFIDENT, Passage, search
from helpdesk.knowledge.scoring import Background, Evidence, confidence, order
from helpdesk.knowledge.terms import Term, coverage, terms_of
from helpdesk.search.embeddings.embedder import EmbeddingFailed, Vectors
from tests.support.corpus import searcher


class ByWord:
    """A model whose vectors are the subjects that a text names, given by their words."""

    model_id = "by-word"
    kind = "by-word"
    calibrated = True
    languages: frozenset[str] | None = None
    multilingual: "ByWord | None" = None

    def __init__(self, *subjects: Sequence[str], fails: bool = False) -> None:
        self._subjects = subjects
        self._fails = fails

    def passages(self, texts: Sequence[str]) -> Vectors:
        return np.stack([self._vector(text, [0.05, 0.0]) for text in texts])

    def question(self, text: str) -> Vectors:
        if self._fails:
            raise EmbeddingFailed
        return self._vector(text, [0.0, 0.05])

    def _vector(self, text: str, nothing: list[float]) -> Vectors:
        """Return a vector by the subjects; a question and a section that name none are not alike."""
        named = [float(any(word in text.lower() for word in words)) for words in self._subjects]
        found = np.array([*nothing, *named], dtype=np.float32)
        scaled: Vectors = found / np.linalg.norm(found)
        return scaled


class NoModel(ByWord):
    """A model that knows no language."""

    languages = frozenset[str]()


class EnglishAlone(ByWord):
    """A model of English, with another one for other languages."""

    languages = frozenset({"en"})
    multilingual = ByWord(("parcel", "Paket"), ("password", "Passwort"), ("refund", "Erstattung"))


DOCUMENTS = [
    (
        "orders",
        "Orders",
        (
            "# Where is my parcel?\n\nFollow your parcel with the number in the e-mail. It travels by road.\n\n"
            "# Cancel an order\n\nYou may cancel an order until it is packed."
        ),
    ),
    (
        "money",
        "Money",
        (
            "# How long does a refund take?\n\nFive working days, then the amount is on your card.\n\n"
            "# Cards\n\nWe take cards of every kind. A card is charged when the order is packed."
        ),
    ),
    (
        "account",
        "Account",
        (
            "# Change your password\n\nOpen the settings. Choose a new password. Confirm it by e-mail.\n\n"
            "# Close your account\n\nWrite to us. We close it within a week, and erase what we know."
        ),
    ),
]
MODEL = ByWord(("parcel", "package"), ("cancel", "revoke"), ("refund", "money back"), ("password", "login"))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> IndexSearcher:
    return searcher(tmp_path_factory.mktemp("corpus"), DOCUMENTS, MODEL)


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> IndexSearcher:
    return searcher(tmp_path_factory.mktemp("words"), DOCUMENTS, NoModel())


def best(corpus: IndexSearcher, question: str, model: ByWord = MODEL) -> Passage:
    return search(corpus, question, model)[0]


@pytest.mark.parametrize(
    ("question", "heading"),
    [
        ("Where is my parcel?", "Where is my parcel?"),
        ("how can i cancel the order", "Cancel an order"),
        ("How long does the refund take please?", "How long does a refund take?"),
        ("change password", "Change your password"),
    ],
)
def test_the_subject_of_a_section_is_found_with_confidence(
    corpus: IndexSearcher, words: IndexSearcher, question: str, heading: str
) -> None:
    with_vectors, by_words = best(corpus, question), best(words, question, NoModel())

    assert [with_vectors.heading, by_words.heading] == [heading, heading]
    assert with_vectors.score >= CONFIDENT
    assert by_words.score >= CONFIDENT


@pytest.mark.parametrize(
    "question",
    [
        "Do you sell umbrellas in Lisbon?",
        "Can I pay with bitcoin?",
        "Where is the router kept by Linksys?",
        "zebra",
    ],
)
def test_a_subject_of_no_section_is_not_found_with_confidence(
    corpus: IndexSearcher, words: IndexSearcher, question: str
) -> None:
    found = [*search(corpus, question, MODEL), *search(words, question, NoModel())]

    assert all(passage.score < CONFIDENT for passage in found)


@pytest.mark.parametrize("question", ["", "   ", "how do I do it?", "can you please help me", "???"])
def test_a_question_without_a_subject_finds_nothing(corpus: IndexSearcher, question: str) -> None:
    assert search(corpus, question, MODEL) == []


def test_a_question_in_another_language_is_compared_by_the_multilingual_model(tmp_path: Path) -> None:
    model = EnglishAlone(("parcel", "package"))
    corpus = searcher(tmp_path, DOCUMENTS, model)

    assert best(corpus, "Wo ist mein Paket und wann kommt es?", model).heading == "Where is my parcel?"
    assert best(corpus, "Where's the package?", model).heading == "Where is my parcel?"


def test_a_section_is_found_by_its_meaning_in_other_words(
    corpus: IndexSearcher, words: IndexSearcher
) -> None:
    assert best(corpus, "when is my money back").heading == "How long does a refund take?"
    assert best(corpus, "package gone").heading == "Where is my parcel?"
    assert search(words, "package gone", NoModel()) == []


def test_scores_are_shares_and_the_best_comes_first(corpus: IndexSearcher) -> None:
    scores = [passage.score for passage in search(corpus, "cancel order card password account", MODEL)]

    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_each_passage_is_of_another_document(corpus: IndexSearcher) -> None:
    found = [passage.document_id for passage in search(corpus, "order card packed cancel", MODEL)]

    assert len(found) == len(set(found))


def test_another_section_of_the_document_that_fits_as_well_is_quoted_under_its_heading(
    tmp_path: Path,
) -> None:
    text = "# By road\n\nA parcel takes two days.\n\n# By air\n\nA parcel takes one day.\n\n# Cards\n\nNo."
    documents = [("parcels", "Parcels", text), *DOCUMENTS[1:]]

    found = best(searcher(tmp_path, documents, MODEL), "how long does a parcel take")

    assert {(found.heading, found.more)} <= {
        ("By road", "**By air**\n\nA parcel takes one day."),
        ("By air", "**By road**\n\nA parcel takes two days."),
    }


def test_a_section_that_fits_less_is_not_quoted_with_the_best_one(corpus: IndexSearcher) -> None:
    assert best(corpus, "change password").more == ""


def test_while_the_model_does_not_answer_words_alone_are_compared(corpus: IndexSearcher) -> None:
    found = best(corpus, "change my password", ByWord(fails=True))

    assert found.heading == "Change your password"
    assert found.score >= CONFIDENT


def test_documents_that_are_left_out_are_not_found(corpus: IndexSearcher) -> None:
    found = search(corpus.without({"orders"}), "cancel parcel order", MODEL)

    assert "orders" not in {passage.document_id for passage in found}
    assert best(corpus, "cancel parcel order").document_id == "orders"


def test_a_passage_names_the_version_of_its_document(corpus: IndexSearcher) -> None:
    assert best(corpus, "change password").version == 1


def test_a_rare_word_weighs_more_than_a_common_one(corpus: IndexSearcher) -> None:
    weights = {term.text: term.weight for term in terms_of(corpus, "packed refund", "en")}
    assert weights["refund"] > weights["pack"]


def test_a_word_asked_twice_counts_once(corpus: IndexSearcher) -> None:
    assert [term.text for term in terms_of(corpus, "parcel, parcel, PARCEL", "en")] == ["parcel"]


@pytest.mark.parametrize("typo", ["parcal", "parcl", "parrcel", "pacrel"])
def test_a_word_with_one_typing_error_is_found(words: IndexSearcher, typo: str) -> None:
    assert best(words, f"where is my {typo}", NoModel()).heading == "Where is my parcel?"


@pytest.mark.parametrize("other", ["parole", "card5", "pars"])
def test_a_word_that_differs_by_more_is_not_found(words: IndexSearcher, other: str) -> None:
    assert search(words, other, NoModel()) == []


@pytest.mark.parametrize(
    "detail", ["#4711", "4711", "on Monday", "last week", "on 3 November 2026", "20391-B", "yesterday"]
)
def test_a_number_or_a_day_of_the_visitors_case_does_not_sink_a_question(
    corpus: IndexSearcher, detail: str
) -> None:
    found = best(corpus, f"where is my parcel {detail}")

    assert found.heading == "Where is my parcel?"
    assert found.score >= 0.95


def test_an_unknown_word_lowers_the_score_less_than_a_known_one_that_is_missing(
    corpus: IndexSearcher,
) -> None:
    held = {"parcel"}
    unknown, missing = terms_of(corpus, "parcel Vienna", "en"), terms_of(corpus, "parcel password", "en")

    assert 1 > coverage(unknown, held) > coverage(missing, held) > 0


def test_how_much_asks_for_a_cost(words: IndexSearcher) -> None:
    assert [term.text for term in terms_of(words, "how much is a parcel", "en")] == ["charg", "parcel"]
    assert [term.text for term in terms_of(words, "how much traffic has a parcel", "en")] == [
        "traffic",
        "parcel",
    ]


def test_the_section_with_the_name_of_a_code_comes_first(tmp_path: Path) -> None:
    codes = [
        ("long", "Codes", "# Too long\n\nThe code text_too_long means: shorten it."),
        ("short", "Codes", "# Too short\n\nThe code text_too_short means: write more, it is too short."),
    ]

    found = best(searcher(tmp_path, codes, NoModel()), "what does text_too_long mean", NoModel())

    assert found.heading == "Too long"


def test_an_abbreviation_is_written_out(corpus: IndexSearcher) -> None:
    assert [term.text for term in terms_of(corpus, "the db", "en")] == ["databas"]


def test_coverage_is_the_share_of_the_questions_weight() -> None:
    terms = [Term("a", {"a": 1.0}, 3.0), Term("b", {"b": 1.0, "c": 0.5}, 1.0)]

    assert [coverage(terms, held) for held in ({"a"}, {"c"}, {"a", "b"}, set[str]())] == [
        0.75,
        0.125,
        1.0,
        0.0,
    ]
    assert coverage([], {"a"}) == 0.0


EVIDENCE = Evidence(similarity=0.5, standing=4.0, document=0.4, words=0.8, coverage=0.6, terms=4, lead=0.05)


@pytest.mark.parametrize("more", [{"standing": 5.0}, {"coverage": 0.9}, {"lead": 0.2}, {"terms": 6}])
def test_each_kind_of_evidence_raises_confidence(more: dict[str, Any]) -> None:
    assert confidence(replace(EVIDENCE, **more)) > confidence(EVIDENCE)


@pytest.mark.parametrize("more", [{"coverage": 0.9}, {"lead": 0.2}, {"terms": 6}])
def test_each_kind_of_evidence_raises_confidence_by_words_alone(more: dict[str, Any]) -> None:
    words_alone = replace(EVIDENCE, similarity=None, standing=0.0)

    assert confidence(replace(words_alone, **more)) > confidence(words_alone)


@pytest.mark.parametrize("more", [{"similarity": 0.6}, {"document": 0.5}, {"words": 0.9}])
def test_each_ranker_moves_a_section_up(more: dict[str, Any]) -> None:
    assert order(replace(EVIDENCE, **more)) > order(EVIDENCE)


def test_a_similarity_stands_out_from_those_of_all_sections() -> None:
    alike = Background.of(np.full(4_000, 0.4, dtype=np.float32))
    unlike = Background.of(np.full(4_000, 0.0, dtype=np.float32))

    assert unlike.standing(0.5) > alike.standing(0.5) > 0 > alike.standing(0.2)


def test_a_few_sections_are_compared_with_the_usual_ones() -> None:
    few = Background.of(np.full(5, 0.6, dtype=np.float32))

    assert few.mean == pytest.approx(scoring.USUAL_SIMILARITY, abs=0.01)
    assert few.spread == pytest.approx(scoring.USUAL_SPREAD, abs=0.01)
    assert few.standing(0.6) > 5


def test_similarities_of_another_model_are_put_on_the_calibrated_scale() -> None:
    others = np.array([0.71, 0.75, 0.79], dtype=np.float32)

    found = scoring.on_calibrated_scale(others)

    assert found.mean() == pytest.approx(scoring.USUAL_SIMILARITY)
    assert found.std() == pytest.approx(scoring.USUAL_SPREAD)
    assert list(np.argsort(found)) == [0, 1, 2]
    assert list(scoring.on_calibrated_scale(np.ones(2, dtype=np.float32))) == pytest.approx([0.08, 0.08])
