"""Which language a locale or an Accept-Language header asks for."""

import pytest

from helpdesk.visitor_texts.languages import LANGUAGES, known, preferred


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("de", "de"),
        ("de-AT", "de"),
        ("pt_BR", "pt"),
        ("DE-ch", "de"),
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("pl,en;q=0.5,fr;q=0.7", "fr"),
        ("en;q=0.5, de;q=0.5", "en"),
        ("en;q=0, nl;q=0.1", "nl"),
        ("fr;q=high, es;q=0.1", "es"),
        ("fr;q=nan, it", "it"),
        ("fr;q=7, it;q=0.2", "it"),
        ("*", None),
        ("pl-PL,pl", None),
        ("", None),
        (None, None),
        ("deutsch", None),
    ],
)
def test_the_best_known_language_is_chosen(accepted: str | None, language: str | None) -> None:
    assert preferred(accepted) == language


def test_a_very_long_header_is_read_only_at_its_beginning() -> None:
    assert preferred("xx," * 100_000 + "de") is None


def test_the_seven_languages_are_those_in_which_the_agent_hears_intents() -> None:
    assert LANGUAGES == ("en", "de", "fr", "es", "it", "pt", "nl")


@pytest.mark.parametrize("value", ["xx", "EN", "", None, 7, ["en"]])
def test_anything_else_is_no_language(value: object) -> None:
    assert known(value) is None
