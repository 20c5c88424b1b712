"""Which searches are for the question of a suggestion."""

import pytest

from helpdesk.suggestions import service as compared

QUESTION = "How do I export my contacts?"


@pytest.mark.parametrize(
    ("search", "is_for_it"),
    [
        ("export contacts", True),
        ("Exporting my contact", True),
        ("contacts", False),
        ("export contractors", False),
        ("exportation contacts", False),
        ("export contacts csv", False),
        ("export 2025 contacts", False),
        ("how do i", False),
        ("", False),
    ],
)
def test_a_search_is_for_a_question_that_has_all_of_its_words(search: str, is_for_it: bool) -> None:
    assert compared.looks_for(compared.words_of(search), compared.words_of(QUESTION)) is is_for_it


def test_a_single_word_must_be_the_whole_question() -> None:
    assert compared.looks_for(compared.words_of("refunds"), compared.words_of("Refund?"))
