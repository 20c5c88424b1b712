"""An organization is founded; a person turns to another of his."""

import secrets
from typing import Any

from helpdesk.admission.caller import Caller, Role
from helpdesk.admission.limits import Plan, Tier, tier_of
from helpdesk.logs import service as logs
from helpdesk.logs.schemas import LogKind
from helpdesk.members import service as members
from helpdesk.organizations import repository
from helpdesk.organizations.errors import OrganizationNotFound
from helpdesk.organizations.schemas import MAX_NAME_CHARACTERS, OrganizationInput
from helpdesk.organizations.slugs import require_slug
from helpdesk.people import service as people
from helpdesk.people.binding import bind
from helpdesk.people.record import PersonRecord
from helpdesk.platform import ids
from helpdesk.platform.settings import settings
from helpdesk.platform.text import valid_name
from helpdesk.storage import keys
from helpdesk.storage.transactions import Transaction

_CURSOR_KEY_BYTES = 32


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

    The transaction raises SlugTaken, TooManyOrganizations, and ConditionFailed as `members.add` does.
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


def found(caller: Caller, new: OrganizationInput) -> str:
    """Make an organization on the plan Explore, owned by the caller, whose token moves to it; return its id.

    All of it happens in one transaction (Specification: POST /organizations). It has no secret key until its owner
    makes one. Raises InvalidRequest, InvalidSlug, SlugTaken, TooManyOrganizations.
    """
    name = valid_name(new.name, MAX_NAME_CHARACTERS)
    require_slug(new.slug)
    person, organization = caller.the_person(), ids.new("org")
    tier = tier_of(Plan.EXPLORE, api_limits=False, unlimited_api=False)

    def attempt(owner: PersonRecord) -> str:
        transaction = Transaction()
        add(transaction, organization, name, new.slug, owner, Plan.EXPLORE, tier, {})
        bind(transaction, person, organization)
        transaction.put(
            logs.entry(
                organization,
                LogKind.ORGANIZATION_CREATED,
                actor=caller.actor,
                summary=f"Organization {new.slug} was created.",
            )
        )
        transaction.commit()
        return organization

    return people.under_his_name(PersonRecord(person.id, person.name, person.email, {}), attempt)


def turn_to(caller: Caller, organization: str) -> None:
    """Bind the caller's token to an organization that he belongs to at that moment.

    Raises OrganizationNotFound (Specification: POST /me/organization), InvalidToken.
    """
    # What no id is, is not put to the table: as the name of an attribute it may be none at all (empty, or too long).
    try:
        keys.Organization(organization)
    except keys.MalformedKey:
        raise OrganizationNotFound from None
    person, transaction = caller.the_person(), Transaction()
    people.require_member(transaction, person.id, organization, OrganizationNotFound())
    bind(transaction, person, organization)
    transaction.commit()
