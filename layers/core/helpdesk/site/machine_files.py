"""Files for programs: robots.txt, sitemap.xml, llms.txt."""

from datetime import UTC, datetime
from xml.sax.saxutils import escape

from helpdesk.api.http.content import Content
from helpdesk.knowledge.folders import ROOT
from helpdesk.knowledge.publishing import Contents
from helpdesk.site import contents
from helpdesk.site.links import article_path, folder_path
from helpdesk.site.sending import PUBLIC
from helpdesk.site.visit import Visit

MAX_ADDRESSES = 50_000
"""The most that a sitemap may have (sitemaps.org)."""
MAX_POSTS = 1_000
"""The latest public posts are in the sitemap; crawlers find others from the board's pages."""


class PlainText(Content):
    """A text file."""

    media_type = "text/plain; charset=utf-8"


class Xml(Content):
    """An XML file."""

    media_type = "application/xml; charset=utf-8"


def robots(visit: Visit) -> Content:
    """Return robots.txt (RFC 9309). A crawler reads it where the site is a host of its own."""
    text = f"User-agent: *\nDisallow: {visit.link('/search')}\nSitemap: {visit.address('/sitemap.xml')}\n"
    return PlainText(text, PUBLIC)


def sitemap(visit: Visit) -> Content:
    """Return the addresses of the home page, the folders, the articles, the way to the team, the board and its posts.

    A query for each board after the site's own read, where the board is shown.
    """
    shown = contents.load_contents(visit.organization)
    entries = [_entry(visit.address("/"), None)]
    entries += [
        _entry(visit.address(folder_path(shown.folders[folder_id])), None)
        for folder_id, _, _ in shown.tree.walk()
        if folder_id in shown.folders and shown.count_in(folder_id)
    ]
    entries += [_entry(visit.address(article_path(page)), page.updated_at) for page in shown.pages]
    entries += [_entry(visit.address(path), None) for path in (*_contact(visit), *_board(visit))]
    body = "\n".join(entries[:MAX_ADDRESSES])
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        f"{body}\n</urlset>\n"
    )
    return Xml(text, PUBLIC)


def _contact(visit: Visit) -> list[str]:
    return ["/contact"] if visit.site.settings.show_contact else []


def _board(visit: Visit) -> list[str]:
    if not visit.site.settings.show_board:
        return []
    # Imported where they are needed: most starts of this function are for someone who reads an article.
    from helpdesk.board import public  # noqa: PLC0415
    from helpdesk.board.rendering import path_of  # noqa: PLC0415
    from helpdesk.board.schemas import PostSort  # noqa: PLC0415
    from helpdesk.board.settings import BoardSettings, settings_of  # noqa: PLC0415

    settings = settings_of(visit.organization, visit.found.get(BoardSettings.key_for(visit.organization)))
    posts, _ = public.posts(visit.organization, settings, sort=PostSort.NEWEST, limit=MAX_POSTS)
    return ["/board", "/board/roadmap", *(path_of(post) for post in posts)]


def _entry(address: str, updated_at: int | None) -> str:
    changed = ""
    if updated_at is not None:
        changed = f"<lastmod>{datetime.fromtimestamp(updated_at / 1_000, UTC):%Y-%m-%dT%H:%M:%SZ}</lastmod>"
    return f"<url><loc>{escape(address)}</loc>{changed}</url>"


def llms(visit: Visit) -> Content:
    """Return llms.txt: the site for language models, with the Markdown of each article (llmstxt.org)."""
    shown = contents.load_contents(visit.organization)
    lines = [f"# {_line(visit.site.title)}", ""]
    if visit.site.settings.intro:
        lines += [f"> {_line(visit.site.settings.intro)}", ""]
    lines += [*_articles(visit, shown, ROOT)]
    for folder_id, _, _ in shown.tree.walk():
        listed = _articles(visit, shown, folder_id)
        if listed:
            names = " / ".join(_line(folder.name) for folder in shown.above(folder_id))
            lines += ["", f"## {names}", "", *listed]
    return PlainText("\n".join(lines).rstrip() + "\n", PUBLIC)


def _articles(visit: Visit, shown: Contents, folder_id: str) -> list[str]:
    return [
        f"- [{_line(page.title)}]({visit.address(article_path(page))}.md)"
        for page in shown.pages_in(folder_id)
    ]


def _line(text: str) -> str:
    """Return text on one line that ends no link of Markdown."""
    return " ".join(text.split()).replace("[", "\\[").replace("]", "\\]")
