"""Everything that reads what a customer, a visitor or another website wrote, by what it makes of it.

`seconds` is called in another process, which can be ended.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from helpdesk.conversations.errors import MAX_BODY_CHARACTERS
from helpdesk.knowledge import markdown as sections
from helpdesk.knowledge import prose
from helpdesk.knowledge.quoting import excerpt
from helpdesk.knowledge.vectorizing import texts_of
from helpdesk.platform.errors import InvalidRequest
from helpdesk.search.terms import terms_of, words_of
from helpdesk.site import bare_links, custom_css, markdown, markdown_parser, prose_language
from helpdesk_files import front_matter, reading

type Reader = Callable[[str], Any]


def _stylesheet(text: str) -> None:
    with suppress(InvalidRequest):
        custom_css.checked(text)


def _sections(text: str) -> None:
    for section in sections.sections("Title", text):
        texts_of("Title", section)
        excerpt(section.text, lambda block: len(block) % 7)


READERS: dict[str, tuple[Reader, int]] = {
    "page": (lambda text: markdown.render("Title", text), 20_000),
    "page of HTML": (lambda text: markdown.render("Title", f"<div>{text}"), 20_000),
    "answer": (lambda text: markdown.render("", text, is_part=True), MAX_BODY_CHARACTERS),
    "message, post or comment": (bare_links.linked.__wrapped__, 10_000),
    "excerpt": (reading.plain_text, 100_000),
    "Markdown": (prose.visible, 100_000),
    "MDX": (lambda text: reading.as_markdown(text, "a.mdx"), 100_000),
    "title": (lambda text: reading.as_title(reading.first_heading(text)), 20_000),
    "front matter": (lambda text: front_matter.parsed(f"---\n{text}\n---\n").get("title"), 100_000),
    "sections": (_sections, 100_000),
    "language": (prose_language.language_of, 100_000),
    "terms": (terms_of, 100_000),
    "words": (lambda text: list(words_of(text)), 100_000),
    "stylesheet": (_stylesheet, custom_css.MAX_CSS_CHARACTERS),
}
"""Readers, and the number of characters with which `make test-all` measures each."""


def _coloured(language: str) -> Reader:
    def colour(text: str) -> str:
        most = markdown_parser.MAX_COLOURED_LINE
        lines = "\n".join(text[at : at + most] for at in range(0, len(text), most))
        return markdown.render("Title", f"~~~{language}\n{lines}\n~~~").html

    return colour


COLOURED = {
    f"code in {each}": (_coloured(each), markdown_parser.MAX_COLOURED_CHARACTERS * 99 // 100)
    for each in sorted(markdown_parser.LANGUAGES)
}
"""The same of code, in lines that are as long as those with colors can be."""


def seconds(body: bytes, name: str) -> float:
    """Return how many seconds of the processor a reader takes for a text."""
    read, _ = (READERS | COLOURED)[name]
    text = body.decode()
    began = time.process_time()
    read(text)
    return time.process_time() - began
