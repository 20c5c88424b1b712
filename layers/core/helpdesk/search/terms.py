"""The terms of a text in the search index: its words without case and accents, in any script.

Scripts without spaces between words (and Hangul, whose words carry endings) are cut into pairs of characters, so that a
word is found anywhere in a text. The last character of such a run is a term of its own too, so that each character
begins a term. An e-mail address is found by its words, as a whole, and by its domain after the `@`.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from helpdesk.platform.record import Record

SHORTEST_WORD = 2
"""In characters. In a script without spaces one is enough, because it may be a word."""

LONGEST_WORD = 60  # characters; longer words are cut
MOST_WORDS = 12
"""The most words of a search; the rest is ignored."""

_PLAIN = re.compile(r"[a-z0-9]+")
# Starts only at the beginning of a run and never backtracks, so that a long run without an @ is read once.
_ADDRESS = re.compile(r"(?<![\w.+%'-])(?:[\w.+%'-]++@[\w-]+(?:\.[\w-]+)*|@[\w-]+(?:\.[\w-]+)+)")
# Letters without a decomposition.
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th"}
)
# Accents, the optional vowel signs of Hebrew and Arabic (those of other scripts are letters), and invisible characters:
# soft hyphens, joiners, variants of emoji.
_MARKS = re.compile(
    "[\u00ad\u200b-\u200f\u2060\ufe00-\ufe0f\ufeff"
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]"
)


class Word(Record):
    """A word to search for: the terms that a match has together. With `prefix`, the last term is a prefix."""

    terms: tuple[str, ...]
    prefix: bool


def folded(text: str) -> str:
    """Return a text without case, accents and compatibility forms."""
    if text.isascii():
        return text.lower()
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return unicodedata.normalize("NFKC", _MARKS.sub("", apart).translate(_LETTERS)).casefold()


def terms_of(text: str) -> list[str]:
    """Return the terms of a text, each once."""
    plain = folded(text)
    found: dict[str, None] = {}
    for run in _runs(plain):
        if _unspaced().fullmatch(run):
            found.update(dict.fromkeys([*_pairs(run), run[-1]]))
        elif len(run) >= SHORTEST_WORD:
            found[run[:LONGEST_WORD]] = None
    for address in _ADDRESS.findall(plain):
        local, _, domain = _trimmed(address).partition("@")
        found[f"@{domain}"[:LONGEST_WORD]] = None
        if local:
            found[f"{local}@{domain}"[:LONGEST_WORD]] = None
    return list(found)


def words_of(text: str, *, prefixes: bool = False) -> list[Word]:
    """Return the words of a search, each once: the last one as a prefix, or all of them with `prefixes`.

    Never raises, whatever the text.
    """
    plain = folded(text)
    found: dict[tuple[str, ...], None] = {}
    last: tuple[str, ...] = ()
    at = 0
    for address in _ADDRESS.finditer(plain):
        for terms in (*_sought(plain[at : address.start()]), (_trimmed(address[0])[:LONGEST_WORD],)):
            found[terms] = None
            last = terms
        at = address.end()
    for terms in _sought(plain[at:]):
        found[terms] = None
        last = terms
    return [
        Word(terms, prefix=prefixes or terms == last or (len(terms) == 1 and len(terms[0]) == 1))
        for terms in list(found)[:MOST_WORDS]
    ]


def _sought(plain: str) -> Iterator[tuple[str, ...]]:
    for run in _runs(plain):
        if _unspaced().fullmatch(run):
            yield tuple(_pairs(run)) or (run,)
        elif len(run) >= SHORTEST_WORD:
            yield (run[:LONGEST_WORD],)


@cache
def _unspaced() -> re.Pattern[str]:
    """Return the pattern of Han with its extensions, Kana, Bopomofo, Hangul, Thai, Lao, Khmer and Myanmar.

    It is compiled at the first use: that takes longer than the rest of this package's import.
    """
    return re.compile(
        "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u318f\u31a0-\u31bf\u31f0-\u31ff"
        "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]+"
    )


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]


def _trimmed(address: str) -> str:
    return address.strip(".'%+-")


def _runs(plain: str) -> Iterator[str]:
    """Yield the runs of letters, digits and marks, split where a script without spaces begins or ends."""
    if plain.isascii():
        yield from _PLAIN.findall(plain)
        return
    only_words = "".join(
        character if unicodedata.category(character)[0] in "LNM" else " " for character in plain
    )
    for word in only_words.split():
        at = 0
        for unspaced in _unspaced().finditer(word):
            if unspaced.start() > at:
                yield word[at : unspaced.start()]
            yield unspaced[0]
            at = unspaced.end()
        if at < len(word):
            yield word[at:]
