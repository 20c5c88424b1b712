"""Scoring and fusing, over a corpus of a few sections and plain words."""

import math
import re
from collections.abc import Mapping, Sequence
from copy import replace

import pytest

from helpdesk.knowledge import thesaurus
from helpdesk.knowledge.features import Features
from helpdesk.knowledge.index import Hit
from helpdesk.knowledge.retrieval import CONFIDENT, fuse, search
from helpdesk.knowledge.scoring import confidence
from helpdesk.knowledge.terms import Term, terms_of, wanted


class Words:
    """A corpus whose terms are the words themselves. It ranks sections by the words that they have."""

    def __init__(self, *sections: tuple[str, str, str]) -> None:
        self.hits = [Hit(f"doc_{n}", *section, None, 0, 0.0) for n, section in enumerate(sections)]

    @property
    def sections(self) -> int:
        return len(self.hits)

    def terms(self, text: str) -> list[str]:
        return re.findall(r"\w+", text.lower())

    def frequency(self, term: str) -> int:
        return sum(term in self._held(hit) for hit in self.hits)

    def synonyms(self, term: str) -> frozenset[str]:
        return thesaurus.by_term(self.terms).get(term, frozenset())

    def terms_with_prefix(self, prefix: str) -> list[str]:
        return sorted({term for hit in self.hits for term in self._held(hit) if term.startswith(prefix)})

    def search(self, words: Sequence[Mapping[str, float]], limit: int) -> list[Hit]:
        found = [
            replace(hit, score=sum(max(t.get(w, 0) * self._idf(w) for w in self._held(hit)) for t in words))
            for hit in self.hits
        ]
        return sorted((hit for hit in found if hit.score), key=lambda hit: -hit.score)[:limit]

    def _idf(self, term: str) -> float:
        n = self.frequency(term)
        return math.log(1 + (self.sections - n + 0.5) / (n + 0.5))

    def _held(self, hit: Hit) -> set[str]:
        return set(self.terms(f"{hit.title} {hit.heading} {hit.text}"))


SHOP = Words(
    (
        "Orders",
        "Where is my parcel?",
        "Follow your parcel with the number in the e-mail. It travels by road.",
    ),
    ("Orders", "Cancel an order", "You may cancel an order until it is packed."),
    ("Money", "How long does a refund take?", "Five working days, then the amount is on your card."),
    ("Money", "Cards", "We take cards of every kind. A card is charged when the order is packed."),
    ("Account", "Change your password", "Open the settings. Choose a new password. Confirm it by e-mail."),
    ("Account", "Close your account", "Write to us. We close it within a week, and erase what we know."),
)


def best(question: str) -> tuple[str, float]:
    found = search(SHOP, question)
    return (found[0].heading, found[0].score) if found else ("", 0.0)


@pytest.mark.parametrize(
    ("question", "heading"),
    [
        ("Where is my parcel?", "Where is my parcel?"),
        ("how can i cancel the order", "Cancel an order"),
        ("How long does the refund take please?", "How long does a refund take?"),
        ("change password", "Change your password"),
    ],
)
def test_the_subject_of_a_section_is_found_with_confidence(question: str, heading: str) -> None:
    found, score = best(question)
    assert found == heading
    assert score >= CONFIDENT


@pytest.mark.parametrize(
    "question",
    [
        "Do you sell umbrellas in Lisbon?",
        "Can I pay with bitcoin?",
        "Where is the password of my router kept by Linksys?",
        "zebra",
    ],
)
def test_a_subject_of_no_section_is_not_found_with_confidence(question: str) -> None:
    assert best(question)[1] < CONFIDENT


@pytest.mark.parametrize("question", ["", "   ", "how do I do it?", "can you please help me", "???"])
def test_a_question_without_a_subject_finds_nothing(question: str) -> None:
    assert search(SHOP, question) == []


def test_scores_are_shares_and_the_best_comes_first() -> None:
    scores = [passage.score for passage in search(SHOP, "cancel order card password account")]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_each_word_that_no_section_has_lowers_the_score() -> None:
    assert best("cancel order")[1] > best("cancel order umbrella")[1] > best("cancel order umbrella zebra")[1]


