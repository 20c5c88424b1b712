"""When two titles are the same, and how a title is stored."""

import pytest

from helpdesk.platform.errors import InvalidRequest
from helpdesk.signals import titles


@pytest.mark.parametrize(
    "other",
    ["dark mode", "  DARK   Mode ", "ＤＡＲＫ　ＭＯＤＥ", "Dark\u00a0mode", "Dark\u200b mode", "DarkMode"],
)
def test_case_width_and_spaces_do_not_make_another_title(other: str) -> None:
    assert titles.key_of(other) == titles.key_of("Dark mode")


@pytest.mark.parametrize("other", ["Dark modes", "Dark-mode", "Därk mode", ""])
def test_other_letters_and_signs_make_another_title(other: str) -> None:
    assert titles.key_of(other) != titles.key_of("Dark mode")


def test_the_folded_form_of_a_folded_title_is_the_same() -> None:
    for title in ("ẞtraße", "ﬁle", "İstanbul", "ǆ", "\u1fb7", "Å"):
        assert titles.folded(titles.folded(title)) == titles.folded(title)


def test_a_title_is_stored_on_one_line_without_hidden_characters() -> None:
    assert titles.stored("  Dark\n mode\u202e  ") == "Dark mode"
    assert titles.stored("\u200b \u3164") == ""
    assert len(titles.stored("a" * 200)) == 200
    with pytest.raises(InvalidRequest, match="`title` must be at most 200 characters"):
        titles.stored("a" * 201)


def test_a_survivor_keeps_each_title_once_and_at_most_100_of_them() -> None:
    assert titles.joined("Dark mode", ["Night"], ["dark MODE", "night", "Black"]) == ("Night", "Black")
    many = [f"Title {number}" for number in range(120)]
    assert titles.joined("Dark mode", ["Night"], many) == ("Night", *many[:99])
