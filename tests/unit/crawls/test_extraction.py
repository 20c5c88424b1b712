"""Pages as Markdown, compared with what a person would write; wrong charsets; what pages say about themselves."""

import pytest

from helpdesk.knowledge.crawls.extraction import read_html, read_markdown

PAGE = """<!doctype html><html lang="en"><head><title>Install | Fern</title></head><body>
<header><a href="/">Fern</a></header><nav><ul><li><a href="/docs/start">Start</a></li></ul></nav>
<div class="wrap"><main><nav class="breadcrumbs"><a href="/docs">Docs</a> / Install</nav>
<article><h1 id="install">Install Fern<a class="headerlink" href="#install">¶</a></h1>
<p>Fern needs <strong>Python 3.13</strong> and <code>pip</code>. See the <a href="../faq?x=1">FAQ</a>.</p>
<h2><a href="#steps">#</a>Steps</h2>
<ol><li>Download it:<div class="highlight-bash"><pre><span>pip</span> install fern
fern --version
</pre></div></li><li>Start it.</li></ol>
<pre><code class="language-python">import fern
fern.run()
</code></pre>
<ul><li>Linux<ul><li>Debian</li></ul></li><li>macOS</li></ul>
<table><thead><tr><th>Option</th><th>Default</th></tr></thead><tbody><tr><td><code>port</code></td><td>8080</td></tr></tbody></table>
<blockquote><p>Keep your key secret.</p></blockquote>
<p><img src="/shot.png" alt="The start page"><img src="/spacer.gif"></p>
<script>track()</script><button>Copy</button><svg><text>icon</text></svg><form><input value="search"></form></article>
<aside>Related</aside></main></div><footer>Imprint</footer></body></html>"""

WRITTEN = """# Install Fern

Fern needs **Python 3.13** and `pip`. See the [FAQ](https://fern.example/faq?x=1).

## Steps

1. Download it:

   ```bash
   pip install fern
   fern --version
   ```

2. Start it.

```python
import fern
fern.run()
```

- Linux
  - Debian
- macOS

| Option | Default |
| --- | --- |
| `port` | 8080 |

> Keep your key secret.

![The start page](https://fern.example/shot.png)"""


def test_a_page_is_what_a_person_would_write() -> None:
    found = read_html(PAGE.encode(), "text/html; charset=utf-8", "https://fern.example/docs/install")

    assert found["title"] == "Install Fern"
    assert found["text"] == WRITTEN


def test_links_are_absolute_and_those_of_navigation_count() -> None:
    found = read_html(PAGE.encode(), "text/html", "https://fern.example/docs/install")

    assert found["links"] == [
        "https://fern.example/",
        "https://fern.example/docs/start",
        "https://fern.example/docs",
        "https://fern.example/faq?x=1",
    ]


def test_a_page_without_a_main_part_leaves_navigation_out() -> None:
    around = ("<div class=navbar><a href=/>Home</a></div>", "<div class=footer>2026</div>")
    page = f"<title>Prices - Fern</title>{around[0]}<p>It is free.</p>{around[1]}"

    found = read_html(page.encode(), "text/html", "https://fern.example/")

    assert (found["title"], found["text"]) == ("Prices", "It is free.")


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("Grüße".encode(), "text/html; charset=utf-8"),
        ("Grüße".encode(), "text/html"),
        ("Grüße".encode(), "text/html; charset=iso-8859-1"),
        ("Grüße".encode("cp1252"), "text/html; charset=utf-8"),
        ("Grüße".encode("cp1252"), "text/html"),
        ("Grüße".encode("cp1252"), "text/html; charset=nonsense"),
        ("Grüße".encode("cp1252"), "text/html; charset=rot13"),
        (b"<meta charset=windows-1252>" + "Grüße".encode("cp1252"), "text/html"),
        ("Grüße".encode("utf-16"), "text/html; charset=utf-8"),
        (b"\xef\xbb\xbf" + "Grüße".encode(), "text/html; charset=latin1"),
    ],
)
def test_a_wrong_charset_is_seen_through(body: bytes, content_type: str) -> None:
    assert read_html(body, content_type, "https://fern.example/")["text"] == "Grüße"


@pytest.mark.parametrize(
    ("label", "codec", "text"),
    [
        ("gb2312", "gb18030", "朱镕基 𠀀"),
        ("GBK", "gb18030", "朱镕基"),
        ("euc-kr", "cp949", "뷁 한국어"),
        ("ks_c_5601-1987", "cp949", "뷁 한국어"),
        ("big5", "big5hkscs", "喺香港嘅"),
        ("big5-hkscs", "big5hkscs", "喺香港嘅"),
        ("shift_jis", "cp932", "①㈱髙"),
        ("x-sjis", "cp932", "①㈱髙"),
        ("euc-jp", "euc_jp", "日本語"),
        ("x-euc-jp", "euc_jp", "日本語"),
        ("iso-2022-jp", "iso2022_jp", "日本語"),
        ("iso-8859-1", "cp1252", "“Grüße” – €"),
        ("iso-8859-9", "cp1254", "“İstanbul”"),
        ("tis-620", "cp874", "“รหัสผ่าน”"),
        ("iso-8859-8-i", "iso8859-8", "שלום"),
        ("iso-8859-15", "iso8859-15", "Œuvre à 5 €"),
        ("windows-1251", "cp1251", "Привет"),
        ("x-cp1251", "cp1251", "Привет"),
        ("koi8-u", "koi8-u", "Привіт"),
        ("macintosh", "mac_roman", "Grüße"),
        ("utf-16le", "utf-16-le", "Grüße 日本語"),
        ("unicode-1-1-utf-8", "utf-8", "Grüße 日本語"),
    ],
)
def test_a_page_is_read_in_its_charset_as_browsers_know_it(label: str, codec: str, text: str) -> None:
    found = read_html(text.encode(codec), f"text/html; Charset='{label}'", "https://fern.example/")

    assert found["text"] == text


