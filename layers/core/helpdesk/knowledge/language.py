"""The languages of documents: recognizing one, and reducing its words to their stems.

Every language has the stemmer and the stop words of the search library. A text's language is the one whose stop words
are most frequent in it, so no data of our own is needed, and a few sentences are enough.
"""

import re
from collections.abc import Iterable
from functools import cache

import tantivy

ENGLISH = "en"
LANGUAGES = {
    ENGLISH: "english",
    "da": "danish",
    "de": "german",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ru": "russian",
    "sv": "swedish",
}
"""The languages by their code (ISO 639-1), with the names that the search library gives them: those with stop words."""

READ_CHARACTERS = 4_000
"""What is read of a text to recognize its language."""

LEAST_SHARE = 0.15
"""The least share of stop words in a text whose language is recognized. Lists and code have fewer."""

_MAX_TOKEN_BYTES = 60
_ADDRESS = re.compile(r"\S{1,500}[./@_]\w\S{0,2000}")
"""Addresses, paths and names in code. Their parts are stop words elsewhere: "io" in Italian, "de" in Spanish."""


@cache
def analyzer(language: str = ENGLISH) -> tantivy.TextAnalyzer:
    """Return what turns text into terms: words without case and accents, reduced to the language's stem."""
    return _analyzer(tantivy.Filter.stemmer(LANGUAGES[language]))


def terms(text: str, language: str = ENGLISH) -> list[str]:
    """Return the terms of a text, in order."""
    return list(analyzer(language).analyze(text))


def is_stop_word(word: str, language: str) -> bool:
    """Return whether a word says nothing about a subject in a language."""
    return not _without_stop_words(language).analyze(word)


def language_of(text: str, among: Iterable[str] = LANGUAGES) -> str:
    """Return the language of a text, English if it is not clear.

    The languages to choose from matter for a short question: those of the documents are the likely ones.
    """
    candidates = sorted(among, key=lambda language: language != ENGLISH)
    if candidates in ([], [ENGLISH]):
        return ENGLISH
    start = _ADDRESS.sub(" ", text[:READ_CHARACTERS])
    total = len(_plain().analyze(start)) or 1
    shares = {
        language: 1 - len(_without_stop_words(language).analyze(start)) / total for language in candidates
    }
    best = max(shares, key=lambda language: shares[language])
    return best if shares[best] >= LEAST_SHARE else ENGLISH


def _analyzer(*last: tantivy.Filter) -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    first = (tantivy.Filter.remove_long(_MAX_TOKEN_BYTES), tantivy.Filter.lowercase())
    for step in (*first, tantivy.Filter.ascii_fold(), *last):
        builder = builder.filter(step)
    return builder.build()


@cache
def _plain() -> tantivy.TextAnalyzer:
    return _analyzer()


@cache
def _without_stop_words(language: str) -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    # Before accents are removed: the lists have them.
    for step in (tantivy.Filter.lowercase(), tantivy.Filter.stopword(LANGUAGES[language])):
        builder = builder.filter(step)
    return builder.build()