def test_a_synonym_counts_less_than_the_word() -> None:
    exact, similar = best("close account, erase")[1], best("close account, delete")[1]
    assert exact > similar >= CONFIDENT


def test_words_in_one_sentence_count_more_than_words_apart() -> None:
    together = Words(("T", "H", "Alpha meets beta. Gamma is here. Delta too."), ("T", "X", "other"))
    apart = Words(("T", "H", "Alpha is here. Gamma is here. Beta too."), ("T", "X", "other"))
    assert search(together, "alpha beta")[0].score > search(apart, "alpha beta")[0].score


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    weights = {term.text: term.weight for term in terms_of(SHOP, "packed parcel")}
    assert weights["parcel"] > weights["packed"]


def test_a_word_asked_twice_counts_once() -> None:
    assert [term.text for term in terms_of(SHOP, "parcel, parcel, PARCEL")] == ["parcel"]


def test_rankings_are_fused_by_reciprocal_rank() -> None:
    a, b, c = SHOP.hits[:3]
    fused = fuse([[a, b, c], [c, b]])
    assert fused == [c, b, a]


def test_a_second_ranker_adds_sections_that_words_do_not_find() -> None:
    def by_meaning(corpus: object, question: str, terms: Sequence[Term], limit: int, /) -> list[Hit]:
        return [SHOP.hits[5]]

    found = search(
        SHOP, "parcel", rankers=(lambda corpus, _, terms, limit: corpus.search([], limit), by_meaning)
    )
    assert [passage.heading for passage in found] == ["Close your account"]


@pytest.mark.parametrize("typo", ["parcal", "parcl", "parrcel", "pacrel", "parcels"])
def test_a_word_with_one_typing_error_is_found(typo: str) -> None:
    heading, score = best(f"where is my {typo}")
    assert heading == "Where is my parcel?"
    assert score < best("where is my parcel")[1]


@pytest.mark.parametrize("other", ["parole", "card5", "pars"])
def test_a_word_that_differs_by_more_is_not_found(other: str) -> None:
    assert best(other) == ("", 0.0)


def test_a_word_and_its_synonyms_count_once() -> None:
    one, both = Words(("T", "H", "Erase it.")), Words(("T", "H", "Erase, remove, delete, wipe it."))
    asked = terms_of(both, "delete")
    assert both.search(wanted(both, asked), 1)[0].score == pytest.approx(
        one.search(wanted(one, terms_of(one, "erase")), 1)[0].score, rel=0.3
    )


def test_the_section_with_the_name_of_a_code_comes_first() -> None:
    codes = Words(
        ("Codes", "Too long", "The code text_too_long means: shorten it."),
        ("Codes", "Too short", "The code text_too_short means: write more, it is too short and not long."),
    )
    assert search(codes, "what does text_too_long mean")[0].heading == "Too long"


def test_an_abbreviation_is_written_out() -> None:
    assert [term.text for term in terms_of(SHOP, "the dlq")] == ["dead", "letter", "queue"]


FITTING = Features(
    sentence=0.5,
    asked=0.5,
    document=1.0,
    names=0.0,
    exact=0.6,
    exact_sentence=0.5,
    near=0.5,
    held=0.6,
    missing=0.3,
    unknown=0.0,
)


def test_a_lead_over_other_documents_raises_confidence() -> None:
    assert confidence(FITTING, 4, 2.0) > confidence(FITTING, 4, 0.0)


def test_held_terms_raise_confidence_and_missing_or_unknown_terms_lower_it() -> None:
    assert confidence(replace(FITTING, held=0.9), 4, 0.0) > confidence(FITTING, 4, 0.0)
    assert confidence(replace(FITTING, missing=0.6), 4, 0.0) < confidence(FITTING, 4, 0.0)
    assert confidence(replace(FITTING, unknown=0.5), 4, 0.0) < confidence(FITTING, 4, 0.0)
