"""The reference page: the whole document, and nothing from other hosts."""

import re
from html.parser import HTMLParser

import pytest

from helpdesk.api.reference.page import render_page
from scripts.openapi.document import document

DOCUMENT = document()
PAGE = render_page(DOCUMENT)
# Void elements.
VOID = {"meta", "link", "br", "hr", "img", "input"}


class Reader(HTMLParser):
    """Collects the elements of the page, and requires that every element is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        known = dict(attrs)
        if known.get("id"):
            self.ids.append(known["id"] or "")
        if "href" in known:
            self.links.append(known["href"] or "")
        self.faults += [
            f"{tag} {name}" for name in known if name.startswith("on") or name in {"src", "style"}
        ]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"/{tag} at {self.getpos()}")


@pytest.fixture(scope="module")
def reader() -> Reader:
    reader = Reader()
    reader.feed(PAGE)
    return reader


def test_the_page_is_well_formed(reader: Reader) -> None:
    assert reader.faults == []
    assert reader.open == []
    assert len(reader.ids) == len(set(reader.ids))


def test_the_page_loads_and_runs_nothing(reader: Reader) -> None:
    assert reader.tags.isdisjoint({"script", "img", "iframe", "link", "form", "object"})
    assert not re.search(r"url\(|@import", PAGE)


def test_every_link_leads_to_a_part_of_the_page_or_to_the_document(reader: Reader) -> None:
    targets = {f"#{name}" for name in reader.ids} | {"openapi.json"}

    assert set(reader.links) <= targets


def test_every_operation_and_event_has_an_anchor(reader: Reader) -> None:
    names = {
        operation["operationId"]
        for section in ("paths", "webhooks")
        for item in DOCUMENT[section].values()
        for operation in item.values()
    }

    assert names <= set(reader.ids)


def test_the_page_declares_its_language_and_fits_a_phone() -> None:
    assert '<html lang="en">' in PAGE
    assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in PAGE


def test_text_of_the_document_is_escaped() -> None:
    hostile = {**DOCUMENT, "info": {**DOCUMENT["info"], "title": "<b>bold</b> & co"}}

    assert "<h1>&lt;b&gt;bold&lt;/b&gt; &amp; co</h1>" in render_page(hostile)
