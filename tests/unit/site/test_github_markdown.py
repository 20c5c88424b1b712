"""Documents that were written for GitHub or Docusaurus look as they do there, and are reached by the same links."""

import re

import pytest
from selectolax.lexbor import LexborHTMLParser

from helpdesk.site import markdown


def page(text: str, *, title: str = "T", is_part: bool = False) -> LexborHTMLParser:
    return LexborHTMLParser(markdown.render(title, text, is_part=is_part).html)


def ids(text: str, *, title: str = "T") -> dict[str, list[str]]:
    """Return the ids by which each heading is reached."""
    return {
        heading.text(): [str(each.attributes["id"]) for each in (heading, *heading.css("span[id]"))]
        for heading in page(text, title=title).css("h2, h3, h4, h5, h6")
    }


@pytest.mark.parametrize(
    ("heading", "reached_by"),
    [
        ("foo_bar", ["foo-bar", "foo_bar"]),
        ("2.0", ["2-0", "20"]),
        ("C & D", ["c-d", "c--d"]),
        ("Don't panic!", ["dont-panic"]),
        ("🚀 Start", ["start", "-start"]),
        ("`a.b()` of *c*", ["a-b-of-c", "ab-of-c"]),
        ("Über uns", ["uber-uns", "über-uns"]),
        ("配置 选项", ["配置-选项"]),
        ("हिन्दी", ["ह-न-द", "हिन्दी"]),
        ("The <b>x</b>", ["the-x"]),
        ("?!", ["section"]),
        ("word " * 20, ["-".join(["word"] * 12), "-".join(["word"] * 20)]),
        ("x {#limits}", ["limits"]),
        ("x {#A.__call__}", ["A.__call__"]),
        ("x {#a-–-b}", ["a-–-b"]),
        ("`x` {#e .wide key=value}", ["e"]),
        ("x {/* #e */}", ["e"]),
        ("x {/*e*/}", ["e"]),
        ("x {#limits} ##", ["limits"]),
    ],
)
def test_a_heading_is_reached_by_its_own_id_and_by_githubs(heading: str, reached_by: list[str]) -> None:
    assert list(ids(f"## {heading}").values()) == [reached_by]


def test_equal_headings_are_numbered_from_two_and_as_github_does_from_one() -> None:
    made = page("## Setup\n\n## Setup\n\n## Setup\n\n## Setup 1")

    # Where the two ways differ about an id, links to this site keep leading to where they led.
    assert [each.attributes["id"] for each in made.css("h2, h2 [id]")] == [
        "setup", "setup-2", "setup-3", "setup-1", "setup-1-1",
    ]  # fmt: skip


def test_a_link_to_the_heading_that_is_the_title_leads_to_the_top() -> None:
    made = page("# My Title\n\ntext\n\n## Next\n\n[up](#my-title)", title="My title")

    assert [each.attributes["id"] for each in made.css("[id]")] == ["my-title", "next"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('<a id="x"></a>\n\ntext', ["x"]),
        ("Before <a name='x'></a> after", ["x"]),
        ('<a name="x">\n\n## Next', ["x", "next"]),
        ('<div id="x">\n\ntext\n\n</div>', ["x"]),
        ('<a id="next"></a>\n\n## Next', ["next", "next-2"]),
        ('<a id="x"></a><a id="x"></a>', ["x"]),
        ('<a id="content"></a><a id="a b"></a>', []),
        ('## x {#y}\n\n<a id="y"></a>', ["y"]),
    ],
)
def test_targets_that_are_written_as_html_are_kept_once(text: str, found: list[str]) -> None:
    assert [each.attributes["id"] for each in page(text).css("[id]")] == found


def test_footnotes_are_at_the_end_with_links_in_both_directions() -> None:
    made = page(
        "One[^1], two[^note], again[^1].\n\n[^1]: *First*.\n[^note]: Second.\n\n    More.\n\n## Fn1\n\nEnd."
    )

    assert [each.text().strip() for each in made.css("ol > li")] == ["First. ↩︎ ↩︎", "Second.\nMore. ↩︎"]
    links = {str(each.attributes["href"]) for each in made.css("a")}
    assert links == {"#fn1", "#fn2", "#fnref1", "#fnref2", "#fnref1:1"}
    assert links == {f"#{each.attributes['id']}" for each in made.css("a[id], li[id]")}
    assert [each.attributes["id"] for each in made.css("h2")] == ["fn1-2"]


