"""Accents of any colour are readable (WCAG 2.2, 1.4.3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.site.colours import BLACK, WHITE, Colour, contrast, parse, readable, text_on

COLOURS = st.builds(Colour, *[st.integers(0, 255)] * 3)
LIGHT = [Colour(251, 250, 247), Colour(240, 238, 232)]
DARK = [Colour(23, 22, 20), Colour(40, 38, 35)]


@pytest.mark.parametrize(
    ("text", "colour"),
    [
        ("#0a7c66", Colour(10, 124, 102)),
        ("#0A7C66", Colour(10, 124, 102)),
        ("#fa0", Colour(255, 170, 0)),
        ("0a7c66", None),
        ("#0a7c6", None),
        ("#0a7c6680", None),
        ("#0a7c66\n", None),
        ("#０a7c66", None),
        ("teal", None),
        ("", None),
    ],
)
def test_a_colour_has_three_or_six_digits(text: str, colour: Colour | None) -> None:
    assert parse(text) == colour


# From the tables of published contrast checkers.
@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("#000", "#fff", 21.0),
        ("#777", "#fff", 4.48),
        ("#f00", "#fff", 4.0),
        ("#00f", "#fff", 8.59),
        ("#123456", "#123456", 1),
    ],
)
def test_contrast_is_that_of_wcag(one: str, other: str, ratio: float) -> None:
    first, second = parse(one), parse(other)
    assert first
    assert second
    assert contrast(first, second) == pytest.approx(ratio, abs=0.005)
    assert contrast(second, first) == contrast(first, second)


@given(COLOURS)
def test_text_on_any_accent_is_readable(accent: Colour) -> None:
    assert contrast(text_on(accent), accent) >= 4.5


@given(COLOURS, st.sampled_from([LIGHT, DARK]))
def test_an_accent_becomes_readable_on_every_background(accent: Colour, backgrounds: list[Colour]) -> None:
    text = readable(accent, backgrounds)
    assert all(contrast(text, background) >= 4.5 for background in backgrounds)


@given(COLOURS, st.sampled_from([LIGHT, DARK]))
def test_an_accent_that_is_readable_stays_as_it_is(accent: Colour, backgrounds: list[Colour]) -> None:
    text = readable(accent, backgrounds)
    assert readable(text, backgrounds) == text
    assert (text == accent) == all(contrast(accent, background) >= 4.5 for background in backgrounds)


def test_white_becomes_a_grey_on_paper_and_stays_white_in_the_dark() -> None:
    assert contrast(readable(WHITE, LIGHT), LIGHT[1]) == pytest.approx(4.5, abs=0.1)
    assert readable(WHITE, DARK) == WHITE
    assert readable(BLACK, LIGHT) == BLACK
