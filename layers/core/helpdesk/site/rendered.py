"""The HTML of documents: made once of each text, kept in S3 beside it, and remembered by the execution environment."""

import json
from typing import Any

from helpdesk.knowledge import publishing
from helpdesk.knowledge.pages import DocumentPage
from helpdesk.site import markdown
from helpdesk.site.markdown import Rendered
from helpdesk.site.markdown_tokens import Heading

_MOST_REMEMBERED_CHARACTERS = 20_000_000

_remembered: dict[str, Rendered] = {}
_sizes: dict[str, int] = {}


def of(page: DocumentPage) -> Rendered:
    """Return a document as HTML. No call if it is remembered, one if it is kept, three the first time.

    Raises publishing.TextMissing if the text was replaced since the page was read.
    """
    # What it is made of: the text, which never changes under its key, and what decides where its links lead.
    is_mirrored = page.mirror is not None
    key = json.dumps([page.text_key, page.title, page.path, page.url, is_mirrored, markdown.RELEASE])
    known = _remembered.get(key)
    if known is not None:
        return known
    found = _from_body(publishing.kept_html(page), key)
    if found is None:
        text = publishing.text_of(page)
        found = markdown.render(page.title, text, path=page.path, url=page.url, is_mirrored=is_mirrored)
        publishing.keep_html(page, _to_body(found, key))
    if sum(_sizes.values()) > _MOST_REMEMBERED_CHARACTERS:
        _remembered.clear()
        _sizes.clear()
    _remembered[key], _sizes[key] = found, len(found.html)
    return found


def forget() -> None:
    """Forget every document; for tests."""
    _remembered.clear()
    _sizes.clear()


def _to_body(rendered: Rendered, key: str) -> bytes:
    headings = [[each.level, each.id, each.text] for each in rendered.headings]
    body = {
        "key": key,
        "html": rendered.html,
        "headings": headings,
        "description": rendered.description,
        "language": rendered.language,
    }
    return json.dumps(body, ensure_ascii=False).encode()


def _from_body(body: bytes | None, key: str) -> Rendered | None:
    """Return what was kept; None if it was made otherwise than it would be now."""
    found: dict[str, Any] = {} if body is None else json.loads(body)
    if found.get("key") != key:
        return None
    headings = tuple(Heading(*each) for each in found["headings"])
    return Rendered(found["html"], headings, found["description"], found["language"])
