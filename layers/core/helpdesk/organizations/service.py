"""What others ask of an organization: how it is called."""

from collections.abc import Sequence
from typing import NamedTuple

from helpdesk.organizations import repository


def name_of(organization: str) -> str:
    """Return the organization's name, as which a key speaks in a conversation."""
    name: str = repository.get(organization)["name"]
    return name


def shows_branding(organization: str) -> bool:
    """Tell whether the organization shows the attribution mark on its widget and site."""
    return bool(repository.get(organization)["showBranding"])


def retention_days(organization: str) -> int | None:
    """Return for how many days the organization keeps conversations, None for as long as it is there."""
    found = repository.get(organization).get("retentionDays")
    return None if found is None else int(found)


class Named(NamedTuple):
    """An organization by what people know it."""

    id: str
    name: str
    slug: str


def names_of(wanted: Sequence[str]) -> list[Named]:
    """Return how organizations are called, in the order given; one that is gone is left out. One call for a hundred."""
    return [Named(item["id"], item["name"], item["slug"]) for item in repository.get_many(wanted)]


class Correspondent(NamedTuple):
    """As what an organization writes to its customers: its name, and where answers go, None where nobody reads them."""

    name: str
    support_email: str | None


def correspondent(organization: str) -> Correspondent:
    """Return as what the organization writes to its customers. Raises OrganizationNotFound."""
    item = repository.get(organization)
    return Correspondent(item["name"], item.get("supportEmail"))
