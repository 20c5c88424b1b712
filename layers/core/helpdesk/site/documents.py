"""What the site shows of a document's text: its page as HTML, and its Markdown.

`article_cache` calls this in a process of its own, which alone imports this module. A parser can work for hours on a
text that someone made for that.
"""

import json
from typing import Any

from helpdesk.knowledge import prose
from helpdesk.site import markdown
from helpdesk_files import reading

MAX_HTML_BYTES = 5_000_000
"""Each view sends the whole page as a JSON string, and Lambda returns at most 6 MB."""
MAX_ADDRESSES = 5_000
"""Links to other files and mirrored images in a document. Each view looks up the address of each."""

# The parser and the lexers of the usual languages are ready before the first text, whose time is limited.
markdown.render("Ready", "```python\n1\n```\n```sh\nls\n```\n```json\n{}\n```")


class TooLarge(Exception):
    """Each view of the page would take too long."""


def made(body: bytes, title: str, path: str | None, url: str | None, is_mirrored: bool) -> dict[str, Any]:  # noqa: FBT001 - as JSON passes it
    """Return everything that is shown of a document, as `article_cache.Made` takes it. Raises TooLarge."""
    text = body.decode()
    shown = markdown.render(title, text, path=path, url=url, is_mirrored=is_mirrored)
    sent = len(json.dumps(shown.html, ensure_ascii=False).encode())
    if sent > MAX_HTML_BYTES or markdown.count_addresses(shown.html) > MAX_ADDRESSES:
        raise TooLarge
    return {
        "html": shown.html,
        "headings": [[each.level, each.id, each.text] for each in shown.headings],
        "description": shown.description,
        "language": shown.language,
        "markdown": _markdown(title, text, path),
    }


def _markdown(title: str, text: str, path: str | None) -> str:
    """Return a document as its readers see it, in Markdown, with its title once."""
    shown = prose.visible(text, path)
    is_titled = reading.as_title(reading.first_heading(shown)) == title
    return f"{shown}\n" if is_titled else f"# {title}\n\n{shown}\n"
