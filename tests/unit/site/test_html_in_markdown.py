"""Tags in prose hide nothing: what follows a sentence is on the page, whatever the sentence names."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from helpdesk.site import markdown

NAMES = """
    textarea script style iframe title xmp noembed noframes plaintext select option details summary template noscript
    object svg math video audio canvas button form dialog table tr td caption ul li dl dt pre div p blockquote h1 h2 a b
    code img br input frameset head body html Foo your-name
""".split()  # noqa: SIM905 - more readable than a list of strings
TAGS = [
    *(f"<{name}>" for name in NAMES),
    *(f"</{name}>" for name in NAMES),
    "<details open>", "<script src=x>", "<a href='", '<div title="', "<div", "<!--", "-->", "<!x", "<![CDATA[", "<?php",
    "<svg/>", "<iframe />", "<textarea rows=2>", "<style\n", "<SCRIPT>",
]  # fmt: skip
SENTENCES = st.lists(
    st.sampled_from([*TAGS, *TAGS, "Use", " of it", ".", "**b**", "`c`", "\n", "[l](x)", "* "]), max_size=8
).map("".join)
FRAMES = [
    "{}",
    "> {}",
    "- {}",
    "1. {}\n2. next",
    "| a |\n|---|\n| {} |",
    ":::tip\n{}\n:::",
    "## {}",
    "<div>\n{}\n</div>",
]


def visible(html: str) -> LexborHTMLParser:
    """Return a page of this HTML without what is folded or in no browser shown."""
    page = LexborHTMLParser(f"<!doctype html><body><article>{html}</article></body>")
    for node in page.css(
        "details:not([open]) > :not(summary), head, template, noscript, script, style, textarea"
    ):
        node.decompose()
    return page


@given(SENTENCES, st.sampled_from(FRAMES), SENTENCES)
def test_what_follows_a_sentence_is_shown_whatever_tags_the_sentence_has(
    one: str, frame: str, other: str
) -> None:
    # A comment, a script, closed details and preformatted text may go on behind an empty line, if they end there.
    other = re.sub("--+>|</(?:script|style|pre|details)>", "", other, flags=re.IGNORECASE)
    text = f"{frame.replace('{}', one)}\n\n## Next\n\nThe **second** text.\n\n{other}\n\n### Last\n\nThe last text."

    page = visible(markdown.render("T", text).html)

    assert [each.text() for each in page.css("h2#next, h3#last")] == ["Next", "Last"]
    assert {"The second text.", "The last text."} <= {each.text() for each in page.css("p")}


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("Use the <textarea> of it.", "<p>Use the &lt;textarea&gt; of it.</p>"),
        ("Put <script>x</script> there.", "<p>Put &lt;script&gt;x&lt;/script&gt; there.</p>"),
        ("A List<String> of <your-name>", "<p>A List&lt;String&gt; of &lt;your-name&gt;</p>"),
        ("The <table> and the <h2> of it", "<p>The &lt;table&gt; and the &lt;h2&gt; of it</p>"),
        ("An <svg><path/></svg> icon", "<p>An  icon</p>"),
        ("It is <b>bold and\n\nplain", "<p>It is <b>bold and</b></p><p>plain</p>"),
        ("a </div> b </b> c", "<p>a  b  c</p>"),
        ("<script> is a tag.", "<p>&lt;script&gt; is a tag.</p>"),
        ("<script>\nalert(1)\n\nx()\n</script>\ny", "<p>y</p>"),
        ("<head>\n<style>a{}\n\nb{}</style>\n</head>\n\ny", "<p>y</p>"),
        ("<textarea>\nx\n\ny", "<p>&lt;textarea&gt;x</p><p>y</p>"),
        ("<!-- x\n\ny", "<p>&lt;!-- x</p><p>y</p>"),
        ('<div title="x\n\ny "z" a', '&lt;div title="x<p>y "z" a</p>'),
        ("<details>\n<summary>a</summary>\n\nb\n\n</details>\n\nc",
         "<details><summary>a</summary><p>b</p></details><p>c</p>"),
        ("<details>\n<summary>a</summary>\n\nb", "&lt;details&gt;<summary>a</summary><p>b</p>"),
        ("<details><summary>a\n\nb\n\n</details>\nc", "<details><summary>a</summary><p>b</p></details><p>c</p>"),
        ("- <details>\n- b\n\n</details>\n\nc", "<ul><li>&lt;details&gt;</li><li>b</li></ul><p>c</p>"),
        ("<table>\n<tr><td>a</td></tr>\n\n# b", '<table><tbody><tr><td>a</td></tr></tbody></table><h2 id="b">b</h2>'),
        ("<div>\n\n*a*\n\n</div>\n\nb", "<div><p><em>a</em></p></div><p>b</p>"),
        ("<div>a</div>\n* **b**", "<div>a</div><ul><li><strong>b</strong></li></ul>"),
        ("<div>\n* b\n</div>", "<div>* b</div>"),
        ("<Note>\n#### a\n</Note>", '<h2 id="a">a</h2>'),
        ('<h1 align="center">a</h1>\n\nb', "<h2>a</h2><p>b</p>"),
        (":::tip\n</div>\na\n:::", '<div class="admonition tip"><p class="admonition-title">Tip</p><p>a</p></div>'),
    ],
)  # fmt: skip
def test_a_tag_is_html_where_it_can_be_meant_and_text_elsewhere(text: str, html: str) -> None:
    made = markdown.render("T", text).html.replace('<div class="scroll" tabindex="0"><table>', "<table>")

    assert re.sub(r"\n", "", made.replace("</table></div>", "</table>")) == html
