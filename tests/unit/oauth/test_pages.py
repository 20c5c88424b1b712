"""The pages' style and templates: colours that can be read, and escaping in one place."""

import ast
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.oauth.html import Markup, fill
from helpdesk.oauth.style import STYLE
from tests.support.template import ROOT

_SCHEMES = [dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6})", part)) for part in STYLE.split("@media", 2)[:2]]
# What stands on what, and the least contrast: 4.5 for text, 3 for the edge of a field (WCAG 2.2, 1.4.3 and 1.4.11).
PAIRS = [
    ("ink", "card", 4.5),
    ("ink", "page", 4.5),
    ("ink", "wash", 4.5),
    ("soft", "card", 4.5),
    ("soft", "page", 4.5),
    ("soft", "wash", 4.5),
    ("accent", "card", 4.5),
    ("on-accent", "accent", 4.5),
    ("on-accent", "press", 4.5),
    ("bad", "bad-wash", 4.5),
    ("warn", "warn-wash", 4.5),
    ("field", "card", 3.0),
    ("bad", "card", 3.0),
]


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("above", "below", "least"), PAIRS)
def test_what_is_written_can_be_read(scheme: int, above: str, below: str, least: float) -> None:
    colours = _SCHEMES[scheme]
    one, other = sorted((luminance(colours[above]), luminance(colours[below])))

    assert (other + 0.05) / (one + 0.05) >= least


def test_the_two_schemes_name_the_same_colours() -> None:
    assert [set(one) == set(other) for one, other in pairwise(_SCHEMES)] == [True]


@given(st.text())
def test_whatever_is_filled_in_is_text(text: str) -> None:
    filled = fill('<p title="{a}">{a}</p>', a=text)

    inside = filled.removeprefix('<p title="').removesuffix("</p>").split('">')
    assert len(inside) == 2
    for part in inside:
        assert not set(part) & set("<>\"'")


def test_markup_stays_as_it_is() -> None:
    assert fill("{a}", a=Markup("<b>")) == "<b>"


def test_markup_is_made_of_no_text_that_came_from_outside() -> None:
    """Markup(...) is called with what stands in the code, or with what came out of fill and joined."""
    for path in (ROOT / "layers/core/helpdesk/oauth").glob("*.py"):
        if path.name == "html.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Markup":
                assert isinstance(node.args[0], ast.Constant), f"{path.name}:{node.lineno}"
