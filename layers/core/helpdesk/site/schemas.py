"""Requests and responses of the help site's settings and appearance (docs/guides/help-site.md)."""

from typing import Annotated

from pydantic import AfterValidator

from helpdesk.api.http.schemas import Answer, Body, Milliseconds, schema_hint
from helpdesk.platform.settings import settings
from helpdesk.platform.text import as_name, is_blank, trimmed
from helpdesk.site import colours
from helpdesk.site.custom_css import MAX_CSS_CHARACTERS
from helpdesk.site.errors import (
    MAX_FOOTER_LINKS,
    MAX_INTRO_CHARACTERS,
    MAX_LINK_LABEL_CHARACTERS,
    MAX_LINK_URL_CHARACTERS,
    MAX_LOGO_URL_CHARACTERS,
    MAX_ORIGIN_CHARACTERS,
    MAX_TITLE_CHARACTERS,
    MAX_WIDGET_ORIGINS,
)
from helpdesk.site.links import is_page_address, origin_of
from helpdesk.site.record import Navigation, Scheme, Theme
from helpdesk.visitor_texts.languages import Language


def _title(value: str) -> str:
    line = " ".join(as_name(value).split())
    if not line or len(trimmed(value)) > MAX_TITLE_CHARACTERS:
        raise ValueError(f"must be 1 to {MAX_TITLE_CHARACTERS} characters, or null")
    return line


def _intro(value: str) -> str:
    if len(trimmed(value)) > MAX_INTRO_CHARACTERS:
        raise ValueError(f"must be at most {MAX_INTRO_CHARACTERS} characters")
    return "" if is_blank(value) else trimmed(value)


def _label(value: str) -> str:
    line = " ".join(as_name(value).split())
    if not line or len(trimmed(value)) > MAX_LINK_LABEL_CHARACTERS:
        raise ValueError(f"must be 1 to {MAX_LINK_LABEL_CHARACTERS} characters")
    return line


def _logo_url(value: str) -> str:
    if len(value) > MAX_LOGO_URL_CHARACTERS or not is_page_address(value, schemes=("https",)):
        raise ValueError(f"must be an https address of at most {MAX_LOGO_URL_CHARACTERS} characters, or null")
    return value


def _link_url(value: str) -> str:
    if len(value) > MAX_LINK_URL_CHARACTERS or not is_page_address(
        value, schemes=("https", "http", "mailto")
    ):
        raise ValueError(
            f"must be an https, http or mailto address of at most {MAX_LINK_URL_CHARACTERS} characters"
        )
    return value


def _footer_links(value: "list[FooterLinkInput]") -> "list[FooterLinkInput]":
    if len(value) > MAX_FOOTER_LINKS:
        raise ValueError(f"must have at most {MAX_FOOTER_LINKS} links")
    return value


def _origin(value: str) -> str:
    found = origin_of(value, allow_loopback=settings().allow_loopback_urls)
    if found is None or len(value) > MAX_ORIGIN_CHARACTERS:
        raise ValueError("must be an https origin without a path, such as https://shop.example.com")
    return found


def _origins(value: list[str]) -> list[str]:
    if len(value) > MAX_WIDGET_ORIGINS:
        raise ValueError(f"must have at most {MAX_WIDGET_ORIGINS} origins")
    return list(dict.fromkeys(value))


Title = Annotated[str, AfterValidator(_title), schema_hint(minLength=1, maxLength=MAX_TITLE_CHARACTERS)]
Intro = Annotated[str, AfterValidator(_intro), schema_hint(maxLength=MAX_INTRO_CHARACTERS)]
LogoUrl = Annotated[
    str, AfterValidator(_logo_url), schema_hint(maxLength=MAX_LOGO_URL_CHARACTERS, format="uri")
]
Label = Annotated[str, AfterValidator(_label), schema_hint(minLength=1, maxLength=MAX_LINK_LABEL_CHARACTERS)]
LinkUrl = Annotated[
    str, AfterValidator(_link_url), schema_hint(maxLength=MAX_LINK_URL_CHARACTERS, format="uri")
]


def _accent(value: str) -> str:
    colour = colours.parse(value)
    if colour is None:
        raise ValueError("must be a color of three or six hexadecimal digits, such as #0a7c66, or null")
    return str(colour)


Accent = Annotated[
    str,
    AfterValidator(_accent),
    schema_hint(pattern="^#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$", examples=["#0a7c66"]),
]
Css = Annotated[str, schema_hint(maxLength=MAX_CSS_CHARACTERS)]


class FooterLinkInput(Body):
    """A link in the footer of every page."""

    label: Label
    """1 to 40 characters after trimming."""
    url: LinkUrl
    """An https, http or mailto address."""


