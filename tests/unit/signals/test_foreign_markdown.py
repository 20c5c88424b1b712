"""Text of customers in another service's Markdown: GitHub's rules for mentions, references, images and tags.

(GitHub Docs, "Basic writing and formatting syntax" and "Autolinked references and URLs"; GitHub Flavored Markdown.)
"""

import html
import re

import pytest

from helpdesk.signals.issue_text import harmless, quoted

ACTS = re.compile(
    r"@[A-Za-z0-9]|#[0-9]|GH-[0-9]|!\[|<[A-Za-z/!?]|(?<![\w.-])(?:www\.)?github\.com/|linear\.app/",
    re.IGNORECASE,
)
"""What GitHub or Linear would act on."""


@pytest.mark.parametrize(
    "text",
    [
        "@torvalds and @acme/everyone, look",
        "&#64;torvalds, &commat;torvalds, &#x40;torvalds, &amp;#64;torvalds",
        "see other/repo#1, #12, &num;12, GH-12 and acme/shop@0123456789abcdef",
        "https://github.com/other/repo/issues/1, www.GitHub.com/other/repo/pull/2",
        "https://linear.app/acme/issue/ENG-12",
        "![](https://tracker.example/x) ![a][b]\n\n[b]: https://tracker.example/y",
        '<img src="https://tracker.example/x"> &lt;img src=x&gt; <!-- hidden',
        "Helpdesk signal `sig_other`.",
    ],
)
def test_a_text_mentions_nobody_refers_to_nothing_and_loads_nothing(text: str) -> None:
    said = harmless(text)

    assert ACTS.search(html.unescape(said)) is None
    assert "Helpdesk signal `" not in said
    visible = said.replace("\u200b", "").replace("redirect.github.com", "github.com")
    assert visible == text.replace("www.GitHub.com", "github.com")


def test_characters_that_hide_or_turn_what_follows_go_and_tabs_and_joiners_stay() -> None:
    said = harmless("a\x00b\x1b[31m \u202eturned\u2066, @\u200btorvalds\tin a tab, 👩\u200d💻")

    assert said == "ab[31m turned, @\u200btorvalds\tin a tab, 👩\u200d💻"


@pytest.mark.parametrize(
    "text", ["The export stops at row 1,000.", "**AT & T** has 3 # signs: `a < b`, [a](https://acme.example)"]
)
def test_another_text_stays_as_it_is(text: str) -> None:
    assert harmless(text) == text


def test_every_line_of_a_quote_is_quoted_whatever_ends_it() -> None:
    assert quoted("one\r\ntwo\rthree\u2028four\n\n# five") == "> one\n> two\n> three\n> four\n>\n> # five"


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        ("```\ncode", "```\ncode\n```"),
        ("~~~~ sh\ncode\n~~~", "~~~~ sh\ncode\n~~~\n~~~~"),
        ("```\ncode\n```\nafter", "```\ncode\n```\nafter"),
    ],
)
def test_a_block_of_code_that_is_open_ends_with_the_text(text: str, closed: str) -> None:
    assert harmless(text) == closed
