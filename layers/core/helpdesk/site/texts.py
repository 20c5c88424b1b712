"""The pages' own words, by language: `texts/<language>.json`. What a language lacks is shown in English."""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from helpdesk.visitor_texts.languages import DEFAULT_LANGUAGE, Language

FOLDER = Path(__file__).with_name("texts")
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


class Texts:
    """The words in one language: `t["home.search"]`, and with values `t("article.answered", count=3)`."""

    def __init__(self, words: Mapping[str, str]) -> None:
        self._words = words

    def __getitem__(self, name: str) -> str:
        return self._words[name]

    def __call__(self, name: str, **values: object) -> str:
        """Return a sentence with its placeholders filled. The template escapes it, the values with it."""
        return _PLACEHOLDER.sub(lambda found: str(values[found[1]]), self._words[name])


@cache
def texts_in(language: Language) -> Texts:
    """Return the words in a language."""
    return Texts({**_words(DEFAULT_LANGUAGE), **_words(language)})


@cache
def _words(language: Language) -> Mapping[str, str]:
    path = FOLDER / f"{language}.json"
    found: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found
