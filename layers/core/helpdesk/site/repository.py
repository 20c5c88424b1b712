"""The items of a help site."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from helpdesk.accounts.organizations.record import Organization
from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from helpdesk.site.record import Site, SiteCss, SiteSettings, SiteStylesheet
from helpdesk.storage import changes, table
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Key
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

KEPT_MS = 30 * DAY_MS
"""How long a replaced stylesheet is still served: longer than any cache keeps a page that names it."""


class Stylesheet(NamedTuple):
    """An organization's own stylesheet: as it was sent, as it is served, and the name of that text."""

    source: str
    served: str
    name: str


def site_with(
    organization: str, more: Sequence[Key], *, consistent: bool = False
) -> tuple[Site | None, Mapping[Key, Item]]:
    """Return a site, None if the organization is gone, and the items of other keys that a page shows. One call."""
    own = Organization.key_for(organization)
    settings = SiteSettings.key_for(organization)
    found = table.get_many([own, settings, *more], consistent=consistent)
    if own not in found:
        return None, found
    site = Site(
        organization=Organization.from_item(found[own]),
        settings=_settings(organization, found.get(settings)),
    )
    return site, found


def settings_with_css(organization: str) -> tuple[SiteSettings, str]:
    """Return the settings, and the organization's stylesheet as it was sent. One call."""
    key, source = SiteSettings.key_for(organization), SiteCss.key_for(organization)
    found = table.get_many([key, source])
    settings = _settings(organization, found.get(key))
    # The text of a stylesheet that was removed may outlast the removal.
    is_set = settings.css_hash is not None and source in found
    return settings, SiteCss.from_item(found[source]).css if is_set else ""


def served_css(organization: str, name: str) -> str | None:
    """Return the text of a stylesheet by its name; None if the organization has none of that name. One call."""
    found = Collection(SiteStylesheet).find(organization, name, consistent=False)
    return None if found is None else found.css


def change(
    transaction: Transaction, seen: SiteSettings, changed: SiteSettings, stylesheet: Stylesheet | None = None
) -> None:
    """Write what differs: two requests at once can change two settings.

    A new stylesheet is written with them; the one that it replaces expires. Then the transaction raises ConditionFailed
    if the stylesheet was replaced since it was read.
    """
    values = changes.difference(seen.to_item(), changed)
    if stylesheet is None and changed.css_hash == seen.css_hash:
        transaction.change(seen.key, set=values, or_new=True)
        return
    transaction.change(
        seen.key,
        set={**values, "css_hash": changed.css_hash},  # a comment may be all that differs
        require={"css_hash": seen.css_hash},
        or_new=True,
        on_failure=ConditionFailed,
    )
    organization = seen.organization
    if stylesheet is not None:
        transaction.put(SiteCss(organization=organization, css=stylesheet.source))
        transaction.put(
            SiteStylesheet(organization=organization, name=stylesheet.name, css=stylesheet.served)
        )
    if seen.css_hash is not None and seen.css_hash != changed.css_hash:
        transaction.change(
            SiteStylesheet.key_for(organization, seen.css_hash),
            set={"expires_at": (clock.now_ms() + KEPT_MS) // 1_000},
            or_new=True,
        )


def _settings(organization: str, item: Item | None) -> SiteSettings:
    return SiteSettings(organization=organization) if item is None else SiteSettings.from_item(item)
