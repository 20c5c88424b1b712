"""The rules of organizations that other nouns call: adding one, its plan, its name and what its pages show."""

import secrets
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from helpdesk.admission.limits import Plan, Tier, tier_of
from helpdesk.logs import service as logs
from helpdesk.logs.schemas import LogKind
from helpdesk.organizations import repository
from helpdesk.platform import ids
from helpdesk.platform.settings import settings
from helpdesk.storage import shards
from helpdesk.storage.transactions import Transaction

_CURSOR_KEY_BYTES = 32


def add(
    transaction: Transaction,
    organization: str,
    name: str,
    slug: str,
    plan: Plan,
    tier: Tier,
    live_keys: dict[str, Any],
) -> str:
    """Add an organization that has one owner, its allowances and its publishable key; return that key.

    The caller adds the owner as a member in the same transaction, which raises SlugTaken.
    """
    publishable_key = f"svc_pk_{organization.removeprefix('org_')}_{ids.secret()}"
    repository.put_organization(transaction, organization, name, slug, plan, tier, publishable_key)
    repository.put_allowances(
        transaction,
        organization,
        tier,
        secrets.token_bytes(_CURSOR_KEY_BYTES),
        live_keys,
        settings().fair_use_per_minute,
    )
    return publishable_key


def set_plan(organization: str, plan: Plan, *, api_limits: bool, unlimited_api: bool) -> Tier:
    """Set an organization's plan; its limits change with the next request. Raises OrganizationNotFound."""
    tier = tier_of(plan, api_limits=api_limits, unlimited_api=unlimited_api)
    transaction = Transaction()
    repository.set_plan(transaction, organization, plan, tier)
    repository.set_rates(transaction, organization, tier, settings().fair_use_per_minute)
    transaction.put(
        logs.entry(
            organization,
            LogKind.SETTINGS_CHANGED,
            actor=logs.SYSTEM,
            summary=f"Plan set to {plan}, tier {tier}.",
        )
    )
    transaction.commit()
    return tier


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


def retaining(turn: int, until: int) -> Iterator[tuple[str, int]]:
    """Yield the organizations that limit how long they keep conversations, with the days.

    Stops at the instant `until` (ms). `turn` is a number that grows with each run; each run starts with another shard.
    """
    for page in shards.pages(repository.retaining, turn, until):
        yield from page
