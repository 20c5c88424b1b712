"""What a page shows is what its article shows: the same words, whatever the page is about."""

from hypothesis import example, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from helpdesk.knowledge.crawls.extraction import read_html
from helpdesk.platform.text import escaped
from helpdesk.site.markdown import render
from tests.support import effort
from tests.support.rules import for_each

BLOCKS = (
    "p, h1, h2, h3, h4, h5, h6, li, ul, ol, td, th, tr, table, blockquote, pre, div, dt, dd, br, hr, figure, "
    "figcaption"
)
TITLE = "The title of the page"


def words_of(html: str) -> list[str]:
    """Return the words that HTML shows."""
    document = LexborHTMLParser(html)
    for block in document.css(BLOCKS):
        block.insert_before(" ")
        block.insert_after(" ")
    assert document.body is not None
    return document.body.text(separator="").split()


def shown(html: str) -> list[str]:
    """Return the words that the article of a page shows."""
    page = f"<title>{TITLE}</title><main>{html}</main>"
    text = read_html(page.encode(), "text/html; charset=utf-8", "https://fern.example/docs/")["text"]
    return words_of(render(TITLE, text).html)


SEEN = [
    "Call __init__ or **kwargs, and leave snake_case_name.",
    "Write `code` or ```js, and ~~~ or ~~strike~~.",
    "See [docs](x), [docs][x], ![image](y), [^1] and [1].",
    "The page has <!-- a comment -->, <Foo/>, <script>, <https://fern.example> and </p>.",
    "It says &lt; and &amp;lt; and &copy; and &#60;.",
    "C:\\Users\\*\\_x\\",
    "# 1.",
    "1. One",
    "12) Twelve",
    "- Item",
    "+ Item",
    "* Item",
    "---",
    "===",
    "> [!NOTE]",
    ":::tip Take note",
    ":--|--:",
    "| a | b |",
    "[ ] not done",
    "[^1]: note",
    "[name]: https://fern.example",
    "Limits {#limits}",
    "{props.title} {/* comment */}",
    "import x from 'y'",
    'import "y";',
    "export const x = 1",
    "title: x",
    "5 * 3 = 15, 2**3**4, a*b*c",
    "Costs $5 or $6, :smile:, x^2, H~2~O, ==marked==",
    "これは「強調」です。（注）",
    "https://fern.example/__init__/a_b_c?x=[1]&y=*",
    "C# and F#",
    "Hi!",
]


PLACES = """
<p>{}</p> <p>one<br>{}<br>two</p> <h2>{}</h2> <ul><li>{}</li><li>two</li></ul> <ol><li><p>{}</p><p>two</p></li></ol>
<table><tr><th>{}</th><th>two</th></tr><tr><td>{}</td><td>two</td></tr></table> <blockquote>{}</blockquote>
<p>a<b>{}</b>b <i>{}</i></p> <p><a href='/x'>{}</a></p> <p>See <code>{}</code></p> <pre>{}</pre>
<dl><dt>{}</dt><dd>two</dd></dl> <figure><img src=x alt="{}"><figcaption>{}</figcaption></figure>
"""


@for_each("text", SEEN)
def test_text_that_looks_like_markdown_is_shown_as_it_stands(text: str) -> None:
    html = PLACES.replace("{}", escaped(text))

    assert shown(html) == words_of(html)


# What a page writes before and after text decides what is a mark.
_PIECES = [*SEEN, *"\\`*_[]<>&~|#-+=!.):{}('\"^$/", *"1é強「」 \n", "word", "**", "``", "\N{NO-BREAK SPACE}"]
_TEXT = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=5).map(lambda parts: escaped("".join(parts)))


def _in_one_of(tags: str, inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.tuples(st.sampled_from(tags.split()), inner).map(
        lambda pair: f"<{pair[0]}>{pair[1]}</{pair[0]}>"
    )


_INLINE = st.recursive(
    _TEXT,
    lambda inner: st.lists(
        st.one_of(
            _TEXT,
            _in_one_of("b strong i em del span u sup mark", inner),
            _in_one_of("code kbd", inner.map(lambda code: code.replace("<br>", " "))),
            inner.map(lambda link: f"<a href='/x'>{link}</a>"),
            st.just("<br>"),
        ),
        min_size=1,
        max_size=4,
    ).map("".join),
    max_leaves=6,
)
_PARAGRAPH = _in_one_of("p h2 h3 div", _INLINE)
_LIST = st.recursive(
    st.one_of(_PARAGRAPH, _INLINE),
    lambda inner: st.tuples(
        st.sampled_from(
            ["<ul><li>{}</li></ul>", "<ol><li>{}</li><li>two</li></ol>", "<blockquote>{}</blockquote>"]
        ),
        st.lists(st.one_of(inner, _INLINE), min_size=1, max_size=3).map("".join),
    ).map(lambda pair: pair[0].replace("{}", pair[1])),
    max_leaves=4,
)
_TABLE = st.lists(_INLINE, min_size=1, max_size=4).map(
    lambda cells: f"<table><tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr></table>"
)
_BLOCK = st.one_of(_PARAGRAPH, _LIST, _TABLE, _in_one_of("pre", _INLINE), st.just("<hr>"))


@settings(max_examples=effort.of(40, 400), derandomize=True)
@given(st.lists(_BLOCK, min_size=1, max_size=4).map("".join))
@example("<p>これは<b>「強調」</b>です</p>")
@example("<p>a<b><code>x</code></b>b</p>")
@example("<hr><p>one</p><hr><p>two</p>")
def test_a_page_and_its_article_show_the_same_words(html: str) -> None:
    assert shown(html) == words_of(html)
