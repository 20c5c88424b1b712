"""The pages' own words, by language: `texts/<language>.json`. A sentence that a language lacks is shown in English.

Babel would add 30 MB for ninety sentences, two plural forms and one date format.
"""

import json
import re
from collections.abc import Mapping
from datetime import date
from functools import cache
from pathlib import Path

from helpdesk.visitor_texts.languages import DEFAULT_LANGUAGE, Language

FOLDER = Path(__file__).with_name("texts")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
# In these, nothing is counted as one thing is: "0 article".
_NONE_IS_SINGULAR = frozenset({"fr", "pt"})


class Texts:
    """The words in one language: `t["home.search"]`, and with values `t("article.answered", count=3)`."""

    def __init__(self, language: Language, words: Mapping[str, str]) -> None:
        self._language = language
        self._words = words

    def __getitem__(self, name: str) -> str:
        return self._words[name]

    def __call__(self, name: str, **values: object) -> str:
        """Return a sentence with its placeholders filled. The template escapes it, the values with it."""
        return self._filled(self._words[name], values)

    def around(self, name: str, placeholder: str, **values: object) -> tuple[str, str]:
        """Return what a sentence has before and after one of its placeholders.

        A template shows what someone wrote between them as an element of its own (`<bdi>`): in another direction of
        writing it would take punctuation and numbers of the sentence along.
        """
        before, _, after = self._words[name].partition(f"{{{placeholder}}}")
        return self._filled(before, values), self._filled(after, values)

    @staticmethod
    def _filled(text: str, values: Mapping[str, object]) -> str:
        return _PLACEHOLDER.sub(lambda found: str(values[found[1]]), text)

    def count(self, name: str, count: int) -> str:
        """Return a number of things: `<name>.one` or `<name>.count`, with `{count}` filled."""
        is_one = count == 1 or (count == 0 and self._language in _NONE_IS_SINGULAR)
        return self(f"{name}.one" if is_one else f"{name}.count", count=count)

    def date(self, day: date) -> str:
        """Return a day as people of the language write it: 3 October 2026, 3. Oktober 2026."""
        months = self("months").split()
        return self("date", day=day.day, month=months[day.month - 1], year=day.year)


@cache
def texts_in(language: Language) -> Texts:
    """Return the words in a language."""
    return Texts(language, {**_words(DEFAULT_LANGUAGE), **_words(language)})


@cache
def _words(language: Language) -> Mapping[str, str]:
    path = FOLDER / f"{language}.json"
    found: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found
