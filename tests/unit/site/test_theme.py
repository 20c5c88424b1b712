"""The theme is readable in both schemes, with any accent, and in both directions of writing (WCAG 2.2, 1.4.3)."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.site import assets, colours
from helpdesk.site.colours import Colour, contrast, parse, text_on
from helpdesk.site.errors import PageNotFound
from helpdesk.site.record import SiteSettings

FOLDER = Path(colours.__file__).parent / "static/paper"
SOURCE = "\n".join((FOLDER / f"{part}.css").read_text(encoding="utf-8") for part in assets.PARTS)
VARIABLES = dict(re.findall(r"(--[\w-]+): light-dark\((#[0-9a-f]{6}, #[0-9a-f]{6})\)", SOURCE))


def shades(name: str) -> tuple[Colour, Colour]:
    """Return a variable's colours in the light and the dark scheme."""
    light, dark = (parse(text) for text in VARIABLES[name].split(", "))
    assert light is not None
    assert dark is not None
    return light, dark


def test_accents_are_adjusted_for_the_backgrounds_of_the_theme() -> None:
    backgrounds = [shades(name) for name in ("--paper", "--raised", "--wash")]
    assert tuple(light for light, _ in backgrounds) == colours.LIGHT
    assert tuple(dark for _, dark in backgrounds) == colours.DARK


@pytest.mark.parametrize("name", ["--ink", "--soft", "--link", "--good", "--bad", "--note", "--warn"])
def test_text_is_readable_on_every_background(name: str) -> None:
    light, dark = shades(name)
    assert all(contrast(light, background) >= 4.5 for background in colours.LIGHT)
    assert all(contrast(dark, background) >= 4.5 for background in colours.DARK)


def test_the_colours_of_code_are_readable_on_its_background() -> None:
    found = re.findall(r"pre [^{]*\{ color: light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)", SOURCE)
    assert len(found) == 7
    for light, dark in found:
        first, second = parse(light), parse(dark)
        assert first is not None
        assert second is not None
        assert contrast(first, colours.LIGHT[2]) >= 4.5
        assert contrast(second, colours.DARK[2]) >= 4.5


def test_edges_of_fields_and_the_text_of_buttons_are_seen() -> None:
    for (light, dark), least, on in [
        (shades("--field"), 3.0, (colours.LIGHT, colours.DARK)),
        (shades("--on-accent"), 4.5, ([shades("--accent")[0]], [shades("--accent")[1]])),
    ]:
        assert all(contrast(light, background) >= least for background in on[0])
        assert all(contrast(dark, background) >= least for background in on[1])


def test_a_button_below_the_pointer_keeps_the_colours_that_its_text_is_readable_in() -> None:
    rules = re.findall(r"(?<=\n)([^\n{]*button:hover[^{]*)\{([^}]*)\}", SOURCE)
    assert rules
    for _, declarations in rules:
        assert not re.search(r"\b(filter|opacity|color|mix-blend-mode|background)\b\s*:", declarations)


def test_no_rule_knows_left_from_right() -> None:
    """Pages of right-to-left languages are mirrored by the browser, as far as no rule names a side."""
    rules = re.sub(r"/\*.*?\*/", "", SOURCE, flags=re.DOTALL)
    physical = (
        r"(?:margin|padding|border|inset)-(?:left|right|top|bottom)|[\s;{](?:left|right|top|bottom)\s*:"
    )
    assert re.findall(physical, rules) == []
    assert re.findall(r"(?:text-align|float|clear)\s*:\s*(?:left|right)", rules) == []


def test_the_name_has_the_hash_of_the_text_and_the_accent() -> None:
    plain = assets.theme_path(SiteSettings(organization="org_1"))
    coloured = assets.theme_path(SiteSettings(organization="org_1", accent="#0a7c66"))
    assert re.fullmatch(r"/assets/paper\.[0-9a-f]{12}\.css", plain)
    assert coloured == plain.removesuffix(".css") + ".0a7c66.css"
    assert assets.serve(plain.rpartition("/")[2]).text == SOURCE
    assert assets.serve(coloured.rpartition("/")[2]).text == SOURCE + (
        "@media screen { :root { --accent: #0a7c66; --on-accent: #ffffff; --edge: light-dark(#0a7c66, #0a7c66); "
        "--link: light-dark(#0a7c66, #409987); } }\n"
    )


def test_a_page_of_another_release_is_shown_with_the_present_theme() -> None:
    """A proxy may have it for a day. What it is shown with is not the file of that address, so caches ask again."""
    file = assets.serve("paper.0123456789ab.css")
    assert file.text == SOURCE
    assert "immutable" not in file.headers["cache-control"]


@pytest.mark.parametrize(
    "name",
    [
        "paper.css",
        "ink.0123456789ab.css",
        "paper.0123456789ab.0A7C66.css",
        "paper.0123456789ab.0a7c66.css\n",
        "paper.0123456789ab.0a7c6.css",
        "../static/paper.0123456789ab.css",
        "paper.0123456789ab.};x:y.css",
        "",
    ],
)
def test_no_other_name_has_a_stylesheet(name: str) -> None:
    with pytest.raises(PageNotFound):
        assets.serve(name)


@given(st.builds(Colour, *[st.integers(0, 255)] * 3))
def test_rules_of_any_accent_are_readable(accent: Colour) -> None:
    text = re.findall(r"(--[\w-]+): (?:light-dark\((#\w+), (#\w+)\)|(#\w+))", colours.accent_rules(accent))
    found = {name: [parse(each) for each in shades if each] for name, *shades in text}
    assert found["--accent"] == [accent]
    assert found["--on-accent"] == [text_on(accent)]
    for name, least in (("--link", 4.5), ("--edge", 3.0)):
        light, dark = found[name]
        assert light is not None
        assert dark is not None
        assert all(contrast(light, background) >= least for background in colours.LIGHT)
        assert all(contrast(dark, background) >= least for background in colours.DARK)
