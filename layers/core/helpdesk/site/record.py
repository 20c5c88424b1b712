"""A help site as stored, and as its pages see it."""

from collections.abc import Mapping
from typing import Final, Literal, Self, get_args

from helpdesk.accounts.organizations.record import Organization
from helpdesk.platform.record import Record
from helpdesk.storage.stored import Stored
from helpdesk.storage.table import Item
from helpdesk.visitor_texts.languages import LANGUAGES, Language

type Theme = Literal["paper"]
type Scheme = Literal["system", "light", "dark"]
type Navigation = Literal["top", "sidebar", "topics"]

_CHOICES: Final[Mapping[str, tuple[str, ...]]] = {
    "theme": get_args(Theme.__value__),
    "scheme": get_args(Scheme.__value__),
    "navigation": get_args(Navigation.__value__),
    "language": LANGUAGES,
}


class FooterLink(Record):
    """A link in the footer of every page."""

    label: str
    url: str


class SiteSettings(Stored, kw_only=True):
    """What an organization set for its help site; absent until someone edits it.

    language  of the pages' own words; None for that of each visitor's browser
    widget_origins  whose pages may show the chat widget: `https://shop.example.com`
    accent    a color as `#0a7c66`; None for the theme's own
    css_hash  names the stylesheet that is served; None without one
    """

    PK, SK = "ORG#{organization}#SITE", "SETTINGS"

    organization: str
    enabled: bool = False
    title: str | None = None
    intro: str = ""
    logo_url: str | None = None
    language: Language | None = None
    show_board: bool = False
    show_contact: bool = True
    votes_need_sign_in: bool = False
    footer_links: tuple[FooterLink, ...] = ()
    widget_origins: tuple[str, ...] = ()
    theme: Theme = "paper"
    scheme: Scheme = "system"
    navigation: Navigation = "sidebar"
    accent: str | None = None
    css_hash: str | None = None

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read an item. What is null, or a choice that this version does not know, has its default."""
        unknown = {name for name, choices in _CHOICES.items() if item.get(name) not in choices}
        return super().from_item(
            {name: value for name, value in item.items() if value is not None and name not in unknown}
        )


class SiteCss(Stored, kw_only=True):
    """An organization's own stylesheet, as it was sent."""

    PK, SK = "ORG#{organization}#SITE", "CSS"

    organization: str
    css: str


class SiteStylesheet(Stored, kw_only=True):
    """An organization's own stylesheet, as it is served; expires once it is replaced."""

    PK, SK = "ORG#{organization}#SITE", "STYLESHEET#{name}"

    organization: str
    name: str
    css: str = ""
    expires_at: int | None = None


class Site(Record, kw_only=True):
    """A help site as its pages see it: the organization, and what it set for its site."""

    organization: Organization
    settings: SiteSettings

    @property
    def title(self) -> str:
        """The site's title: its own, else the organization's name."""
        return self.settings.title or self.organization.name
