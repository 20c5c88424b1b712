"""What a Markdown file becomes: its title, and a text without what only a generator of websites reads."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpdesk.codehost import texts


@pytest.mark.parametrize(
    ("path", "content", "title"),
    [
        ("a.md", "---\ntitle: From the matter\n---\n# Heading\n", "From the matter"),
        ("a.md", '---\nid: x\ntitle: "In quotes: yes"\n---\n', "In quotes: yes"),
        ("a.md", "\ufeff---\r\ntitle: Windows\r\n---\r\ntext", "Windows"),
        ("a.md", "text\n\n## A *bold* [link](https://example.com) ##\n", "A bold link"),
        ("a.md", "```\n# no heading\n```\n# Yes\n", "Yes"),
        ("a.md", "Underlined\n==========\n", "Underlined"),
        ("guides/getting-started.md", "no heading", "Getting started"),
        ("guides/README.md", "no heading", "Guides"),
        ("README.md", "no heading", "Readme"),
        ("a.md", "---\ntitle: |\n  folded\n---\n# Heading", "Heading"),
        ("a.md", "# " + "long " * 60, "long " * 22 + "long…"),
        ("a.md", "---\ntitle: 'What''s new'\n---\n", "What's new"),
        ("a.md", '---\ntitle: "Say \\"hi\\" \\u00e9" # a comment\n---\n', 'Say "hi" é'),
        ("a.md", "---\ntitle: 'One' # a comment\n---\n", "One"),
        ("a.md", "---\ntitle: C# in brief # a comment\n---\n", "C# in brief"),
        ("a.md", '+++\r\ndate = 2024-01-01\r\ntitle = "In TOML"\r\n+++\r\ntext', "In TOML"),
        ("a.md", "+++\ntitle = 'It is \"raw\"'\n[params]\n+++\n", 'It is "raw"'),
        ("a.md", '{\n  "title": "In JSON",\n  "tags": ["a"]\n}\n\n# Heading\n', "In JSON"),
        ("a.md", "+++\ntitle = [1]\n+++\n# Heading\n", "Heading"),
        ("a.md", "# Use C#\n", "Use C#"),
        ("a.md", "# #\n\n## After an empty one ##\n", "After an empty one"),
        ("blank-heading.md", "# \u3164\n\ntext", "Blank heading"),
        ("\u3164.md", "no heading", "\u3164.md"),
    ],
)
def test_the_title_is_of_the_front_matter_the_first_heading_or_the_file(
    path: str, content: str, title: str
) -> None:
    assert texts.read(path, content.encode()).title == title


def test_front_matter_goes_and_the_text_stays() -> None:
    assert (
        texts.read("a.md", b"---\ntitle: A\n---\n\nText <Note>kept</Note>\n").body == "Text <Note>kept</Note>"
    )


@pytest.mark.parametrize(
    "matter",
    [
        "---\ntitle: A\n---\n",
        "---\n# a comment\n\nid: x\n...\n",
        "---\n---\n",
        '+++\ntitle = "A"\n+++\n',
        '{"title": "A"}\n',
        '\ufeff{\r\n "title": "A"\r\n}\r\n',
    ],
)
def test_front_matter_of_every_kind_goes(matter: str) -> None:
    assert texts.read("a.md", f"{matter}\nText.\n".encode()).body == "Text."


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nWe ship to Europe.\n\n---\nMore.",
        "---\n# Heading\n---\nMore.",
        "+++\nnothing ends this",
        '{"title": "A"} is an object.',
        "{{< shortcode >}}\n\nText.",
        "[1, 2]\n\nText.",
    ],
)
def test_what_only_begins_like_front_matter_stays(text: str) -> None:
    assert texts.read("a.md", text.encode()).body == text


MDX = """import Tabs from '@theme/Tabs'
import {
  A,
} from 'b'

# Heading

export const size = 3

<Tabs values={[{label: 'a > b', value: "x"}]}>
<TabItem value="one">

Inside **one**.

</TabItem>
</Tabs>

{/* a
comment */}
Use `<Tag>` and <b>html</b>.

```jsx
import x from 'y'
<Kept />
```
"""


def test_components_go_and_what_is_between_them_stays() -> None:
    text = texts.read("a.mdx", MDX.encode())

    assert text.title == "Heading"
    assert "Inside **one**." in text.body
    assert "Use `<Tag>` and <b>html</b>." in text.body
    assert "```jsx\nimport x from 'y'\n<Kept />\n```" in text.body
    for gone in ("@theme", "TabItem", "values=", "comment", "export const"):
        assert gone not in text.body


@pytest.mark.parametrize(
    "piece",
    [
        "<A ",
        "<A {",
        "<A x='",
        "{/*",
        "---\n",
        "<A {{",
        "import x\n",
        "``` \n",
        "# a [",
        "{",
        '{"a":',
        "+++\n",
        "---\na: 'b",
    ],
)
def test_a_hostile_file_of_a_megabyte_is_read_in_linear_time(piece: str) -> None:
    content = (piece * (1_000_000 // len(piece))).encode()
    started = time.process_time()
    texts.read("a.mdx", content)

    assert time.process_time() - started < 3


@pytest.mark.parametrize("text", [f"---\ntitle: a{' ' * 19_000}x\n---\n", f"# a{' ' * 990}x\n"])
def test_a_title_of_spaces_takes_no_time(text: str) -> None:
    started = time.process_time()
    for _ in range(5):
        texts.read("a.md", text.encode())

    assert time.process_time() - started < 0.5


@given(st.binary(max_size=300), st.sampled_from(["a.md", "b/c.mdx", "d/index.markdown"]))
def test_every_file_becomes_a_title_on_one_line_and_a_text(content: bytes, path: str) -> None:
    text = texts.read(path, content)

    assert 0 < len(text.title) <= 120
    assert "\n" not in text.title
