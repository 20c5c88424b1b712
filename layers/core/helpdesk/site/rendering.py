"""Rendering of the pages: Jinja templates in which every value is escaped."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from helpdesk.api.http.content import HtmlPage
from helpdesk.site import assets, bare_links, framing
from helpdesk.site.links import article_path, folder_path
from helpdesk.site.sending import OWN, PRIVATE, PUBLIC, WITH_SCRIPTS
from helpdesk.site.texts import Texts, texts_in
from helpdesk.site.visit import Visit
from helpdesk.visitor_texts.languages import DEFAULT_LANGUAGE

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

TEMPLATES = Path(__file__).with_name("templates")

MOST_UNFOLDED = 300
"""Of a site with more documents than this, the list of topics has those of the topic that is open alone.

The other topics are links then: on every page is what this list has, so that all documents would be sent with each.
"""
MOST_OF_A_TOPIC = 100
"""Documents of one topic in that list; a link leads to all of them."""


def page(
    template: str,
    visit: Visit,
    values: Mapping[str, object],
    *,
    title: str = "",
    status: int | None = None,
    shared: bool = False,
    headers: Mapping[str, str] | None = None,
) -> HtmlPage:
    """Return a page of a site from a template; every value is escaped.

    `title` stands before the site's title; the home page has none. A `shared` page is the same for everyone who is not
    signed in, and proxies keep it. docs/guides/help-site.md names the values that every template has.
    """
    shown = context(visit) | (framing.context(visit, template) if visit.is_framed else {})
    shown |= {"title": title, **values}
    text = environment().get_template(f"{template}.html").render(shown)
    caching = PRIVATE if not shared else OWN if visit.browser.visitor else PUBLIC
    policy = {"content-security-policy": WITH_SCRIPTS} if shown["search_script"] else {}
    sent = policy | dict(headers or {})
    by_language = "accept-language" if visit.site.settings.language is None else None
    vary = ", ".join(filter(None, [by_language, sent.pop("vary", None), "cookie"]))
    return HtmlPage(text, {**caching, "vary": vary, **sent}, status)


def context(visit: Visit) -> dict[str, Any]:
    """Return the values that every template of a site has."""
    site = visit.site
    return {
        "site": site,
        "settings": site.settings,
        "visit": visit,
        "link": visit.link,
        "t": texts_in(visit.language),
        "language": visit.language,
        "article_path": article_path,
        "folder_path": folder_path,
        "styles": [visit.link(path) for path in assets.styles_of(site.settings)],
        "search_script": visit.link(assets.script_path("search")),
        "appearance": site.settings,
        "account": _account(visit),
        "most_unfolded": MOST_UNFOLDED,
        "most_of_a_topic": MOST_OF_A_TOPIC,
    }


def _account(visit: Visit) -> dict[str, str] | None:
    """Return what the header needs to sign in or out; None where visitors cannot sign in, and on the pages for it."""
    # What answers a form has no address to come back to.
    here = quote(unquote(visit.path.lstrip("/")), safe="/-._~") if visit.request.method == "GET" else ""
    visitor = visit.browser.visitor
    if here.partition("/")[0] == "sign-in":
        return None
    if visitor is not None:
        return {"to": here, "csrf": visit.browser.csrf, "name": visitor.name or visitor.email or ""}
    return {"to": here, "csrf": "", "name": ""} if visit.signs_in else None


def problem(visit: Visit | None, name: str, status: int, *, headers: Mapping[str, str]) -> HtmlPage:
    """Return the page that says what went wrong: in the site's own frame, or a plain one where there is no site."""
    if visit is None:
        t: Texts = texts_in(DEFAULT_LANGUAGE)
        values = {"t": t, "name": name, "language": DEFAULT_LANGUAGE}
        return HtmlPage(
            environment().get_template("problem_plain.html").render(values), {**PRIVATE, **headers}, status
        )
    t = texts_in(visit.language)
    template = "widget_problem" if visit.is_framed else "problem"
    title = t[f"problem.{name}.title"]
    return page(template, visit, {"name": name}, title=title, status=status, headers=headers)


def trusted(html: str) -> "Markup":
    """Return HTML that templates insert as it is: only what `markdown` or `bare_links` has cleaned."""
    from markupsafe import Markup  # noqa: PLC0415

    return Markup(html)  # noqa: S704 - cleaned by nh3


@cache
def environment() -> "Environment":
    """Return the templates' environment: autoescaping, and an undefined name is an error."""
    # Imported with the first page, as requests for style sheets render none.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415

    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["linked"] = lambda text: trusted(bare_links.linked(text))
    return made
