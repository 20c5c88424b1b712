"""What a Markdown file becomes: its title, and its text without front matter."""

import time

import pytest

from helpdesk_files.reading import read, without_title


@pytest.mark.parametrize(
    ("matter", "title"),
    [
        ("---\ntitle: In YAML\n---\n", "In YAML"),
        ("---\r\ntitle: With carriage returns\r\n---\r\n", "With carriage returns"),
        ('---\nid: x\ntitle: "In quotes: yes \\u00e9" # a comment\n---\n', "In quotes: yes é"),
        ("---\ntitle: 'What''s new' # a comment\n---\n", "What's new"),
        ("---\ntitle: Plain: with a colon\n---\n", "Plain: with a colon"),
        ("---\ntitle: C# in brief # a comment\n---\n", "C# in brief"),
        ("---\ntitle: @scope/package\n---\n", "@scope/package"),
        ("---\ntitle: >-\n  Folded\n  lines\n\n  and more\n---\n", "Folded lines and more"),
        ("---\ntitle: |\n  Literal\n  lines\n---\n", "Literal lines"),
        ("---\ntitle: Plain text\n  on two lines\n---\n", "Plain text on two lines"),
        ('---\n"title": 1.10\n---\n', "1.10"),
        ("---\ntags:\n- title: no\ntitle: Yes\n...\n", "Yes"),
        ("---\ndescription: a: b: c\ntitle: Beside an invalid entry\n---\n", "Beside an invalid entry"),
        ('+++\r\ndate = 2024-01-01\r\ntitle = "In TOML"\r\n+++\r\n', "In TOML"),
        ("+++\ntitle = 'It is \"raw\"'\n[params]\nx = 1\n+++\n", 'It is "raw"'),
        ('{\n  "title": "In JSON",\n  "tags": ["a"]\n}\n', "In JSON"),
        ('\ufeff{\r\n "title": "In JSON"\r\n}\r\n', "In JSON"),
        ("---\ntitle: # nothing\n---\n", "From the heading"),
        ("---\ntitle: null\n---\n", "From the heading"),
        ("---\ntitle: [a, b]\n---\n", "From the heading"),
        ("---\ntitle:   \u200b \n---\n", "From the heading"),
        ("---\nsidebar_label: Label\n---\n", "From the heading"),
        ("---\n# a comment\n\nid: x\n...\n", "From the heading"),
        ("---\n---\n", "From the heading"),
        ("+++\ntitle = [1]\n+++\n", "From the heading"),
        (f"---\ntitle: {'long ' * 60}\n---\n", "long " * 22 + "long…"),
    ],
)
def test_front_matter_gives_the_title_and_is_not_a_part_of_the_text(matter: str, title: str) -> None:
    found = read("a.md", f"{matter}# From the heading\n")

    assert (found.title, found.body) == (title, "# From the heading\n")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# A *bold* [link](https://example.com) and `code` ##\n", "A bold link and code"),
        ("[![Build](b.svg)](ci)\n\nIntro.\n\n# Product\n", "Product"),
        ("Underlined\n==========\n", "Underlined"),
        ("# Limits {#limits}\n", "Limits"),
        ("# Limits {/* #limits */}\n", "Limits"),
        ("# Limits {: #a .b }\n", "Limits"),
        ("# Constructor {#A.__init__}\n", "Constructor"),
        ("# GET /users/{id}\n", "GET /users/{id}"),
        ("# snake_case_name and __init__\n", "snake_case_name and init"),
        ("# `__init__`\n", "__init__"),
        ("# Q&amp;A &lt;T&gt;\n", "Q&A <T>"),
        ("# a < b > c\n", "a < b > c"),
        ("# 1 \\* 2\n", "1 * 2"),
        ("# Use C#\n", "Use C#"),
        ("# [Docs][d]\n\n[d]: https://example.com\n", "Docs"),
        ("# <a name='x'></a>Anchored <Badge text='new' />\n", "Anchored"),
        ("# #\n\n# After an empty one #\n", "After an empty one"),
        ("<h1>My Product</h1>\n\n## Install\n", "My Product"),
        (
            "<div align='center'>\n  <h1 align='center'>\n    <img src='x.png'> My\n    Q&amp;A\n  </h1>\n</div>\n",
            "My Q&A",
        ),
        ("<h1>\n\n*My* `Product`\n\n</h1>\n", "My Product"),
        ("<H1>Upper</H1>\n", "Upper"),
        ("## Lower first\n\n# Then the title\n", "Then the title"),
        ("```sh\n# a comment\n```\n# Real\n", "Real"),
        ("~~~\n# no\n```\n# no\n~~~\n\nReal\n===\n", "Real"),
        ("    # indented code\n\n# Real\n", "Real"),
        ("<!--\n# no\n\n<h1>no</h1>\n-->\n# Real\n", "Real"),
        ("<pre><h1>no</h1></pre>\n\n# Real\n", "Real"),
        ("> # A quotation\n\n- # A list\n\n# Real\n", "Real"),
        ("# " + "long " * 60, "long " * 22 + "long…"),
    ],
)
def test_else_the_first_heading_of_the_first_level_is_the_title(text: str, title: str) -> None:
    assert read("a.md", text).title == title


