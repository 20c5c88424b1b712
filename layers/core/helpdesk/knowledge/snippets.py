"""Excerpts for lists of results: plain text around the words that were found, which are marked."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from helpdesk.knowledge import language
from helpdesk.knowledge.search_words import SearchWord
from helpdesk.platform.record import Record
from helpdesk.platform.text import first_words
from helpdesk.search.terms import folded, words_of
from helpdesk_files import reading

MAX_CHARACTERS = 240
_BEFORE = 60
"""Characters before the first word that was found."""

_MOST_COMPARED = 50
"""Of the places where words were found."""

# A word with the signs inside it, and a word by itself.
_PIECE = re.compile(r"[.@]?\w(?:\S*[\w+#])?")
_RUN = re.compile(r"\w+")


class Piece(Record):
    """A part of an excerpt, and whether it is a word that was found."""

    text: str
    is_found: bool = False


def marked(markdown: str, words: Sequence[SearchWord], spoken: str) -> list[Piece]:
    """Return what readers see of Markdown in a language, cut where most of the words are, with these marked."""
    text = reading.plain_text(markdown)
    found = list(_found(text, words, spoken))
    start, end = _window(text, [(at, word) for at, _, word in found])
    pieces = [Piece("…")] if start else []
    at = start
    for first, last, _ in found:
        if start <= first and last <= end:
            pieces += [Piece(text[at:first]), Piece(text[first:last], is_found=True)]
            at = last
    pieces.append(Piece(text[at:end]))
    if end < len(text):
        pieces.append(Piece(" …" if text[end - 1] in ".!?" else "…"))
    return [piece for piece in pieces if piece.text]


def _found(text: str, words: Sequence[SearchWord], spoken: str) -> Iterator[tuple[int, int, int]]:
    """Yield where words are found, and which one it is in each place."""
    runs = {number: run for number, word in enumerate(words) if (run := word.run)}
    for piece in _PIECE.finditer(text):
        found = _number(piece[0], words, spoken)
        if found is not None:
            yield piece.start(), piece.end(), found
            continue
        places = [*_places(piece[0], runs)] if runs else []
        for part in _RUN.finditer(piece[0]) if not places else ():
            found = _number(part[0], words, spoken)
            if found is not None:
                places.append((part.start(), part.end(), found))
        yield from ((piece.start() + first, piece.start() + last, number) for first, last, number in places)


def _number(written: str, words: Sequence[SearchWord], spoken: str) -> int | None:
    """Return which word a part of a text is, if it is one word and one of them."""
    terms, forms = _forms(written, spoken)
    for number, word in enumerate(words) if terms else ():
        begins = word.beginning is not None and any(term.startswith(word.beginning) for term in terms)
        if begins or not forms.isdisjoint(word.forms):
            return number
    return None


def _places(piece: str, runs: Mapping[int, str]) -> Iterator[tuple[int, int, int]]:
    """Yield where the words of scripts without spaces are in a part of a text, without overlap."""
    plain = folded(piece)
    if len(plain) == len(piece):
        pattern = "|".join(f"(?P<_{number}>{re.escape(run)})" for number, run in runs.items())
        for found in re.finditer(pattern, plain):
            yield found.start(), found.end(), int(str(found.lastgroup)[1:])


@lru_cache(maxsize=20_000)
def _forms(written: str, spoken: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the term of a part of a text as a whole, and the forms by which it is found; none if it is no word."""
    words = list(words_of(written))
    if len(words) != 1 or words[0].whole is None:
        return (), frozenset()
    whole = words[0].whole
    return (whole,), frozenset((whole, language.stem(whole, spoken)))


def _window(text: str, found: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return where the excerpt begins and ends: with as many words as fit, the earliest of such places."""
    if len(text) <= MAX_CHARACTERS:
        return 0, len(text)

    def words_from(at: int) -> int:
        return len({word for place, word in found if at <= place < at + MAX_CHARACTERS - _BEFORE})

    best = max((at for at, _ in found[:_MOST_COMPARED]), key=lambda at: (words_from(at), -at), default=0)
    start = 0
    if best > MAX_CHARACTERS - _BEFORE:
        start = max(text.rfind(" ", 0, best - _BEFORE) + 1, best - 2 * _BEFORE)
    return start, start + len(first_words(text[start:], MAX_CHARACTERS))
