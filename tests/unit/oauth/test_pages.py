"""The pages' style and templates: readable colours, and escaping that nothing switches off."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError
from markupsafe import Markup

from helpdesk.accounts.oauth.pages import TEMPLATES, environment, style
from tests.support.template import ROOT

_SCHEMES = [
    dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6})", part)) for part in style().split("@media", 2)[:2]
]
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
def test_text_has_enough_contrast(scheme: int, above: str, below: str, least: float) -> None:
    colours = _SCHEMES[scheme]
    one, other = sorted((luminance(colours[above]), luminance(colours[below])))

    assert (other + 0.05) / (one + 0.05) >= least


def test_both_colour_schemes_define_the_same_colours() -> None:
    assert [set(one) == set(other) for one, other in pairwise(_SCHEMES)] == [True]


@given(st.text())
def test_any_text_that_is_filled_in_stays_text(text: str) -> None:
    filled = environment().from_string('<p title="{{ a }}">{{ a }}</p>').render(a=text)

    inside = filled.removeprefix('<p title="').removesuffix("</p>").split('">')
    assert len(inside) == 2
    for part in inside:
        assert not set(part) & set("<>\"'")


def test_markup_is_not_escaped_again() -> None:
    assert environment().from_string("{{ a }}").render(a=Markup("<b>")) == "<b>"


def test_no_template_and_no_module_switches_escaping_off() -> None:
    """Only the renderer names Markup, for the style sheet; no template has a `safe` filter or an autoescape block."""
    templates = sorted(TEMPLATES.glob("*.html"))

    assert len(templates) == 13
    for path in templates:
        assert not re.search(r"\|\s*safe\b|autoescape", path.read_text()), path.name
    for path in sorted((ROOT / "layers/core/helpdesk/oauth").glob("*.py")):
        if path.name != "rendering.py":
            assert "Markup" not in path.read_text(), path.name


def test_every_template_compiles() -> None:
    for path in TEMPLATES.glob("*.html"):
        environment().get_template(path.name)


def test_a_value_that_a_page_forgets_is_an_error_and_not_a_gap() -> None:
    with pytest.raises(UndefinedError):
        environment().get_template("refusal.html").render(title="No message")
