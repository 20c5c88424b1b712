"""The items of a help site's appearance: attributes of its settings, and its stylesheet as sent and as served."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from helpdesk.platform import clock
from helpdesk.platform.units import DAY_MS
from helpdesk.site.appearance_record import AppearanceRecord
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

KEPT_MS = 30 * DAY_MS
"""How long a replaced stylesheet is still served: longer than any cache keeps a page that names it."""


class Stylesheet(NamedTuple):
    """An organization's own stylesheet: as it was sent, as it is served, and the name of that text."""

    source: str
    served: str
    name: str


def get(organization: str) -> tuple[AppearanceRecord, str]:
    """Return the appearance, and the organization's stylesheet as it was sent. One call."""
    settings, source = keys.SiteSettings(organization), keys.SiteCss(organization)
    found = table.get_many([settings, source])
    appearance = AppearanceRecord.from_item(found.get(settings))
    # The text of a stylesheet that was removed may outlast the removal.
    return appearance, found[source]["css"] if appearance.css_hash and source in found else ""


def served_css(organization: str, name: str) -> str | None:
    """Return the text of a stylesheet by its name; None if the organization has none of that name. One call."""
    item = table.get(keys.SiteStylesheet(organization, name), consistent=False)
    return None if item is None else str(item.get("css", ""))


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
        transaction.put({**keys.SiteCss(organization).attributes(), "css": stylesheet.source})
        transaction.put(
            {**keys.SiteStylesheet(organization, stylesheet.name).attributes(), "css": stylesheet.served}
        )
    if seen.css_hash is not None and (stylesheet is None or stylesheet.name != seen.css_hash):
        transaction.update(
            keys.SiteStylesheet(organization, seen.css_hash),
            "SET expiresAt = :end",
            values={":end": (clock.now_ms() + KEPT_MS) // 1_000},
        )
