"""A document as its readers see it: nothing that only a website's generator or a browser reads is indexed or quoted."""

import pytest

from helpdesk.knowledge import prose
from helpdesk_files import reading


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("---\ntitle: A\n---\n\nText.\n", "Text."),
        (
            r"The \<script> tag, \<!-- no comment --> and \<Foo/>.",
            r"The \<script> tag, \<!-- no comment --> and \<Foo/>.",
        ),
        (r"## Limits \{#limits}", r"## Limits \{#limits}"),
        ("\ufeffText.", "Text."),
        (
            (
                "import useBaseUrl from '@docusaurus/useBaseUrl';\n\n<div className='browser'><img alt='The menu' "
                "src={useBaseUrl('/img/menu.png')} /></div>\n\nText."
            ),
            "The menu\n\nText.",
        ),
        (":::important Mind this\nText.\n:::\nMore.", "**Mind this**\n\nText.\n\nMore."),
        (":::note\n\nText.\n\n:::", "Text."),
        ("> [!TIP]\n> Text.", "> Text."),
        ("## Limits {#limits}\n\nText.", "## Limits\n\nText."),
        ("## GET /users/{id}\n", "## GET /users/{id}"),
        ("<div align='center'>\n<h1>Product</h1>\n</div>\n\nText.", "# Product\n\nText."),
        ("One<br>two <b>three</b> <kbd>Ctrl</kbd>.", "One two three Ctrl."),
        ("<ul><li>One</li><li>Two</li></ul>", "- One\n\n- Two"),
        ("<table><tr><td>One</td><td>Two</td></tr></table>", " One  Two "),
        ("| a | b |\n|---|---|\n| x<br>y | <ul><li>z</li></ul> |", "| a | b |\n|---|---|\n| x y |   z   |"),
        (
            '<a href="https://a.example/x"><b>Docs</b></a> <a href="x.md">Near</a>',
            "[Docs](https://a.example/x) Near",
        ),
        ("Text <!-- a\ncomment --> more.", "Text  more."),
        ("<script>\nlet x\n</script>\n\n<style>a{}</style>\nText.", "Text."),
        ("Use the <textarea> and <script> tags.", "Use the <textarea> and <script> tags."),
        ("a < b > c, <https://a.example>, <me@a.example>", "a < b > c, <https://a.example>, <me@a.example>"),
        ("Use `<div>` and `:::note`.", "Use `<div>` and `:::note`."),
        (
            "```html\n<div>\n:::note\n\n\n\n# Title {#id}\n```\n\n    <div>",
            "```html\n<div>\n:::note\n\n\n\n# Title {#id}\n```\n\n    <div>",
        ),
    ],
)
def test_what_readers_see_of_a_document(text: str, visible: str) -> None:
    assert prose.visible(text) == visible


def test_a_file_is_mdx_by_its_name() -> None:
    assert prose.visible("export const a = 1\n\nText.", "a.mdx") == "Text."


def test_a_very_long_document_is_not_parsed_for_its_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prose, "_MOST_LINES", 4)
    monkeypatch.setattr(reading, "block_parser", None)

    assert prose.visible("<b>a\n\n```\n<b>\n```\n\n<i>b") == "a\n\n```\n<b>\n```\n\nb"
