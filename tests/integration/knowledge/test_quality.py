"""The results of `make eval` on the project's own guides stay as good as they are.

The bounds are a few questions below the results, in the long form those in docs/evaluation, so that an edit of a guide
does not fail because of one question. Nothing was tuned with these questions: confidence was fitted to those about
other products (docs/decisions/0127). A failure lists questions that were not held out.

The vectors of all guides take half a minute of the processor. `make test` has the guides that most questions are about,
and what is asked about them or about none; `make test-all` has all of them.
"""

import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from helpdesk.knowledge.language import ENGLISH, language_of
from scripts.evaluation.corpus import RememberingModel, indexed
from scripts.evaluation.measure import Figures, Outcome, ask, figures
from scripts.evaluation.questions import GUIDES, Asked, held_out, own
from tests.support import effort

# Written by people who had seen neither the code nor the other questions. The others look for edges on purpose.
INDEPENDENT = {"as-customers-ask", "as-customers-ask-later"}
# How many questions a guide answers at least: 8 guides have so many, and all 62 have the other number.
ASKED_ABOUT = effort.of(20, 0)


def guides_and_questions() -> tuple[set[str], list[Asked]]:
    """Return the guides' names, and the questions that they answer or that no guide does."""
    asked = [*(question for question in own() if question.kind in INDEPENDENT), *held_out()]
    counted = Counter(guide for question in asked for guide in question.documents)
    guides = {path.name for path in GUIDES.glob("*.md") if counted[path.name] >= ASKED_ABOUT}
    here = [
        replace(question, documents=tuple(guide for guide in question.documents if guide in guides))
        for question in asked
    ]
    return guides, [
        question
        for question, everywhere in zip(here, asked, strict=True)
        if question.documents or not everywhere.documents
    ]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Outcome]]:
    guides, asked = guides_and_questions()
    folder = tmp_path_factory.mktemp("guides")
    for name in guides:
        shutil.copy(GUIDES / name, folder)
    model = RememberingModel()
    with pytest.MonkeyPatch.context() as patched:
        # Questions and guides are English, so the multilingual model's vectors, which take as long, would not be read.
        patched.setattr(RememberingModel, "multilingual", None)
        with indexed(folder, model) as index:
            assert {language_of(question.text, index.languages) for question in asked} == {ENGLISH}
            yield ask(index, asked, model)
    model.keep()


def at_least(
    found: Figures,
    missed: list[str],
    *,
    right: float,
    precise: float,
    handed_off: float,
    first: float,
    five: float,
) -> None:
    """Require shares: of right answers, of the answers that are right, and of right documents that are found."""
    assert found.right >= right * found.answerable, missed
    assert found.right >= precise * (found.right + found.wrong), missed
    assert found.share_handed_off >= handed_off
    assert found.first >= first * found.answerable
    assert found.among_five >= five * found.answerable


def of(outcomes: list[Outcome], kinds: set[str]) -> Figures:
    return figures([outcome for outcome in outcomes if outcome.asked.kind in kinds])


def test_independent_questions_are_answered_as_well_as_before(outcomes: list[Outcome]) -> None:
    found = of(outcomes, INDEPENDENT)
    missed = [
        o.asked.text for o in outcomes if o.asked.kind in INDEPENDENT and o.asked.documents and not o.right
    ]

    if effort.whole():  # of 166 questions, 79 are right, the right guide is first for 113, among five for 157
        at_least(found, missed, right=0.47, precise=0.90, handed_off=0.86, first=0.67, five=0.94)
    else:  # of 81 about 8 guides, 41 are right, the right guide is first for 68, among five for all
        at_least(found, missed, right=0.48, precise=0.91, handed_off=0.86, first=0.80, five=0.97)


@pytest.mark.skipif(not held_out(), reason="there is no docs/evaluation/held_out.json")
def test_held_out_questions_are_answered_as_well_as_before(outcomes: list[Outcome]) -> None:
    found = of(outcomes, {"held-out"})

    if (
        effort.whole()
    ):  # of 128 questions, 62 are right, the right guide is first for 90; 35 of 40 are handed off
        at_least(found, [], right=0.46, precise=0.92, handed_off=0.87, first=0.67, five=0.92)
    else:  # of 71 about 8 guides, 40 are right, the right guide is first for 58; 36 of 39 are handed off
        at_least(found, [], right=0.53, precise=0.94, handed_off=0.87, first=0.78, five=0.97)


def test_there_are_enough_questions_for_meaningful_shares() -> None:
    asked = own()
    assert sum(bool(question.documents) for question in asked) >= 500
    assert sum(not question.documents for question in asked) >= 200


def test_no_question_occurs_twice() -> None:
    texts = [question.text.casefold() for question in [*own(), *held_out()]]
    assert len(texts) == len(set(texts))


def test_every_guide_that_a_question_names_exists() -> None:
    named = {guide for question in [*own(), *held_out()] for guide in question.documents}
    assert named <= {path.name for path in GUIDES.glob("*.md")}
