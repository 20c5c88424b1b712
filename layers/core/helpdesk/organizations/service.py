"""The rules of an organization: how one is made, its plan and its limits."""

import hashlib
import re
import secrets

from helpdesk.admission.caller import Caller
from helpdesk.admission.limits import RATES, VERSION, Plan, Tier, tier_of
from helpdesk.delivery.signing import tools_secret, webhook_secret
from helpdesk.logs import service as logs
from helpdesk.logs.schemas import LogKind
from helpdesk.organizations import repository
from helpdesk.organizations.errors import InvalidEmail, InvalidSlug, MissingServiceKey
from helpdesk.organizations.schemas import Bucket, Buckets, LimitsAnswer, NewOrganization
from helpdesk.platform import ids
from helpdesk.platform.settings import settings
from helpdesk.storage.transactions import Transaction

_CURSOR_KEY_BYTES = 32
_SLUG = re.compile(r"(?=.{3,32}\Z)[a-z0-9]+(-[a-z0-9]+)*")
# One address, no spaces, a domain of two labels or more. Whether it is anybody's only a message to it can tell.
_EMAIL = re.compile(r"[^\s@<>()\[\],;:\"\\]{1,64}@[^\s@<>()\[\],;:\"\\.]+(\.[^\s@<>()\[\],;:\"\\.]+)+")
MAX_EMAIL_CHARACTERS = 320

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
    email = normalized_email(owner_email)
    email_hash = hashlib.sha256(email.encode()).hexdigest()
    known = repository.person_by_email(email_hash)
    owner_id = known or ids.new("usr")
    organization = ids.new("org")
    suffix = organization.removeprefix("org_")
    key, key_id = f"svc_key_{suffix}_{ids.secret()}", ids.new("key")
    tier = tier_of(plan, api_limits=api_limits, unlimited_api=unlimited_api)
    live = {hashlib.sha256(key.encode()).hexdigest(): {"id": key_id}}

    transaction = Transaction()
    repository.put_organization(transaction, organization, name, slug, plan, tier)
    repository.put_owner(
        transaction, organization, owner_id, owner_name, email, email_hash, new=known is None
    )
    repository.put_allowances(
        transaction,
        organization,
        tier,
        secrets.token_bytes(_CURSOR_KEY_BYTES),
        live,
        settings().fair_use_per_minute,
    )
    derived = {"webhooks": webhook_secret(key), "tools": tools_secret(key)}
    repository.put_key(transaction, organization, key_id, "First key", key, derived)
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
        owner_id=owner_id,
        secret_key=key,
        publishable_key=f"svc_pk_{suffix}_{ids.secret()}",
    )


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


def add_signing_key(transaction: Transaction, caller: Caller) -> str:
    """Return the id of the key that signs what the caller sets up, and make the transaction require it alive.

    A key signs with itself, a person with the newest key (Specification: Events, Which key signs). Raises
    MissingServiceKey where the organization has no key; so does the transaction when it was revoked meanwhile.
    """
    key_id = caller.key_id or repository.newest_key_id(caller.organization)
    if key_id is None:
        raise MissingServiceKey
    repository.require_live_key(transaction, caller.organization, key_id, MissingServiceKey())
    return key_id


def require_slug(slug: str) -> None:
    """Raise InvalidSlug unless the text may be a slug (Specification: Errors, invalid_slug)."""
    if _SLUG.fullmatch(slug) is None or slug in RESERVED_SLUGS:
        raise InvalidSlug


def normalized_email(text: str) -> str:
    """Return an address in lower case without surrounding space. Raises InvalidEmail."""
    email = text.strip().lower()
    if len(email) > MAX_EMAIL_CHARACTERS or _EMAIL.fullmatch(email) is None:
        raise InvalidEmail
    return email
