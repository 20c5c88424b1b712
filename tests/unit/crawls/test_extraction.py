"""Pages as Markdown, compared with what a person would write; wrong charsets; what pages say about themselves."""

import pytest

from helpdesk.crawls.extraction import read_html, read_markdown

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
