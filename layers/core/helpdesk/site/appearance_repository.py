"""The items of a help site's appearance: attributes of its settings, and its stylesheet as sent and as served."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from helpdesk.site.appearance_record import AppearanceRecord
from helpdesk.storage import keys, table
from helpdesk.storage.collection import Collection
from helpdesk.storage.stored import Stored
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

KEPT_MS = 30 * DAY_MS
"""How long a replaced stylesheet is still served: longer than any cache keeps a page that names it."""


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


class Stylesheet(NamedTuple):
    """An organization's own stylesheet: as it was sent, as it is served, and the name of that text."""

    source: str
    served: str
    name: str


def get(organization: str) -> tuple[AppearanceRecord, str]:
    """Return the appearance, and the organization's stylesheet as it was sent. One call."""
    settings, source = keys.SiteSettings(organization), SiteCss.key_for(organization)
    found = table.get_many([settings, source])
    appearance = AppearanceRecord.from_item(found.get(settings))
    # The text of a stylesheet that was removed may outlast the removal.
    is_set = appearance.css_hash is not None and source in found
    return appearance, SiteCss.from_item(found[source]).css if is_set else ""


def served_css(organization: str, name: str) -> str | None:
    """Return the text of a stylesheet by its name; None if the organization has none of that name. One call."""
    found = Collection(SiteStylesheet).find(organization, name, consistent=False)
    return None if found is None else found.css


def change(
    transaction: Transaction,
    organization: str,
    seen: AppearanceRecord,
    changed: Mapping[str, Any],
    stylesheet: Stylesheet | None,
) -> None:
    """Write the attributes that change, and a new stylesheet; the one that it replaces expires.

    The transaction raises ConditionFailed if the stylesheet was replaced since it was read.
    """
    key = keys.SiteSettings(organization)
    if "cssHash" not in changed:
        expression = "SET " + ", ".join(f"#{name} = :{name}" for name in changed)
        names, values = ({f"{sign}{name}": name for name in changed} for sign in "#:")
        transaction.update(
            key, expression, names=names, values={sign: changed[name] for sign, name in values.items()}
        )
        return
    transaction.set(
        key,
        dict(changed),
        condition="attribute_not_exists(#cssHash) OR #cssHash = :seen",
        values={":seen": seen.css_hash},
        on_failure=ConditionFailed,
    )
    if stylesheet is not None:
        transaction.put(SiteCss(organization=organization, css=stylesheet.source))
        transaction.put(
            SiteStylesheet(organization=organization, name=stylesheet.name, css=stylesheet.served)
        )
    if seen.css_hash is not None and (stylesheet is None or stylesheet.name != seen.css_hash):
        transaction.change(
            SiteStylesheet.key_for(organization, seen.css_hash),
            set={"expires_at": (clock.now_ms() + KEPT_MS) // 1_000},
            or_new=True,
        )
