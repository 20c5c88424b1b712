"""Bare addresses are links, as in GitHub Flavored Markdown (section 6.9), in documents and in plain text."""

import re

import pytest

from helpdesk.site import bare_links, markdown
from tests.support.rules import for_each

URLS = {
    "See https://a.example/b, please.": "https://a.example/b",
    "HTTP://A.example!": "HTTP://A.example",
    "(https://a.example/b_(c).)": "https://a.example/b_(c)",
    "https://a.example/b) c": "https://a.example/b",
    '"https://a.example/?b=1&c=2"': "https://a.example/?b=1&c=2",
    "https://a.example/b&c;": "https://a.example/b&c",
    "https://a.example/b&copy;": "https://a.example/b",
    "https://a.example/__init__.py": "https://a.example/__init__.py",
    "https://a.example/*b*/c": "https://a.example/*b*/c",
    "https://a.example<b>c": "https://a.example",
    "http://localhost:3000/x": "http://localhost:3000/x",
    "参见https://a.example/b。谢谢": "https://a.example/b",
    "https://例え.jp/道": "https://例え.jp/道",
    "www.a.example/b.": "www.a.example/b",
    "(www.a.example)": "www.a.example",
    "Write to jane_doe.x+y@a-b.example.": "jane_doe.x+y@a-b.example",
    "mailto:jane@a.example": "mailto:jane@a.example",
    "jane@a.example, joe@a.example": "jane@a.example joe@a.example",
}
NO_URLS = [
    "https://", "http:// x", "xhttps://a.example", "ftp://a.example", "javascript://a.example", "awww.a.example",
    "www.a", "https://a_b.c", "jane@a", "jane@a.example-", "@a.example", "jane@", "josé@a.example", "a:b", "www.",
]  # fmt: skip


def links(html: str) -> str:
    return " ".join(re.findall(r"<a [^>]*>(.*?)</a>", html)).replace("&amp;", "&")


@for_each("text", [*URLS])
def test_an_address_is_a_link_without_the_punctuation_behind_it(text: str) -> None:
    assert links(markdown.render("T", text).html) == URLS[text]
    assert links(bare_links.linked(text)) == URLS[text]


@for_each("text", NO_URLS)
def test_what_is_no_address_stays_text(text: str) -> None:
    assert "<a " not in markdown.render("T", text).html
    assert bare_links.linked(text) == text


def test_plain_text_with_links_says_exactly_what_its_author_typed() -> None:
    text = ' *a*\n\n  `https://a.example/<b>` &amp; [c](https://d.example)\n"e"'

    assert bare_links.linked(text) == (
        ' *a*\n\n  `<a href="https://a.example/" rel="nofollow ugc noopener">https://a.example/</a>&lt;b&gt;` '
        '&amp;amp; [c](<a href="https://d.example" rel="nofollow ugc noopener">https://d.example</a>)\n"e"'
    )


@pytest.mark.parametrize(
    "text",
    [
        "`https://a.example`",
        "```\nhttps://a.example jane@a.example\n```",
        "[https://a.example](#x)",
        '<a href="#x">https://a.example jane@a.example</a>',
        "![https://a.example](https://b.example/c.png)",
    ],
)
def test_an_address_in_code_and_in_a_link_is_no_other_link(text: str) -> None:
    assert 'href="https://a.example' not in markdown.render("T", text).html
    assert "mailto:" not in markdown.render("T", text).html


def test_entities_of_a_document_are_read_before_an_address_is_a_link() -> None:
    html = markdown.render("T", "http://a.example/?b=1&amp;c=2").html

    assert html == (
        '<p><a href="http://a.example/?b=1&amp;c=2" rel="noopener">http://a.example/?b=1&amp;c=2</a></p>\n'
    )


def test_a_backslash_in_a_document_escapes_what_follows_in_an_address_and_breaks_a_line_behind_it() -> None:
    shown = markdown.render("T", "https://a.example/\\_\\_b\\_\\_/c\\\nd").html

    assert '<a href="https://a.example/__b__/c"' in shown
    assert re.search(r"/c</a><br ?/?>\s*d", shown)


@pytest.mark.parametrize(
    "text", ["https://a.b/" + "\U0001f600" * 3_980, "www.a a@b.c " * 333, "&" * 4_000, "a@b.cd " * 571]
)
def test_hundreds_of_texts_with_links_fit_on_a_page(text: str) -> None:
    assert 200 * len(bare_links.linked(text).encode()) < 5_000_000