FooterLinks = Annotated[
    list[FooterLinkInput], AfterValidator(_footer_links), schema_hint(maxItems=MAX_FOOTER_LINKS)
]


Origin = Annotated[
    str,
    AfterValidator(_origin),
    schema_hint(maxLength=MAX_ORIGIN_CHARACTERS, format="uri", examples=["https://shop.example.com"]),
]
WidgetOrigins = Annotated[list[Origin], AfterValidator(_origins), schema_hint(maxItems=MAX_WIDGET_ORIGINS)]


class SiteUpdate(Body):
    """The body of PATCH /site; omitted fields stay as they are."""

    enabled: bool | None = None
    """Whether the pages can be opened."""
    title: Title | None = None
    """1 to 80 characters after trimming; null for the organization's name."""
    intro: Intro | None = None
    """The line below the title on the home page, up to 500 characters; null removes it."""
    logo_url: LogoUrl | None = None
    """An https address of an image; null removes it."""
    language: Language | None = None
    """The language of the pages' own words; null for that of each visitor's browser."""
    show_board: bool | None = None
    """Whether the feedback board is part of the site."""
    show_contact: bool | None = None
    """Whether visitors can write to the team on the site."""
    votes_need_sign_in: bool | None = None
    """Whether visitors sign in before they vote on the board."""
    footer_links: FooterLinks | None = None
    """Up to 10 links in the footer; null removes them."""
    widget_origins: WidgetOrigins | None = None
    """The origins of your own pages that can show the chat widget, up to 20; null removes them."""


class SearchShape(Answer):
    """A search on the help site that found nothing that fits."""

    query: str
    """The words, in lower case."""
    count: int
    """How often they were searched for."""
    last_at: Milliseconds


class SearchesAnswer(Answer):
    """The response of GET /site/searches, the latest first."""

    searches: list[SearchShape]
    next_cursor: str | None
    """Send it as `cursor` for the next page; null at the end."""


class ArticleShape(Answer):
    """A published document, and what visitors think of it."""

    document_id: str
    title: str
    url: str
    """Its address on the help site."""
    reads: int
    """About how often it was opened, as far as proxies let it through."""
    helpful: int
    """How many visitors found it helpful."""
    unhelpful: int
    """How many did not."""
    answered: int
    """In how many conversations the agent answered from it, since this is counted."""


class ArticlesAnswer(Answer):
    """The response of GET /site/articles, the most read first."""

    articles: list[ArticleShape]
    next_cursor: str | None
    """Send it as `cursor` for the next page; null at the end."""


class FooterLinkShape(Answer):
    """A link in the footer of every page."""

    label: str
    url: str


class SiteAnswer(Answer):
    """The settings of the help site, the response of GET and PATCH /site."""

    enabled: bool
    """Whether the pages can be opened; false until someone enables the site."""
    url: str
    """The address of the home page."""
    title: str | None
    """Null where the organization's name is the title."""
    intro: str
    """The line below the title on the home page; empty if there is none."""
    logo_url: str | None
    """The image beside the title."""
    language: Language | None
    """The language of the pages' own words; null for that of each visitor's browser."""
    show_board: bool
    """Whether the feedback board is part of the site."""
    show_contact: bool
    """Whether visitors can write to the team on the site."""
    votes_need_sign_in: bool
    """Whether visitors sign in before they vote on the board."""
    footer_links: list[FooterLinkShape]
    """The links in the footer of every page."""
    widget_origins: list[str]
    """The origins of your own pages that can show the chat widget; empty while it is off."""


class AppearanceChange(Body):
    """The body of PATCH /site/appearance. Only the fields that are sent change; null returns one to its default."""

    theme: Theme | None = None
    """`paper` is the one theme."""
    scheme: Scheme | None = None
    """Light, dark, or what the visitor's system prefers."""
    navigation: Navigation | None = None
    """Where the topics are: in a bar at the top, in a list at the side, or as cards on the home page alone."""
    accent: Accent | None = None
    """The color of buttons and links, as `#0a7c66` or `#0a6`; null for the theme's own."""
    css: Css | None = None
    """Your own stylesheet, up to 60,000 characters; it replaces the whole earlier one. Empty or null removes it."""


class AppearanceAnswer(Answer):
    """The response of GET and PATCH /site/appearance (Specification: Appearance)."""

    theme: Theme
    """The theme that the pages have."""
    scheme: Scheme
    """Light, dark, or what the visitor's system prefers."""
    navigation: Navigation
    """Where the topics are."""
    accent: str | None
    """The color of buttons and links, as `#0a7c66`; null for the theme's own."""
    css: str
    """Your own stylesheet, as you sent it; empty if there is none."""
