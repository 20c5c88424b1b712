"""Trimming and cutting of text."""

import sys
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.text import (
    as_name,
    cut,
    is_blank,
    trimmed,
    valid_name,
    without_hidden,
)

BYTE_ORDER_MARK = "\ufeff"


@pytest.mark.parametrize(
    "space", [" ", "\t", "\n", "\r", "\u00a0", "\u2003", "\u2028", "\u3000", BYTE_ORDER_MARK]
)
def test_surrounding_white_space_is_removed_and_inner_white_space_stays(space: str) -> None:
    assert trimmed(f"{space}{space}a{space}b{space}") == f"a{space}b"


def test_every_character_that_unicode_calls_space_is_trimmed() -> None:
    spaces = [chr(point) for point in range(sys.maxunicode + 1) if chr(point).isspace()]

    assert trimmed("".join(spaces)) == ""


@pytest.mark.parametrize("mark", ["\u200b", "\u200d", "\u2060", "\x00", "\u00ad"])
def test_invisible_characters_other_than_white_space_stay(mark: str) -> None:
    assert trimmed(mark) == mark


def test_alternating_white_space_and_byte_order_marks_are_trimmed_in_linear_time() -> None:
    started = time.perf_counter()

    assert trimmed((BYTE_ORDER_MARK + " ") * 1_000_000) == ""

    assert time.perf_counter() - started < 2


def test_cutting_counts_code_points_and_never_splits_one() -> None:
    assert cut("😀" * 81, 80) == "😀" * 80


def test_cutting_trims_first() -> None:
    assert cut("   abc   ", 2) == "ab"


def test_cutting_leaves_text_within_the_limit_as_it_is() -> None:
    assert cut("abc", 3) == "abc"


@given(st.text(), st.integers(min_value=0, max_value=30))
def test_cut_text_is_a_prefix_of_the_text_without_control_characters(text: str, characters: int) -> None:
    short = cut(text, characters)
    seen = "".join(c for c in text if unicodedata.category(c) != "Cc" or c in "\t\n\v\f\r\x85")

    assert len(short) <= characters
    assert trimmed(seen).startswith(short)
    assert trimmed(trimmed(text)) == trimmed(text)


def test_cutting_removes_control_characters() -> None:
    assert cut("A\x00n\x1bn\x7f\x9f", 10) == "Ann"


# -- what the eye sees

EVERY_CHARACTER = [chr(point) for point in range(sys.maxunicode + 1)]
JOINERS = "\u200c\u200d"
# Prepended_Concatenation_Mark: format characters that are drawn around the digits after them.
DRAWN_FORMATS = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
# Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties.
IGNORABLE = [
    *(0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0x200B, 0x2010)),
    *(*range(0x202A, 0x202F), *range(0x2060, 0x2070), 0x3164, *range(0xFE00, 0xFE10), 0xFEFF, 0xFFA0),
    *(*range(0xFFF0, 0xFFF9), *range(0x1BCA0, 0x1BCA4), *range(0x1D173, 0x1D17B), *range(0xE0000, 0xE1000)),
]

INVISIBLE = {
    "nothing": "",
    "spaces": " \t\n\u00a0\u2003\u3000",
    "a zero-width space": "\u200b",
    "joiners": "\u200c\u200d\u2060",
    "a byte order mark": "\ufeff",
    "control characters": "\x00\x07\x1b\x7f\x85",
    "bidi marks": "\u200e\u200f\u061c\u202e\u202c\u2066\u2069",
    "a soft hyphen": "\u00ad",
    "fillers of Hangul": "\u115f\u1160\u3164\uffa0",
    "tags": "".join(chr(0xE0000 + ord(letter)) for letter in "hidden"),
    "variation selectors": "\ufe0f\ufe0e\U000e0100",
    "combining marks alone": "\u0301\u0308\u20e3",
    "a spacing mark alone": "\u093e",
    "the blank of Braille": "\u2800",
    "a null notehead": "\U0001d159",
    "a blank hieroglyph": "\U00013441",
    "separators of lines": "\u2028\u2029",
    "noncharacters": "\ufffe\uffff\ufdd0\U0010ffff",
    "Mongolian selectors": "\u180b\u180e",
    "unassigned code points that are ignored": "\u2065\ufff0\U000e0fff",
    "a surrogate": "\ud800",
}