@pytest.mark.parametrize(
    ("path", "text", "title"),
    [
        ("Advanced formatting syntax.md", "## Tables\n\n### More\n", "Advanced formatting syntax"),
        ("guides/getting-started_now.md", "Text", "Getting started now"),
        ("iOS.md", "<h2>Install</h2>\n", "IOS"),
        ("API FAQ.md", "Text", "API FAQ"),
        ("guides/README.md", "Text", "Guides"),
        ("guides/index.mdx", "Text", "Guides"),
        ("functions/_index.md", "Text", "Functions"),
        ("README.md", "Text", "README"),
        ("a.md", "#\n#tag\nText\n", "A"),
        ("a.md", "- item\n---\nText\n", "A"),
        ("a.md", "Underlined\n---\nText\n", "A"),
        ("blank.md", "# \u3164\n\nText", "Blank"),
        ("\u3164.md", "Text", "Untitled"),
    ],
)
def test_else_the_name_of_the_file_is_the_title(path: str, text: str, title: str) -> None:
    found = read(path, text)

    assert (found.title, found.is_named_by_path) == (title, True)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("# Product\n\nText", "\nText"),
        ("[![b](b.svg)](c)\n\n# *Product* {#p}\n\nText", "[![b](b.svg)](c)\n\n\nText"),
        ("Product\n===\nText", "Text"),
        ("<div>\n<img src='x'><h1>\n product</h1>\n</div>\n\nText", "<div>\n<img src='x'>\n</div>\n\nText"),
        ("<h1>\n\nProduct\n\n</h1>\n\nText", "\nText"),
        ("# Another\n\n# Product\n", "# Another\n\n# Product\n"),
        ("## Product\n", "## Product\n"),
    ],
)
def test_the_heading_that_gave_the_title_is_not_shown_twice(text: str, left: str) -> None:
    assert without_title(text, "Product") == left


def test_an_import_or_a_comment_of_mdx_is_no_title() -> None:
    text = "import Intro from './intro.mdx'\n\n{/*\n# Old title\n*/}\n\n# Title\n"

    assert read("a.mdx", text).title == "Title"


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nWe ship to Europe.\n\n---\nMore.",
        "---\nA break, then a text.\n---\n# Heading\n",
        "---\n# Heading\n---\nMore.",
        "---\nkey: never closed\n",
        "---",
        "+++\nnothing ends this",
        "+++\nno TOML\n+++\nText",
        '{"title": "A"} is an object.',
        "{{< shortcode >}}\n\nText.",
        "[1, 2]\n\nText.",
    ],
)
def test_what_only_begins_like_front_matter_stays(text: str) -> None:
    assert read("a.md", text).body == text


@pytest.mark.parametrize(
    "text", [f"---\ntitle: a{' ' * 19_000}x\n---\n", f"# a{' ' * 990}x\n", "# " + "[" * 99_000]
)
def test_a_title_of_many_characters_takes_no_time(text: str) -> None:
    read("a.md", "# warm\n")
    started = time.process_time()
    for _ in range(5):
        read("a.md", text)

    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("entry", "aliases"),
    [
        ("aliases: [home, Start page, HOME]", ("home", "Start page")),
        ("aliases:\n  - home\n  - 404", ("home", "404")),
        ("aliases: home", ("home",)),
        ("aliases: []", ()),
        ("aliases: [/old/home/, https://example.com/home]", None),
        ("aliases: {home: 1}", None),
        ("aliases:", None),
        ("title: Home", None),
        (f"aliases: [home, {'x' * 121}]", ("home",)),
    ],
)
def test_a_files_aliases_are_words_and_no_former_addresses(
    entry: str, aliases: tuple[str, ...] | None
) -> None:
    assert read("home.md", f"---\n{entry}\n---\n# Home\n").aliases == aliases
