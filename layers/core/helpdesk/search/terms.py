"""The terms of a text: what documents, the help site, the agent, suggestions and the inbox are searched by.

A term is a word without case and accents, in any script. What has signs inside it, such as `ERR_CONN_RESET`, `4.8`,
`example.com` or `C++`, is a term as a whole and a term for each of its parts. The whole is written without hyphens and
underscores, so that `e-mail` and `email` are one word. An e-mail address is found by its domain after the `@`, too.

Scripts without spaces between words (and Hangul, whose words carry endings) are cut into pairs of characters, so that a
word is found anywhere in a text. The last character of such a run is a term of its own too, so that each character
begins a term. A word of Hebrew or Arabic is also a term without the article, "and" or "in" that is written as one with
it.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache

from helpdesk.platform.record import Record

SHORTEST_WORD = 2
"""In characters. In a script without spaces one is enough, because it may be a word."""

LONGEST_WORD = 60  # characters; longer words are cut
MOST_WORDS = 12
"""The most words of a search; the rest is ignored."""

# Letters without a decomposition, forms of one letter in Arabic, digits that Arabic and Persian use, and signs.
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th"}
    | {"ة": "ه", "ى": "ي", "ی": "ي", "ک": "ك", "ٱ": "ا", "־": "-", "‐": "-", "’": "'"}
    | dict.fromkeys("‘“”–—•→", " ")
    | {chr(first + digit): str(digit) for first in (0x660, 0x6F0) for digit in range(10)}
)
# A word with anything beside ASCII. Most texts have few, and folding is slow.
_OTHER_WORDS = re.compile(r"(?<![!-~])[!-~]*+[^\x00-\x7f]\S*")
# Accents (that of й makes it another letter), the optional vowel signs of Hebrew and Arabic (those of other scripts are
# letters), and invisible characters: soft hyphens, joiners, variants of emoji.
_MARKS = re.compile(
    "[\u00ad\u200b-\u200f\u2060\ufe00-\ufe0f\ufeff\u0300-\u0305\u0307-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5"
    "\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]|(?<!\u0438)\u0306"
)
# What Hebrew and Arabic write as one with the next word: "and", "that", "the", "in", "to", "from", "as".
_ATTACHED = re.compile(
    "(?:[\u05d5\u05e9]*[\u05d4\u05d1\u05dc\u05de\u05db]?(?=[\u05d0-\u05ea]{3})"
    "|(?:[\u0648\u0641]?(?:[\u0628\u0643]?\u0627\u0644|\u0644\u0644)|\u0648)(?=[\u0621-\u064a]{3}))"
)
_ALPHANUMERIC = "[a-z0-9]"
# With the vowel signs of Indic scripts and Tibetan, which are no letters to Python.
_ANY_ALPHANUMERIC = r"(?:[^\W_]++|[\u0900-\u0963\u0971-\u0dff\u0f18-\u0fbc])"


class Word(Record):
    """A word of a text by its terms: a text that has `whole`, or each of `parts`, has the word.

    A run in a script without spaces has no term as a whole, and most words have no parts. An e-mail address and a
    number such as `4.8` are only found whole.
    """

    whole: str | None
    parts: tuple[str, ...] = ()


class Sought(Record):
    """A word to search for. With `prefix`, its term as a whole, or else that of its last part, is a prefix."""

    word: Word
    prefix: bool


class _Patterns(Record):
    """What a text is read by: single words, and words that have signs inside, before or after them."""

    word: re.Pattern[str]
    compound: re.Pattern[str]
    any: re.Pattern[str]


def folded(text: str) -> str:
    """Return a text without case, accents and compatibility forms."""
    if text.isascii():
        return text.lower()
    return _OTHER_WORDS.sub(lambda found: _folded(found[0]), text).lower()


def _folded(text: str) -> str:
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return unicodedata.normalize("NFKC", _MARKS.sub("", apart).translate(_LETTERS)).casefold()


def terms_of(text: str) -> list[str]:
    """Return the terms of a text, with repetitions and in no order."""
    plain = _separated(folded(text))
    patterns = _patterns(plain.isascii())
    words = patterns.word.findall(plain)
    if plain.isascii():
        found = [word[:LONGEST_WORD] for word in words]
    else:
        found = [term for word in words for term in _terms_of_word(word)]
    signed = " ".join(word for word in plain.split() if not word.isalpha())
    for compound in patterns.compound.findall(signed):
        found.append(_whole(compound))
        local, at, domain = compound.partition("@")
        if local and at:
            found.append(f"@{domain}"[:LONGEST_WORD])
    return found


def _terms_of_word(word: str) -> tuple[str, ...]:
    """Return the terms of a single word, or of a run in a script without spaces."""
    if not word.isascii() and _unspaced().match(word):
        return (*_pairs(word), word[-1])
    return (word[:LONGEST_WORD], *(() if word.isascii() else _without_attached(word)))


def words_of(text: str) -> Iterator[Word]:
    """Yield the words of a text, with repetitions and in their order."""
    plain = _separated(folded(text))
    patterns = _patterns(plain.isascii())
    for found in patterns.any.finditer(plain):
        written = found[0]
        parts = patterns.word.findall(written)
        if not written.isascii() and _unspaced().match(written):
            yield Word(None, tuple(_pairs(written))) if len(written) > 1 else Word(written)
        elif [written] == parts:
            yield Word(written[:LONGEST_WORD], _without_attached(written))
        else:
            yield Word(_whole(written), _standing_for(written, parts))


def sought(text: str, *, prefixes: bool = False) -> list[Sought]:
    """Return the words of a search, each once: the last one as a prefix, or all of them with `prefixes`.

    Never raises, whatever the text.
    """
    words = [word for word in words_of(text) if not _says_nothing(word)]
    return [
        Sought(word, prefix=prefixes or word == words[-1] or is_one_character(word))
        for word in list(dict.fromkeys(words))[:MOST_WORDS]
    ]


def is_one_character(word: Word) -> bool:
    """Return whether a word is a single character of a script without spaces, with which longer words begin."""
    return word.whole is not None and len(word.whole) == 1 and _unspaced().match(word.whole) is not None


def _says_nothing(word: Word) -> bool:
    return word.whole is not None and len(word.whole) < SHORTEST_WORD and not is_one_character(word)


def _without_attached(word: str) -> tuple[str, ...]:
    """Return a word of Hebrew or Arabic without what is attached before it, if anything is."""
    attached = _ATTACHED.match(word)
    return (word[attached.end() :][:LONGEST_WORD],) if attached and attached.end() else ()


def _standing_for(compound: str, parts: Sequence[str]) -> tuple[str, ...]:
    """Return the parts that stand for a compound: none of one letter, and none that is left alone by that."""
    if "@" in compound or all(map(str.isdigit, parts)):
        return ()
    long = tuple(part[:LONGEST_WORD] for part in parts if len(part) >= SHORTEST_WORD)
    return long if len(long) == len(parts) or len(long) > 1 else ()


def _whole(compound: str) -> str:
    return re.sub(r"(?<=[^\W_])[-_](?=[^\W_])", "", compound)[:LONGEST_WORD]


def _separated(plain: str) -> str:
    """Return a folded text with spaces where a script without spaces begins or ends."""
    return plain if plain.isascii() else _unspaced().sub(r" \g<0> ", plain)


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]


@cache
def _patterns(is_ascii: bool) -> _Patterns:  # noqa: FBT001 - the cache's key
    one = _ALPHANUMERIC if is_ascii else _ANY_ALPHANUMERIC
    ends = r"(?:\+\+|\#(?!\w))"
    # Begins only where a word begins and never backtracks, so that a long run is read once. A text of no more than
    # signs has no end of them: three may stand between two parts.
    word, joined = f"{one}++", rf"(?:[-._/\\:@+&]{{1,3}}(?={one}){one}++{ends}?)"
    begins = r"(?<![\w.@+])"
    compound = rf"{begins}(?:[.@]{word}{ends}?{joined}*+|{word}(?:{ends}{joined}*+|{joined}++))"
    return _Patterns(re.compile(word), re.compile(compound), re.compile(f"{compound}|{word}"))


@cache
def _unspaced() -> re.Pattern[str]:
    """Return the pattern of Han with its extensions, Kana, Bopomofo, Hangul, Thai, Lao, Khmer and Myanmar.

    It is compiled at the first use: that takes longer than the rest of this package's import.
    """
    return re.compile(
        "[\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e80-\u0eff\u1000-\u1049\u1050-\u109d\u1100-\u11ff\u1780-\u17d3\u17d7"
        "\u17dc-\u17ff\u3005-\u3007\u3041-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u318e\u31a0-\u31bf\u31f0-\u31ff"
        "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]+"
    )
