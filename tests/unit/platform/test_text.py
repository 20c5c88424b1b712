"""Trimming and cutting of text."""

import sys
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.platform.text import cut, trimmed

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
