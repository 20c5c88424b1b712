"""Splits text into the tokens of BERT's uncased vocabulary, as all-MiniLM-L6-v2 takes them.

The `tokenizers` package does the same. It requires a client of a model hub, twelve packages with 30 MB in all, and this
is one page. tests/unit/embeddings compares the two. Names of special tokens in a text, such as `[SEP]`, are plain text
here: nobody's message can end a sequence.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

CLS, SEP, UNKNOWN = "[CLS]", "[SEP]", "[UNK]"
MAX_WORD_CHARACTERS = 100
"""A longer word is one unknown token."""

_VOCABULARY = Path(__file__).with_name("vocabulary.txt")
_ASCII_WORD = re.compile(r"[0-9a-z]+|[!-/:-@\[-`{-~]")
_ASCII_CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127])
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


@cache
def vocabulary() -> dict[str, int]:
    """Return the number of each token."""
    return {
        token: number for number, token in enumerate(_VOCABULARY.read_text(encoding="utf-8").splitlines())
    }


def encode(text: str, limit: int) -> list[int]:
    """Return the token numbers of a text, with those that begin and end a sequence; `limit` counts all of them."""
    known = vocabulary()
    numbers = [known[CLS]]
    # A token has at least one character, and most of a text may be space; so the cut is far behind the limit.
    for word in _words(text):
        numbers += _pieces(word)
        if len(numbers) >= limit:
            break
    return [*numbers[: limit - 1], known[SEP]]


def _words(text: str) -> Iterator[str]:
    if text.isascii():
        yield from _ASCII_WORD.findall(text.translate(_ASCII_CONTROLS).lower())
        return
    word = ""
    for character in _normalized(text):
        if character == " " or _is_punctuation(character):
            if word:
                yield word
            word = ""
            if character != " ":
                yield character
        else:
            word += character
    if word:
        yield word


def _normalized(text: str) -> str:
    """Return a text without control characters, accents and capitals, with spaces around ideographs."""
    kept: list[str] = []
    for character in text:
        if character in "\t\n\r" or character.isspace():
            kept.append(" ")
        elif character == "\ufffd" or unicodedata.category(character)[0] == "C":
            continue
        elif _is_ideograph(character):
            kept += (" ", character, " ")
        else:
            kept.append(character)
    decomposed = unicodedata.normalize("NFD", "".join(kept))
    return "".join(c for c in decomposed if unicodedata.category(c) != "Mn").lower()


def _is_ideograph(character: str) -> bool:
    code = ord(character)
    return code >= _IDEOGRAPHS[1][0] and any(first <= code <= last for first, last in _IDEOGRAPHS)


def _is_punctuation(character: str) -> bool:
    if character.isascii():
        return not character.isalnum()
    return unicodedata.category(character)[0] == "P"


@lru_cache(maxsize=20_000)
def _pieces(word: str) -> tuple[int, ...]:
    """Return the longest tokens that make up a word, from its beginning."""
    known = vocabulary()
    if len(word) > MAX_WORD_CHARACTERS:
        return (known[UNKNOWN],)
    found: list[int] = []
    start = 0
    while start < len(word):
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            number = known.get(prefix + word[start:end])
            if number is not None:
                break
        else:
            return (known[UNKNOWN],)
        found.append(number)
        start = end
    return tuple(found)
