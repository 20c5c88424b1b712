"""The CSS rules that a theme derives from an organization's accent.

The accent is part of the stylesheet's address, so every cache can keep the file and no request reads an item.
"""

from typing import Final

from helpdesk.site import colours
from helpdesk.site.colours import MIN_EDGE_CONTRAST, Colour

LIGHT: Final = (Colour(251, 250, 247), Colour(255, 255, 255), Colour(242, 240, 234))
"""The backgrounds of text in the light scheme: `--paper`, `--raised` and `--wash` of `static/paper/page.css`."""
DARK: Final = (Colour(24, 23, 21), Colour(33, 31, 28), Colour(38, 36, 31))
"""The backgrounds of text in the dark scheme."""


def accent_rules(accent: Colour) -> str:
    """Return the rules of an accent: as it is where it fills, and readable where it is text or an edge."""
    text = (colours.readable(accent, backgrounds) for backgrounds in (LIGHT, DARK))
    edge = (colours.readable(accent, backgrounds, MIN_EDGE_CONTRAST) for backgrounds in (LIGHT, DARK))
    return (
        f"@media screen {{ :root {{ --accent: {accent}; --on-accent: {colours.text_on(accent)}; "
        f"--edge: {_by_scheme(*edge)}; --link: {_by_scheme(*text)}; }} }}\n"
    )


def _by_scheme(light: Colour, dark: Colour) -> str:
    return f"light-dark({light}, {dark})"
