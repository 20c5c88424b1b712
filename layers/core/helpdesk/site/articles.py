"""The page of a document, its Markdown, and whether visitors find it helpful.

A rating is a yes or no from each visitor, which they can change. It is not of a customer: it is kept for 30 days by a
digest of network address and browser, so that one visitor counts once, and only the numbers stay.
"""

import base64
import random
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from http import HTTPStatus
from typing import Literal
from urllib.parse import unquote

from helpdesk.api.admission.anonymous import address_hash
from helpdesk.api.http.content import Content
from helpdesk.api.http.schemas import Form
from helpdesk.knowledge import document_store, images, publishing
from helpdesk.knowledge.pages import DocumentPage
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.logging import logger
from helpdesk.site import article_cache, contents, markdown, prose_language, rendering
from helpdesk.site.errors import PageNotFound
from helpdesk.site.links import article_path, folder_path
from helpdesk.site.sending import PUBLIC
from helpdesk.site.visit import Visit
from helpdesk.storage.stored import Key
from helpdesk.storage.table import Throttled

COUNTED_READS = 8
"""One view of so many is counted, as so many: a write for each would cost more than the page."""

_MARKDOWN = ".md"
_TRIES = 3
_PROGRAM = re.compile(r"bot|crawl|spider|slurp|curl|wget|python|preview|monitor", re.IGNORECASE)
_dice = random.Random()  # noqa: S311 - which views are counted is no secret


class RatingForm(Form):
    """The form below an article."""

    helpful: Literal["yes", "no"]
    """Whether the article helped."""


class MarkdownText(Content):
    """A document as its readers see it."""

    media_type = "text/markdown; charset=utf-8"


class Image(Content):
    """An image of a mirrored repository; its own header says of which type."""

    media_type = "application/octet-stream"


class MovedPermanently(Content):
    """A redirect to the present address of a page."""

    media_type = "text/plain; charset=utf-8"


def moved_to(address: str) -> Content:
    """Return a redirect (301) to another page of the site, by its path on the host."""
    return MovedPermanently("", {**PUBLIC, "location": address}, HTTPStatus.MOVED_PERMANENTLY)


def keys_of(organization: str, values: Mapping[str, str]) -> Sequence[Key]:
    """Return the keys of what an article's page shows."""
    return publishing.keys_of(organization, slug_in(values.get("name", ""))[0])


def show(visit: Visit, name: str) -> Content:
    """Return an article, or its Markdown where the address ends so or a program asks for it. Raises PageNotFound."""
    slug, wants_markdown = slug_in(name)
    found = publishing.find_page(visit.organization, slug, visit.found)
    if found is None or not found.is_public:
        raise PageNotFound
    page = found.page
    if page.is_gone:
        return rendering.problem(visit, "gone", HTTPStatus.GONE, headers={})
    if found.was_moved:
        return moved_to(visit.link(article_path(page) + (_MARKDOWN if wants_markdown else "")))
    if wants_markdown or _accepts_markdown(visit):
        text = _current(visit, page, article_cache.load).markdown
        headers = {
            **PUBLIC,
            "vary": "accept",
            "link": f'<{visit.address(article_path(page))}>; rel="canonical"',
        }
        return MarkdownText(text, headers)
    return _article(visit, page)


def show_image(visit: Visit, name: str, image: str) -> Content:
    """Return an image that a published article shows, by the name in its address. Raises PageNotFound.

    Which it shows is in its text: an image of an internal document is nobody's, also under the address of another one.
    """
    found = publishing.find_page(visit.organization, slug_in(name)[0], visit.found)
    if found is None or not found.is_public or found.page.is_gone or found.page.mirror is None:
        raise PageNotFound
    shown = markdown.images_in(_current(visit, found.page, article_cache.load).html)
    if image not in map(images.name_of, shown):
        raise PageNotFound
    content = images.read(visit.organization, found.page.mirror, image)
    media_type = None if content is None else images.type_of(content)
    if content is None or media_type is None:
        raise PageNotFound
    return Image(base64.b64encode(content).decode(), {**PUBLIC, "content-type": media_type}, is_base64=True)


