"""Colours of a help site: an accent of any colour, what it becomes where text must be readable, and its CSS rules.

The accent is part of the stylesheet's address, so every cache can keep the file and no request reads an item.

Contrast is that of WCAG 2.2 (relative luminance, success criteria 1.4.3 and 1.4.11).
"""

import re
from collections.abc import Sequence
from typing import Final

from helpdesk.platform.record import Record

MIN_TEXT_CONTRAST = 4.5
"""The least contrast of text (WCAG 2.2, 1.4.3)."""

MIN_EDGE_CONTRAST = 3.0
"""The least contrast of the edge of a button (WCAG 2.2, 1.4.11)."""

_HEX = re.compile(r"#(?:[0-9a-f]{3}|[0-9a-f]{6})")
_STEPS = 256


class Colour(Record):
    """A colour of the sRGB space; each part is from 0 to 255."""

    red: int
    green: int
    blue: int

    def __str__(self) -> str:
        """Return it as CSS writes it: `#0a7c66`."""
        return f"#{self.red:02x}{self.green:02x}{self.blue:02x}"

    @property
    def luminance(self) -> float:
        """The relative luminance, 0 for black and 1 for white."""
        red, green, blue = (_linear(part / 255) for part in (self.red, self.green, self.blue))
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    def mixed(self, other: "Colour", share: float) -> "Colour":
        """Return the mixture with another colour; `share` is the other's part, from 0 to 1."""
        pairs = zip((self.red, self.green, self.blue), (other.red, other.green, other.blue), strict=True)
        return Colour(*(round(own + (others - own) * share) for own, others in pairs))


BLACK = Colour(0, 0, 0)
WHITE = Colour(255, 255, 255)
LIGHT: Final = (Colour(251, 250, 247), Colour(255, 255, 255), Colour(242, 240, 234))
"""The backgrounds of text in the light scheme: `--paper`, `--raised` and `--wash` of `static/paper/page.css`."""
DARK: Final = (Colour(24, 23, 21), Colour(33, 31, 28), Colour(38, 36, 31))
"""The backgrounds of text in the dark scheme."""


def parse(text: str) -> Colour | None:
    """Return the colour of `#rgb` or `#rrggbb` in either case; None for every other text."""
    text = text.lower()
    if _HEX.fullmatch(text) is None:
        return None
    digits = text[1:] if len(text) == 7 else "".join(digit * 2 for digit in text[1:])
    return Colour(*(int(digits[start : start + 2], 16) for start in (0, 2, 4)))


def contrast(one: Colour, other: Colour) -> float:
    """Return the contrast ratio of two colours, from 1 to 21."""
    darker, lighter = sorted((one.luminance, other.luminance))
    return (lighter + 0.05) / (darker + 0.05)


def text_on(background: Colour) -> Colour:
    """Return white, or black where white is not readable. One of the two always is."""
    return WHITE if contrast(background, WHITE) >= MIN_TEXT_CONTRAST else BLACK


def readable(colour: Colour, backgrounds: Sequence[Colour], least: float = MIN_TEXT_CONTRAST) -> Colour:
    """Return the colour, as much darker or lighter as it needs for a contrast on each background, and no more.

    The backgrounds are of one scheme, all light or all dark, so black or white is readable on each of them.
    """

    def suffices(shade: Colour) -> bool:
        return all(contrast(shade, background) >= least for background in backgrounds)

    towards = max((BLACK, WHITE), key=lambda end: min(contrast(end, each) for each in backgrounds))
    low, high = -1, _STEPS
    while high - low > 1:
        step = (low + high) // 2
        if suffices(colour.mixed(towards, step / _STEPS)):
            high = step
        else:
            low = step
    return colour.mixed(towards, high / _STEPS)


def accent_rules(accent: Colour) -> str:
    """Return the rules of an accent: as it is where it fills, and readable where it is text or an edge."""
    text = (readable(accent, backgrounds) for backgrounds in (LIGHT, DARK))
    edge = (readable(accent, backgrounds, MIN_EDGE_CONTRAST) for backgrounds in (LIGHT, DARK))
    return (
        f"@media screen {{ :root {{ --accent: {accent}; --on-accent: {text_on(accent)}; "
        f"--edge: {_by_scheme(*edge)}; --link: {_by_scheme(*text)}; }} }}\n"
    )


def _by_scheme(light: Colour, dark: Colour) -> str:
    return f"light-dark({light}, {dark})"


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
