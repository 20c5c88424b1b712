"""HTML in documents is put in order before it is cleaned, in a time and a size that grow with the text alone."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.site import markdown, raw_html

PIECES = (
    "<b title=x>", "<a href=https://a.example/1>", "<p>", "<div>", "<span>", "<li>", "<ul>", "<table>", "<tr>", "<td>",
    "<svg>", "<title>", "<script>", "<h2>", "<br>", "</b>", "</a>", "</p>", "</div>", "</span>", "</ul>", "</table>",
    "</td>", "</svg>", "</title>", "<!--", "-->", "<!x", "<", ">", '<i title="', "x", "&amp;", "\n\n",
)  # fmt: skip


def in_order(html: str) -> str:
    return raw_html.in_order(html, markdown._TAGS, markdown._NAMES)


@given(st.lists(st.sampled_from(PIECES), max_size=200).map("".join))
def test_any_html_is_ended_in_order_and_never_deep(html: str) -> None:
    found = in_order(html)

    open_now: list[str] = []
    for end, name in re.findall(r"<(/?)([a-z0-9]+)", found):
        if end:
            assert open_now.pop() == name
        elif name != "br":
            open_now.append(name)
            assert len(open_now) <= raw_html.MAX_DEPTH
            assert open_now.count("a") <= 1
    assert open_now == []
    assert in_order(found) == found
    # Each piece is written once, with the end of its element.
    assert len(found) <= 3 * len(html) + 20


@pytest.mark.parametrize(
    ("html", "ordered"),
    [
        ("<p><b>x<p>y", "<p><b>x</b></p><p>y</p>"),
        ("<ul><li>a<li>b<ul><li>c</ul></ul>", "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>"),
        ("<dl><dt>a<dd>b</dl>", "<dl><dt>a</dt><dd>b</dd></dl>"),
        ("<table><tr><td>a<td>b<tr><th>c</table>d", "<table><tr><td>a</td><td>b</td></tr><tr><th>c</th></tr></table>d"),
        ("<table><b>x<tr><td><b>y</td></table>", "<table>x<tr><td><b>y</b></td></tr></table>"),
        ("<b>x<p>y</b>z</p></b>", "<b>x<p>yz</p></b>"),
        ("<a href=one>x<a href=two>y", '<a href="one">x</a><a href="two">y</a>'),
        ("<div/>x</div></div>", "<div>x</div>"),
        ("x<svg><path d=M0/></svg>y<script>1</b></script>z", "xyz"),
        ("<p>x<svg><g>y</p>z", "<p>x</p>z"),
        ("<B TITLE='a\"b' onclick=x>&lt;x</B>", '<b title="a&quot;b">&lt;x</b>'),
        ("1 < 2 <!-- x > y --> 3 <? x > 4", "1 &lt; 2  3  4"),
        ("a <unknown>b</unknown> c", "a b c"),
    ],
)  # fmt: skip
def test_html_is_repaired_as_its_author_meant_it(html: str, ordered: str) -> None:
    assert in_order(html) == ordered
