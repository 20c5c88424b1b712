"""Scoring and fusing, over a corpus of a few sections and plain words."""

import re
from collections.abc import Sequence

import pytest

from helpdesk.knowledge.index import Hit
from helpdesk.knowledge.retrieval import CONFIDENT, Term, fuse, search, terms_of


class Words:
    """A corpus whose terms are the words themselves; it ranks by how many of them a section has."""

    def __init__(self, *sections: tuple[str, str, str]) -> None:
        self.hits = [Hit(f"doc_{n}", *section, None, 0, 0.0) for n, section in enumerate(sections)]

    @property
    def sections(self) -> int:
        return len(self.hits)

    def terms(self, text: str) -> list[str]:
        return re.findall(r"\w+", text.lower())

    def frequency(self, term: str) -> int:
        return sum(term in self._held(hit) for hit in self.hits)

    def search(self, weighted_terms: Sequence[tuple[str, float]], limit: int) -> list[Hit]:
        wanted = {term for term, _ in weighted_terms}
        found = [hit for hit in self.hits if wanted & self._held(hit)]
        return sorted(found, key=lambda hit: -len(wanted & self._held(hit)))[:limit]

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
def test_what_a_section_is_about_is_found_with_confidence(question: str, heading: str) -> None:
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
def test_what_no_section_is_about_is_not(question: str) -> None:
    assert best(question)[1] < CONFIDENT


@pytest.mark.parametrize("question", ["", "   ", "how do I do it?", "can you please help me", "???"])
def test_a_question_about_nothing_finds_nothing(question: str) -> None:
    assert search(SHOP, question) == []


def test_scores_are_shares_and_the_best_comes_first() -> None:
    scores = [passage.score for passage in search(SHOP, "cancel order card password account")]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)


def test_more_words_of_no_section_lower_the_score() -> None:
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
    assert [hit for hit, _ in fused] == [c, b, a]
    assert fused[0][1] == 1.0
    assert fused[2][1] == pytest.approx((1 / 61) / (1 / 63 + 1 / 61))


def test_a_second_ranker_brings_in_what_words_do_not_find() -> None:
    def by_meaning(corpus: object, question: str, terms: Sequence[Term], limit: int, /) -> list[Hit]:
        return [SHOP.hits[5]]

    found = search(
        SHOP, "parcel", rankers=(lambda corpus, _, terms, limit: corpus.search([], limit), by_meaning)
    )
    assert [passage.heading for passage in found] == ["Close your account"]