def test_a_footnote_that_nothing_defines_is_text() -> None:
    assert markdown.render("T", "a[^1] [^b]").html == "<p>a[^1] [^b]</p>\n"


def test_a_part_of_a_page_has_footnotes_without_links() -> None:
    made = page("One[^1], [up](#x).\n\n[^1]: First.", is_part=True)

    assert made.css("[id], [href]") == []
    assert made.css("ol > li")[0].text().strip() == "First. ↩︎"


@pytest.mark.parametrize("indent", ["", "  ", "   "])
def test_an_alert_is_a_box_also_in_a_list(indent: str) -> None:
    begin = "- item\n\n" if indent else ""
    made = page(f"{begin}{indent}> [!NOTE]\n{indent}> Text.\n\n{indent}After.\n")

    box = made.css("li .admonition.note" if indent else ".admonition.note")
    assert [each.text() for each in box[0].css("p")] == ["Note", "Text."]
    assert made.css("pre") == []
    assert len(made.css("li > p")) == (2 if indent else 0)


@pytest.mark.parametrize(
    "before",
    [
        "```x``` is code in a sentence.",
        "    ```\n    indented",
        "    ~~~",
        "- a\n\n      ```\n      b",
        "`` ``` ``",
    ],
)
def test_a_box_follows_what_is_no_fence(before: str) -> None:
    made = page(f"{before}\n\n:::tip Own *words*\nText.\n:::\n")

    assert [each.text() for each in made.css("div.tip p")] == ["Own words", "Text."]


@pytest.mark.parametrize(
    ("begin", "title"),
    [
        (":::tip", "Tip"),
        ("::: tip", "Tip"),
        (":::tip Own `words`", "Own words"),
        (":::tip[Own words]", "Own words"),
        (":::tip[Own words]{#id .wide}", "Own words"),
        (":::Tip <textarea>", "<textarea>"),
    ],
)
def test_a_box_has_the_title_that_it_names(begin: str, title: str) -> None:
    made = page(f"{begin}\nText.\n:::\n\nAfter.")

    assert [each.text() for each in made.css("div.tip p")] == [title, "Text."]
    assert made.css("article > p, body > p")[0].text() == "After."


def test_a_box_in_a_box_has_fewer_colons() -> None:
    made = page("::::note\n:::tip\nInner.\n:::\n\nOuter.\n::::\n\nAfter.")

    assert [each.text() for each in made.css("div.note > p")] == ["Note", "Outer."]
    assert [each.text() for each in made.css("div.note > div.tip > p")] == ["Tip", "Inner."]


def test_elements_within_a_sentence_do_not_end_its_paragraph() -> None:
    text = (
        'a <u>b</u> <picture><source srcset="x"><img src="https://a.example/c.png" alt="d"></picture> '
        "<ruby>漢<rt>かん</rt></ruby> <time>e</time><wbr> f"
    )
    paragraphs = page(text).css("p")

    assert len(paragraphs) == 1
    assert [each.tag for each in paragraphs[0].css("u, picture, img, ruby, rt, time, wbr")] == [
        "u", "picture", "img", "ruby", "rt", "time", "wbr",
    ]  # fmt: skip


def test_a_byte_order_mark_hides_no_heading_and_no_front_matter() -> None:
    assert markdown.render("T", "\ufeff# A").html == '<h2 id="a">A</h2>\n'
    assert markdown.render("T", "\ufeff---\ntitle: x\n---\ntext").html == "<p>text</p>\n"


def test_one_tilde_strikes_as_two_do() -> None:
    assert re.findall("<s>(.*?)</s>", markdown.render("T", "~a~ ~~b~~ ~/c").html) == ["a", "b"]