def test_characters_that_japanese_computers_added_to_the_standard_are_read() -> None:
    in_euc_jp = b"\xad\xa1\xad\xea\xfc\xe2"
    in_iso_2022_jp = b"\x1b$B\x2d\x21\x2d\x6a\x1b(B"

    assert read_html(in_euc_jp, "text/html; charset=euc-jp", "https://fern.example/")["text"] == "①㈱髙"
    assert (
        read_html(in_iso_2022_jp, "text/html; charset=iso-2022-jp", "https://fern.example/")["text"] == "①㈱"
    )


@pytest.mark.parametrize(
    ("label", "body", "text"),
    [
        ("gb2312", "简".encode("gb18030") + b"\xff" + "体".encode("gb18030"), "简\ufffd体"),
        ("euc-kr", "한".encode("cp949") + b"\xff" + "국".encode("cp949"), "한\ufffd국"),
        ("shift_jis", "日".encode("cp932") + b"\x81 " + "本".encode("cp932"), "日\ufffd 本"),
        ("euc-jp", "日".encode("euc_jp") + b"\xff" + "本".encode("euc_jp"), "日\ufffd本"),
        ("utf-8", "日".encode() + b"\xff" + "本".encode(), "日\ufffd本"),
        ("windows-1251", "При".encode("cp1251") + b"\x98", "При\ufffd"),
    ],
)
def test_a_bad_byte_costs_one_character_and_not_the_page(label: str, body: bytes, text: str) -> None:
    assert read_html(body, f"text/html; charset={label}", "https://fern.example/")["text"] == text


@pytest.mark.parametrize(
    "declaration",
    [
        "<meta charset=euc-kr>",
        "<META HTTP-EQUIV='Content-Type' CONTENT='text/html; charset=euc-kr'>",
        "<!-- <meta charset=utf-8> --><meta content='text/html;charset=EUC-KR' http-equiv=content-type>",
        "<meta name=description content='charset=utf-8'><meta charset='ks_c_5601-1987'>",
        "<?xml version='1.0' encoding='euc-kr'?>",
        "<meta charset=nonsense><meta charset=euc-kr>",
    ],
)
def test_a_page_declares_its_charset_itself(declaration: str) -> None:
    body = (declaration + "<p>뷁 한국어").encode("cp949")

    assert read_html(body, "text/html", "https://fern.example/")["text"] == "뷁 한국어"


def test_the_header_has_the_word_before_the_page() -> None:
    body = "<meta charset=utf-8>Привет".encode("cp1251")

    found = read_html(body, "text/html; charset=windows-1251", "https://fern.example/")

    assert found["text"] == "Привет"


def test_a_page_that_can_only_be_ascii_does_not_declare_utf_16() -> None:
    body = "<meta charset=utf-16>Grüße".encode()

    assert read_html(body, "text/html", "https://fern.example/")["text"] == "Grüße"


def test_markdown_is_read_in_the_charset_of_its_header() -> None:
    found = read_markdown(
        "# 뷁".encode("cp949"), "text/markdown; charset=euc-kr", "https://fern.example/a.md"
    )

    assert found["text"] == "# 뷁"


def test_a_page_says_what_it_wants() -> None:
    head = (
        "<meta name=ROBOTS content='NoIndex, NOFOLLOW'><link rel=canonical href=/a>"
        "<link rel=alternate type=text/markdown href=a.md><meta http-equiv=Refresh content='0; URL=/b'>"
    )

    found = read_html(f"{head}<a href=/c>c</a>".encode(), "text/html", "https://fern.example/x/")

    assert found["noindex"] is True
    assert found["links"] == []
    assert found["canonical"] == "https://fern.example/a"
    assert found["alternate"] == "https://fern.example/x/a.md"
    assert found["refresh"] == "https://fern.example/b"


@pytest.mark.parametrize(
    "body", [b"", b"\0" * 1_000, b"<" * 10_000, b"\xff\xfe", bytes(range(256)) * 50, b"<!--" * 999]
)
def test_nonsense_is_no_error(body: bytes) -> None:
    assert isinstance(read_html(body, "text/html", "https://fern.example/")["text"], str)
    assert isinstance(read_markdown(body, "text/markdown", "https://fern.example/")["text"], str)


def test_markdown_keeps_its_text_and_loses_its_front_matter() -> None:
    body = b'---\ntitle: "Install"\n---\n\n# Install Fern\n\nSee [the FAQ](../faq.md).\n'

    found = read_markdown(body, "text/markdown", "https://fern.example/docs/install.md")

    assert (found["title"], found["text"]) == ("Install Fern", "# Install Fern\n\nSee [the FAQ](../faq.md).")
    assert found["links"] == ["https://fern.example/faq.md"]
