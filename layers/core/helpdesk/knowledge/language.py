"""The languages of documents and questions: recognizing one, and reducing its words to their stems.

Most scripts name a language. In Latin letters it is the one whose stop words are most frequent in a text, so no data of
our own is needed, and a few sentences are enough. Stop words and stemmers are those of the search library.
"""

import re
from collections.abc import Iterable
from functools import cache

import tantivy

from helpdesk.knowledge.stopwords import STOP_WORDS
from helpdesk.search import scripts
from helpdesk.search.terms import terms_of

ENGLISH = "en"
_WITH_STOP_WORDS = {
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
_WITH_STEMS = _WITH_STOP_WORDS | {"ar": "arabic", "el": "greek", "ta": "tamil"}
"""The names that the search library gives to languages, by their code (ISO 639-1)."""

LANGUAGES = tuple(dict.fromkeys([*_WITH_STEMS, *scripts.LANGUAGES]))
"""The languages that are recognized."""

READ_CHARACTERS = 4_000
"""What is read of a text to recognize its language."""

LEAST_SHARE = 0.15
"""The least share of stop words in a text whose language is recognized. Lists and code have fewer."""

FOREIGN_LEAD = 3
"""How many times as many stop words a question in a language of no document has, as for those of the documents."""

# Parts of addresses, paths and names in code are stop words elsewhere: "io" in Italian, "de" in Spanish.
_ADDRESS = re.compile(r"[!-~]{1,500}[./@_][0-9A-Za-z_][!-~]{0,2000}")


def terms(text: str, language: str = ENGLISH) -> list[str]:
    """Return the terms of a text, reduced to the stems of a language, in no order."""
    found = terms_of(text)
    return _stemmer(language).analyze(" ".join(found)) if language in _WITH_STEMS else found


def stem(term: str, language: str) -> str:
    """Return the stem of one term in a language."""
    return _stemmer(language).analyze(term)[0] if language in _WITH_STEMS else term


def is_stop_word(word: str, language: str) -> bool:
    """Return whether a word says nothing about a subject in a language."""
    return language in _WITH_STOP_WORDS and not _without_stop_words(language).analyze(word)


def language_of(text: str, among: Iterable[str] | None = None) -> str:
    """Return the language of a text, English if it is not clear.

    The languages of the documents, `among`, are the likely ones for a question: another one must be clearer.
    """
    start = _ADDRESS.sub(" ", text[:READ_CHARACTERS])
    if (of_script := scripts.language_of_script(start)) is not None:
        return of_script
    words = _words().analyze(start)
    counts = {
        language: len(words) - len(_without_stop_words(language).analyze(start))
        for language in _WITH_STOP_WORDS
    }
    counts[ENGLISH] = sum(word in STOP_WORDS for word in words)  # the library's list has no "how" and "my"
    likely = [ENGLISH, *(language for language in among or counts if language in counts)]
    best, other = (max(found, key=lambda language: counts[language]) for found in (likely, counts))
    found = other if counts[other] >= FOREIGN_LEAD * counts[best] else best
    return found if counts[found] >= max(1, LEAST_SHARE * len(words)) else ENGLISH


@cache
def _stemmer(language: str) -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    return builder.filter(tantivy.Filter.stemmer(_WITH_STEMS[language])).build()


@cache
def _words() -> tantivy.TextAnalyzer:
    return tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.lowercase()).build()


@cache
def _without_stop_words(language: str) -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    # With accents: the lists have them.
    for step in (tantivy.Filter.lowercase(), tantivy.Filter.stopword(_WITH_STOP_WORDS[language])):
        builder = builder.filter(step)
    return builder.build()