VISIBLE = {
    "a letter": "a",
    "a letter of another alphabet": "ك",
    "an ideograph": "字",
    "a syllable of Hangul": "한",
    "a conjoining letter of Hangul": "\u1100",
    "a digit": "7",
    "a full stop": ".",
    "a hyphen": "-",
    "an emoji": "😀",
    "a family of joined emoji": "👩\u200d👧",
    "a heart with its selector": "❤\ufe0f",
    "a keycap": "1\ufe0f\u20e3",
    "a flag": "🇩🇪",
    "a flag of tags": "🏴\U000e0067\U000e0062\U000e007f",
    "a letter with an accent apart": "e\u0301",
    "an accent on its own": "´",
    "a character of private use": "\uf8ff",
    "an emoji of a later version": "\U0001fadf",
    "an Arabic sign of a year": "\u0601",
    "a letter behind invisible ones": "\u200b\u3164 x",
}


@pytest.mark.parametrize("kind", INVISIBLE)
def test_text_without_a_visible_character_is_blank(kind: str) -> None:
    assert is_blank(INVISIBLE[kind])
    assert as_name(INVISIBLE[kind]) == ""


@pytest.mark.parametrize("kind", VISIBLE)
def test_text_with_a_visible_character_is_not_blank(kind: str) -> None:
    assert not is_blank(VISIBLE[kind])
    assert as_name(VISIBLE[kind]) != ""


def test_every_character_that_unicode_ignores_or_keeps_apart_is_invisible() -> None:
    ignorable = set(map(chr, IGNORABLE))
    invisible = [c for c in EVERY_CHARACTER if c in ignorable or unicodedata.category(c)[0] in "ZM"]

    assert [c for c in invisible if not is_blank(c)] == []


def test_no_letter_digit_or_sign_is_invisible_but_the_known_blank_ones() -> None:
    blank = [c for c in EVERY_CHARACTER if unicodedata.category(c)[0] in "LNPS" and is_blank(c)]

    assert blank == list("\u115f\u1160\u2800\u3164\uffa0\U00013441\U00013442\U0001d159")


def test_hidden_characters_are_the_control_format_and_surrogate_characters_of_unicode() -> None:
    hidden = [c for c in EVERY_CHARACTER if without_hidden(c) == ""]
    kept = set(JOINERS + DRAWN_FORMATS)

    assert hidden == [
        c for c in EVERY_CHARACTER if unicodedata.category(c) in {"Cc", "Cf", "Cs"} and c not in kept
    ]


@given(st.text(), st.text())
def test_text_is_blank_exactly_if_all_its_parts_are(one: str, other: str) -> None:
    assert is_blank(one + other) is (is_blank(one) and is_blank(other))


@given(st.text(st.characters() | st.sampled_from("\n\r\u2028\u202e\u200b\x00 a")), st.integers(1, 30))
def test_a_name_is_one_trimmed_line_without_hidden_characters(text: str, characters: int) -> None:
    name = as_name(text, characters)

    assert len(name) <= characters
    assert len(name.splitlines()) <= 1
    assert name == trimmed(name) == without_hidden(name) == as_name(name, characters)
    assert name == "" or not is_blank(name)


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("  Ann  Lee ", "Ann  Lee"),
        ("Ann\r\nLee", "Ann Lee"),
        ("Ann\u2028Lee", "Ann Lee"),
        ("\u202egpj.exe", "gpj.exe"),
        ("An\x00n\x1b\u200e", "Ann"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200d👧", "👩\u200d👧"),
        ("\u3164", ""),
    ],
)
def test_a_name_loses_line_breaks_and_hidden_characters_and_keeps_joiners(written: str, stored: str) -> None:
    assert as_name(written) == stored


@pytest.mark.parametrize("name", ["", " \n", "\u3164", "\u200b\u2800", "a" * 81])
def test_a_name_to_validate_needs_a_visible_character_and_a_length(name: str) -> None:
    with pytest.raises(InvalidRequest, match="1 to 80 characters and not blank"):
        valid_name(name, 80)


@pytest.mark.parametrize("unit", ["\u200b", "\u202ea", " \n", "\u3164", "a\u0301"])
def test_long_text_is_judged_in_linear_time(unit: str) -> None:
    started = time.perf_counter()

    as_name(unit * 500_000)

    assert time.perf_counter() - started < 3
