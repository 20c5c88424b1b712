"""The results of `make eval` on the project's own guides stay as good as they are.

The bounds are a few questions below the results in docs/evaluation, so that an edit of a guide does not fail because of
one question. A failure lists tuning questions only: the held-out ones must not be used for tuning.

The guides' headings no longer repeat visitors' words, so the results are lower than those in decisions 31, 32 and 43
(held-out: 81 % right, 6 % wrong, 93 % handed off), until retrieval depends less on exact words. Raise the bounds then.
"""

import pytest

from scripts.evaluation.measure import GUIDES, Outcome, ask, figures, indexed_guides
from scripts.evaluation.questions import held_out, tuning


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    with indexed_guides() as guides:
        return ask(guides, [*tuning(), *held_out()])


@pytest.mark.parametrize(
    ("kind", "right", "wrong", "handed_off"),
    [
        ("as-customers-ask", 0.61, 0.15, 0.90),
        ("as-customers-ask-later", 0.52, 0.09, 0.88),
        ("fact-by-fact", 0.53, 0.21, 0.86),
        ("newer-guides", 0.49, 0.14, 0.63),
        ("in-other-words", 0.40, 0.11, 0.89),
        ("in-the-words-of-the-product", 0.65, 0.14, 0.64),
        ("tuned-before", 0.69, 0.17, 0.88),
    ],
)
def test_tuning_questions_are_answered_as_well_as_before(
    outcomes: list[Outcome], kind: str, right: float, wrong: float, handed_off: float
) -> None:
    of_kind = [outcome for outcome in outcomes if outcome.asked.kind == kind]
    found = figures(of_kind)
    missed = [
        outcome.asked.text
        for outcome in of_kind
        if (outcome.right if outcome.asked.guides else not outcome.answered) is False
    ]

    assert found.share_right >= right, missed
    assert found.share_wrong <= wrong, missed
    assert found.share_handed_off >= handed_off, missed


@pytest.mark.skipif(not held_out(), reason="there is no docs/evaluation/held_out.json")
def test_held_out_questions_are_answered_as_well_as_before(
    outcomes: list[Outcome],
) -> None:
    found = figures([outcome for outcome in outcomes if outcome.asked.kind == "held-out"])

    assert found.share_right >= 0.54
    assert found.share_wrong <= 0.12
    assert found.share_handed_off >= 0.91


def test_there_are_enough_questions_for_meaningful_shares() -> None:
    asked = tuning()
    assert sum(bool(question.guides) for question in asked) >= 500
    assert sum(not question.guides for question in asked) >= 200


def test_no_question_occurs_twice() -> None:
    texts = [question.text.casefold() for question in [*tuning(), *held_out()]]
    assert len(texts) == len(set(texts))


def test_every_guide_that_a_question_names_exists() -> None:
    named = {guide for question in [*tuning(), *held_out()] for guide in question.guides}
    assert named <= {path.name for path in GUIDES.glob("*.md")}