def _article(visit: Visit, page: DocumentPage) -> Content:
    tree = publishing.tree_in(visit.organization, visit.found)
    shown = contents.load_contents(visit.organization, tree=tree, shown=page)
    html = _current(visit, page, article_cache.load)
    before, after = shown.around(page)
    place = shown.place_of(page)
    _count(visit, page)
    values = {
        "article": page,
        "body": rendering.trusted(_body(visit, page, shown, html.html)),
        "headings": html.headings,
        # Screen readers change their voice, and lines begin on the right, where the document asks for it.
        "written_in": html.language if html.language != visit.language else None,
        "direction": prose_language.direction(html.language),
        "description": html.description,
        "crumbs": [(folder.name, folder_path(folder)) for folder in shown.above(place)],
        "before": before,
        "after": after,
        "updated": datetime.fromtimestamp(page.updated_at / 1_000, UTC),
        "contents": shown,
        "place": place,
        "canonical": visit.address(article_path(page)),
        "markdown_path": f"{article_path(page)}{_MARKDOWN}",
    }
    return rendering.page("article", visit, values, title=page.title, shared=True, headers={"vary": "accept"})


def _body(visit: Visit, page: DocumentPage, shown: publishing.Contents, html: str) -> str:
    """Return an article's HTML with the present addresses of other articles and of its images."""
    led = markdown.resolved(html, partial(_address_of, visit, shown, page))
    at = f"{article_path(page)}/images/"
    return markdown.with_images(led, lambda path: visit.link(at + images.name_of(path)))


def _current[T](visit: Visit, page: DocumentPage, read: "publishing.Reader[T]") -> T:
    """Return what is made of a page's text, even if the text was replaced after the page was read."""
    for _ in range(_TRIES):
        try:
            return read(page)
        except document_store.TextMissing:
            fresh = publishing.page_at(visit.organization, page.slug)
            if fresh is None or not fresh.text_key:
                raise PageNotFound from None
            page = fresh
    raise PageNotFound


def _address_of(visit: Visit, shown: publishing.Contents, page: DocumentPage, link: str) -> str | None:
    target = shown.links.target(page, link)
    return visit.link(article_path(target)) if isinstance(target, DocumentPage) else target


def _count(visit: Visit, page: DocumentPage) -> None:
    """Count some of the views, as many as they stand for."""
    if _dice.randrange(COUNTED_READS) or _PROGRAM.search(visit.client.headers.get("user-agent", "")):
        return
    try:
        publishing.count_reads(visit.organization, page.slug, COUNTED_READS)
    except Throttled:
        logger.info("read_not_counted")


def slug_in(name: str) -> tuple[str, bool]:
    """Return the slug in the last part of an address, and whether it asks for Markdown."""
    name = unquote(name)
    return name.removesuffix(_MARKDOWN), name.endswith(_MARKDOWN)


def _accepts_markdown(visit: Visit) -> bool:
    """Return whether a program prefers Markdown: it names that and not HTML."""
    accepted = visit.client.headers.get("accept", "").lower()
    return "text/markdown" in accepted and "text/html" not in accepted


def rate(visit: Visit, name: str) -> Content:
    """Count a visitor's answer, and thank them. Raises PageNotFound, FormNotOwn, InvalidRequest."""
    found = publishing.find_page(visit.organization, slug_in(name)[0], visit.found)
    if found is None or not found.is_public or found.page.is_gone:
        raise PageNotFound
    form = visit.form(RatingForm)
    publishing.rate(visit.organization, found.page, _visitor_hash(visit), helpful=form.helpful == "yes")
    values = {"back": article_path(found.page), "article": found.page}
    return rendering.page("rated", visit, values, title=found.page.title, status=HTTPStatus.OK)


def _visitor_hash(visit: Visit) -> str:
    browser = visit.client.headers.get("user-agent", "")
    return sha256_hex(f"{visit.organization} {address_hash(visit.client.address)} {browser}")
