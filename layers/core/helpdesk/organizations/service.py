"""The rules of an organization: how one is made, its plan and its limits."""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from helpdesk.admission.caller import Role
from helpdesk.admission.limits import RATES, VERSION, Plan, Tier, tier_of
from helpdesk.logs import service as logs
from helpdesk.logs.schemas import LogKind
from helpdesk.members import service as members
from helpdesk.organizations import repository
from helpdesk.organizations.errors import InvalidSlug
from helpdesk.organizations.schemas import Bucket, Buckets, LimitsAnswer, NewOrganization
from helpdesk.people import service as people
from helpdesk.people.record import PersonRecord
from helpdesk.platform import ids
from helpdesk.platform.settings import settings
from helpdesk.secret_keys import service as secret_keys
from helpdesk.storage.transactions import Transaction

_CURSOR_KEY_BYTES = 32
_SLUG = re.compile(r"(?=.{3,32}\Z)[a-z0-9]+(-[a-z0-9]+)*")

RESERVED_SLUGS = frozenset(
    {
        "about",
        "account",
        "admin",
        "api",
        "app",
        "assets",
        "auth",
        "billing",
        "blog",
        "board",
        "cdn",
        "community",
        "contact",
        "dashboard",
        "dev",
        "docs",
        "help",
        "invite",
        "legal",
        "login",
        "logout",
        "mail",
        "new",
        "news",
        "oauth",
        "organization",
        "organizations",
        "pricing",
        "privacy",
        "public",
        "root",
        "security",
        "settings",
        "setup",
        "signin",
        "signup",
        "staging",
        "static",
        "status",
        "support",
        "system",
        "team",
        "terms",
        "test",
        "webhooks",
        "www",
    }
)


def create_organization(
    *,
    name: str,
    slug: str,
    owner_name: str,
    owner_email: str,
    plan: Plan,
    api_limits: bool,
    unlimited_api: bool,
) -> NewOrganization:
    """Make an organization with its owner, a secret key and a publishable key; for the operator's command.

    Raises InvalidSlug, SlugTaken, InvalidEmail. The keys are told here and never again: the table holds hashes.
    """
    require_slug(slug)
    owner = people.find_or_create(owner_email, owner_name)
    organization = ids.new("org")
    tier = tier_of(plan, api_limits=api_limits, unlimited_api=unlimited_api)

    transaction = Transaction()
    key, live = secret_keys.add_first(transaction, organization, "First key")
    publishable_key = add(transaction, organization, name, slug, owner, plan, tier, live)
    transaction.put(
        logs.entry(
            organization,
            LogKind.ORGANIZATION_CREATED,
            actor=logs.SYSTEM,
            summary=f"Organization {slug} was created.",
        )
    )
    transaction.commit()
    return NewOrganization(
        organization_id=organization,
        owner_id=owner.id,
        secret_key=key,
        publishable_key=publishable_key,
    )


def add(
    transaction: Transaction,
    organization: str,
    name: str,
    slug: str,
    owner: PersonRecord,
    plan: Plan,
    tier: Tier,
    live_keys: dict[str, Any],
) -> str:
    """Add an organization with its owner, its allowances and its publishable key, which is returned.

    The transaction raises SlugTaken, TooManyOrganizations.
    """
    publishable_key = f"svc_pk_{organization.removeprefix('org_')}_{ids.secret()}"
    repository.put_organization(transaction, organization, name, slug, plan, tier, publishable_key)
    members.add(transaction, organization, owner, Role.OWNER)
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
    """Put an organization on a plan; its limits change with the next request. Raises OrganizationNotFound."""
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


def limits(organization: str) -> LimitsAnswer:
    """Return the organization's tier and allowances (Specification: GET /billing/limits)."""
    tier = Tier(repository.get(organization)["tier"])
    if tier is Tier.UNLIMITED:
        return LimitsAnswer(tier=tier, version=VERSION, limits=None)
    rates = {
        request_class.value: Bucket(per_minute=rate.per_minute, burst=rate.burst)
        for request_class, rate in RATES[tier].items()
    }
    return LimitsAnswer(tier=tier, version=VERSION, limits=Buckets(**rates))


def name_of(organization: str) -> str:
    """Return the organization's name, as which a key speaks in a conversation."""
    name: str = repository.get(organization)["name"]
    return name


@dataclass(frozen=True, slots=True)
class Named:
    """An organization by what people know it."""

    id: str
    name: str
    slug: str


def names_of(wanted: Sequence[str]) -> list[Named]:
    """Return how organizations are called, in the order given; one that is gone is left out. One call for a hundred."""
    return [Named(item["id"], item["name"], item["slug"]) for item in repository.get_many(wanted)]


def require_slug(slug: str) -> None:
    """Raise InvalidSlug unless the text may be a slug (Specification: Errors, invalid_slug)."""
    if _SLUG.fullmatch(slug) is None or slug in RESERVED_SLUGS:
        raise InvalidSlug
