"""What the site shows of documents: made once of each text, kept in S3 beside it, and remembered by the environment.

Anyone's view may be the first one, and a text may be made to keep a parser busy. So it is read in a process that ends
after MAX_SECONDS. A text that takes longer is shown as it was written, and that is kept like any other result: the next
reader waits for nothing.
"""

import json
from functools import cache
from typing import Any

from helpdesk.knowledge import document_store, prose
from helpdesk.knowledge.pages import DocumentPage
from helpdesk.platform import clock
from helpdesk.platform.isolation import Isolated, NotStarted, Unreadable
from helpdesk.platform.logging import logger
from helpdesk.platform.record import Record
from helpdesk.platform.text import escaped, first_words
from helpdesk.platform.units import DAY_MS, MINUTE_MS
from helpdesk.site import markdown
from helpdesk.site.markdown_tokens import MAX_DESCRIPTION_CHARACTERS, Heading

MAX_SECONDS = 2.0
"""How long a text may take to become HTML."""
MAX_MEMORY_BYTES = 700_000_000
"""The function has 1,024 MB, and needs some of it itself."""
RETRIED_MS = DAY_MS
"""How long a text is shown as it was written after its HTML could not be made. A busy machine can be the reason."""
HELD_MS = MINUTE_MS
"""How long other views show a text as it was written while one view waits for its HTML, which takes unusually long."""

_MOST_REMEMBERED_CHARACTERS = 20_000_000

_remembered: dict[str, "Made"] = {}


class Made(Record):
    """What is shown of a document.

    html            its page
    headings        those of the table of contents
    description     its first paragraph, cut
    language        None where it isn't clear
    markdown        what programs get, with its title
    until           ms; None for a result that stays
    """

    html: str
    headings: tuple[Heading, ...]
    description: str
    language: str | None
    markdown: str
    until: int | None = None


def load(page: DocumentPage) -> Made:
    """Return what is shown of a document. No call if it is remembered, one if it is kept, three the first time.

    Raises document_store.TextMissing if the text was replaced since the page was read.
    """
    # What it is made of: the text, which never changes under its key, and what decides where its links lead.
    is_mirrored = page.mirror is not None
    release = [markdown.RELEASE, prose.RELEASE]
    key = json.dumps([page.text_key, page.title, page.path, page.url, is_mirrored, release])
    known = _remembered.get(key)
    if known is not None:
        return known
    kept = _from_body(document_store.read_derived(page.text_key), key)
    if kept is not None and kept.until is not None:
        if clock.now_ms() < kept.until:
            return kept
        kept = None
    found = kept or _made(page, key)
    if found.until is None:
        _remember(key, found)
    return found


@cache
def process() -> Isolated:
    """Return the environment's renderer, whose process lives as long as the environment."""
    return Isolated("helpdesk.site.documents", MAX_SECONDS, MAX_MEMORY_BYTES)


def forget() -> None:
    """Forget every document; for tests."""
    _remembered.clear()


def _made(page: DocumentPage, key: str) -> Made:
    text = document_store.read(page.text_key)
    plain = _plain(page.title, text)

    def hold() -> None:
        held = plain | {"until": clock.now_ms() + HELD_MS}
        document_store.write_derived(page.text_key, _to_body(held, key))

    try:
        found: dict[str, Any] = process().call(
            "made", text.encode(), page.title, page.path, page.url, page.mirror is not None, meanwhile=hold
        )
    except NotStarted:
        logger.error("renderer_not_started")
        return _from_fields(plain | {"until": clock.now_ms()})
    except Unreadable:
        logger.warning("document_not_rendered", extra={"document": page.document_id})
        found = plain | {"until": clock.now_ms() + RETRIED_MS}
    document_store.write_derived(page.text_key, _to_body(found, key))
    return _from_fields(found)


def _plain(title: str, text: str) -> dict[str, Any]:
    """Return a document as it was written. This takes linear time, and its HTML has no more than the text's lines."""
    paragraphs = (part.strip("\n") for part in text.split("\n\n"))
    return {
        "html": "\n".join(f"<p>{escaped(part).replace('\n', '<br>')}</p>" for part in paragraphs if part),
        "headings": [],
        "description": first_words(" ".join(text[:1_000].split()), MAX_DESCRIPTION_CHARACTERS),
        "language": None,
        "markdown": f"# {title}\n\n{text}\n",
    }


def _remember(key: str, found: Made) -> None:
    if (
        sum(len(each.html) + len(each.markdown) for each in _remembered.values())
        > _MOST_REMEMBERED_CHARACTERS
    ):
        _remembered.clear()
    _remembered[key] = found


def _to_body(fields: dict[str, Any], key: str) -> bytes:
    return json.dumps(fields | {"key": key}, ensure_ascii=False).encode()


def _from_body(body: bytes | None, key: str) -> Made | None:
    """Return what was kept; None if it was made otherwise than it would be now."""
    fields: dict[str, Any] = {} if body is None else json.loads(body)
    return _from_fields(fields) if fields.pop("key", None) == key else None


def _from_fields(fields: dict[str, Any]) -> Made:
    return Made(**fields | {"headings": tuple(Heading(*each) for each in fields["headings"])})
