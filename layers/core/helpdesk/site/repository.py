"""The items of a help site."""

import math
from collections.abc import Mapping, Sequence

from helpdesk.accounts.organizations.record import OrganizationRecord
from helpdesk.platform import clock
from helpdesk.site.appearance_record import AppearanceRecord
from helpdesk.site.record import Site, SiteRecord
from helpdesk.storage import keys, table
from helpdesk.storage.stored import AnyKey
from helpdesk.storage.table import Item
from helpdesk.storage.transactions import Transaction


def holder_of(slug: str) -> str | None:
    """Return the id of the organization that holds a slug, or that it is kept for. One call."""
    item = table.get(keys.Slug(slug), consistent=False)
    if item is None or item.get("expiresAt", math.inf) <= clock.seconds_from_now(0):
        return None
    return str(item["organization"])


def site_with(
    organization: str, more: Sequence[AnyKey], *, consistent: bool = False
) -> tuple[Site | None, Mapping[AnyKey, Item]]:
    """Return a site, None if the organization is gone, and the items of other keys that a page shows. One call."""
    own, settings = keys.Organization(organization), keys.SiteSettings(organization)
    found = table.get_many([own, settings, *more], consistent=consistent)
    if own not in found:
        return None, found
    record = OrganizationRecord.from_item(found[own])
    item = found.get(settings)
    return Site(
        organization=record, settings=SiteRecord.from_item(item), appearance=AppearanceRecord.from_item(item)
    ), found


def change(transaction: Transaction, organization: str, changed: Item) -> None:
    """Write settings by their attributes; two requests at once can change two of them."""
    names = {f"#{name}": name for name in changed}
    transaction.update(
        keys.SiteSettings(organization),
        "SET " + ", ".join(f"#{name} = :{name}" for name in changed),
        names=names,
        values={f":{name}": value for name, value in changed.items()},
    )
