"""How well the project's own guides are found, as `make eval` measures it, held to what was reached.

The bounds lie a few questions below the results in docs/evaluation, so that an edit of a guide does not fail for one
question. A failure lists the questions of the tuning half alone: the other half is not for tuning.
"""

import pytest

from scripts.evaluation.measure import Figures, Outcome, ask, figures, indexed_guides
from scripts.evaluation.questions import half, questions


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    with indexed_guides() as guides:
        return ask(guides, questions())


def counted(outcomes: list[Outcome], *, held_out: bool) -> Figures:
    return figures([outcome for outcome in outcomes if outcome.asked.held_out is held_out])


def test_the_tuning_half_is_answered_as_well_as_was_reached(outcomes: list[Outcome]) -> None:
    found = counted(outcomes, held_out=False)
    missed = [
        outcome.asked.text
        for outcome in outcomes
        if not outcome.asked.held_out
        and (outcome.right if outcome.asked.guides else not outcome.answered) is False
    ]

    assert found.share_right >= 0.51, missed
    assert found.share_wrong <= 0.06, missed
    assert found.share_handed_off >= 0.92, missed


def test_the_held_out_half_is_answered_as_well_as_was_reached(outcomes: list[Outcome]) -> None:
    found = counted(outcomes, held_out=True)

    assert found.share_right >= 0.37
    assert found.share_wrong <= 0.07
    assert found.share_handed_off >= 0.88


def test_the_halves_are_large_enough_to_tell_something() -> None:
    for held_out in (False, True):
        asked = half(questions(), held_out=held_out)
        assert sum(bool(question.guides) for question in asked) >= 100
        assert sum(not question.guides for question in asked) >= 50


def test_no_question_stands_in_the_file_twice() -> None:
    texts = [question.text for question in questions()]
    assert len(texts) == len(set(texts))
