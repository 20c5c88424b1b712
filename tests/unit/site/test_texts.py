"""The pages' own words: every one in every language."""

import json
import re
from datetime import date

import pytest

from helpdesk.site import texts
from helpdesk.site.rendering import TEMPLATES
from helpdesk.visitor_texts.languages import LANGUAGES, Language


def words(language: Language) -> dict[str, str]:
    found: dict[str, str] = json.loads((texts.FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_every_word_and_no_other(language: Language) -> None:
    assert list(words(language)) == list(words("en"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_word_has_the_placeholders_of_the_english_one(language: Language) -> None:
    for name, english in words("en").items():
        expected = sorted(re.findall(r"\{\w*\}", english))
        assert sorted(re.findall(r"\{\w*\}", words(language)[name])) == expected, name


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_word_is_one_line_without_markup(language: Language) -> None:
    for name, text in words(language).items():
        assert text == " ".join(text.split(" ")).strip(), name
        assert not re.search(r"[<>&\n\u200b\u00ad]", text), name
        assert text, name


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != "en"])
def test_a_language_is_not_english(language: Language) -> None:
    same = [name for name, text in words(language).items() if text == words("en")[name]]
    assert len(same) <= 8, same


def test_every_word_that_a_template_names_is_there() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in TEMPLATES.rglob("*.html"))
    named = set(re.findall(r"""\bt(?:\.around)?[\[(]["']([\w.]+)["'](?:\]|\)|,)""", source))
    counted = {
        f"{name}.{end}"
        for name in re.findall(r"""\bt\.count\("([\w.]+)""", source)
        for end in ("one", "count")
    }
    for name, placeholder in re.findall(r't\.around\("([\w.]+)", "(\w+)"', source):
        assert words("en")[name].count(f"{{{placeholder}}}") == 1, name
    assert len(named) >= 10
    assert named | counted <= set(words("en"))


# Written by hand: numbers and days as people of each language write them.
@pytest.mark.parametrize(
    ("language", "day"),
    [
        ("en", "3 October 2026"),
        ("de", "3. Oktober 2026"),
        ("fr", "3 octobre 2026"),
        ("es", "3 de octubre de 2026"),
        ("it", "3 ottobre 2026"),
        ("pt", "3 de outubro de 2026"),
        ("nl", "3 oktober 2026"),
    ],
)
def test_a_day_is_written_as_in_the_language(language: Language, day: str) -> None:
    assert texts.texts_in(language).date(date(2026, 10, 3)) == day
    assert len(texts.texts_in(language)["months"].split()) == 12


def test_what_a_language_lacks_is_english_and_a_value_is_no_placeholder() -> None:
    some = texts.Texts("de", {"a.one": "{count} Ding", "a.count": "{count} Dinge"})
    assert [some.count("a", n) for n in (0, 1, 2)] == ["0 Dinge", "1 Ding", "2 Dinge"]
    assert texts.Texts("fr", {"a.one": "{count} x", "a.count": "{count} xs"}).count("a", 0) == "0 x"
    assert texts.Texts("en", {"s": "for {q}"})("s", q="{count}") == "for {count}"
    assert texts.Texts("en", {"s": "{n} for {q}."}).around("s", "q", n=2) == ("2 for ", ".")
