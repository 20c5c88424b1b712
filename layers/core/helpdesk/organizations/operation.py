"""What the operator does with organizations: making one whole, and setting its plan."""

from helpdesk.admission.limits import Plan, Tier, tier_of
from helpdesk.logs import service as logs
from helpdesk.logs.schemas import LogKind
from helpdesk.organizations import founding, repository
from helpdesk.organizations.schemas import NewOrganization
from helpdesk.organizations.slugs import require_slug
from helpdesk.people import service as people
from helpdesk.people.record import PersonRecord
from helpdesk.platform import ids
from helpdesk.platform.settings import settings
from helpdesk.secret_keys import service as secret_keys
from helpdesk.storage.transactions import Transaction


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
    organization = ids.new("org")
    tier = tier_of(plan, api_limits=api_limits, unlimited_api=unlimited_api)

    def attempt(owner: PersonRecord) -> NewOrganization:
        transaction = Transaction()
        key, live = secret_keys.add_first(transaction, organization, "First key")
        publishable_key = founding.add(transaction, organization, name, slug, owner, plan, tier, live)
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

    return people.under_his_name(people.find_or_create(owner_email, owner_name), attempt)


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
