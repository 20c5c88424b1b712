"""A help site as stored, and as its pages see it."""

from collections.abc import Mapping
from typing import Any, Self

from helpdesk.accounts.organizations.record import OrganizationRecord
from helpdesk.platform.record import Record
from helpdesk.site.appearance_record import AppearanceRecord
from helpdesk.storage.table import Item
from helpdesk.visitor_texts.languages import Language, known


class FooterLinkRecord(Record):
    """A link in the footer of every page."""

    label: str
    url: str


class SiteRecord(Record, kw_only=True):
    """The settings of a help site; the defaults are those of a site that nobody has set up.

    language  of the pages' own words; None for that of each visitor's browser
    """

    enabled: bool = False
    title: str | None = None
    intro: str = ""
    logo_url: str | None = None
    language: Language | None = None
    show_board: bool = False
    show_contact: bool = True
    votes_need_sign_in: bool = False
    footer_links: tuple[FooterLinkRecord, ...] = ()

    @classmethod
    def from_item(cls, item: Item | None) -> Self:
        """Read the settings of an item; what it lacks has its default, as without an item."""
        found: Mapping[str, Any] = item or {}
        return cls(
            enabled=found.get("enabled", False),
            title=found.get("title"),
            intro=found.get("intro") or "",
            logo_url=found.get("logoUrl"),
            # A language that this version does not know reads as none: the browser's is used.
            language=known(found.get("language")),
            show_board=found.get("showBoard", False),
            show_contact=found.get("showContact", True),
            votes_need_sign_in=found.get("votesNeedSignIn", False),
            footer_links=tuple(
                FooterLinkRecord(each["label"], each["url"]) for each in found.get("footerLinks") or ()
            ),
        )

    def to_item(self) -> Item:
        """Return the settings as attributes."""
        return {
            "enabled": self.enabled,
            "title": self.title,
            "intro": self.intro,
            "logoUrl": self.logo_url,
            "language": self.language,
            "showBoard": self.show_board,
            "showContact": self.show_contact,
            "votesNeedSignIn": self.votes_need_sign_in,
            "footerLinks": [{"label": each.label, "url": each.url} for each in self.footer_links],
        }


class Site(Record, kw_only=True):
    """A help site as its pages see it: the organization, and what it set for its site."""

    organization: OrganizationRecord
    settings: SiteRecord
    appearance: AppearanceRecord = AppearanceRecord()

    @property
    def title(self) -> str:
        """The site's title: its own, else the organization's name."""
        return self.settings.title or self.organization.name
