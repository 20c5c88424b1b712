"""Creating an organization with its owner (Specification: POST /organizations)."""

from typing import Any

from helpdesk.accounts.members import service as members
from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.schemas import MAX_NAME_CHARACTERS, OrganizationInput
from helpdesk.accounts.organizations.slugs import require_slug
from helpdesk.accounts.people import service as people
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.api.admission.caller import Caller, Person, Role, Scope
from helpdesk.api.admission.limits import Plan, Tier, tier_of
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.platform import ids
from helpdesk.platform.errors import Forbidden
from helpdesk.platform.settings import settings
from helpdesk.platform.text import valid_name
from helpdesk.storage.transactions import Transaction


def create(caller: Caller, new: OrganizationInput) -> str:
    """Create an organization on the Explore plan, owned by the caller; return its id.

    One transaction creates it and makes the caller's access token act in it, unless the token is of a login for another
    organization. It has no secret key until its owner creates one. Raises InvalidRequest, InvalidSlug, SlugTaken,
    TooManyOrganizations; Forbidden where sign-up is closed, unless the caller is a member of another organization;
    InvalidToken for a login whose person has left its organization; InsufficientScope for one that is for an
    organization and may not manage.
    """
    name = valid_name(new.name, MAX_NAME_CHARACTERS)
    require_slug(new.slug)
    person, organization = caller.the_person(), ids.new("org")
    if person.keeps_organization:
        person.require(Scope.MANAGE)
    if not settings().sign_up_is_open:
        _require_member_of_one(person)
    tier = tier_of(Plan.EXPLORE, api_limits=False, unlimited_api=False)

    def attempt(owner: PersonRecord) -> str:
        transaction = Transaction()
        add_with_owner(transaction, organization, name, new.slug, owner, Plan.EXPLORE, tier, {})
        people.set_token_organization(transaction, person, organization)
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

    return people.retry_on_rename(PersonRecord(person.id, person.name, person.email), attempt)


def _require_member_of_one(person: Person) -> None:
    known = people.by_id(person.id)
    if known is None or not known.roles:
        raise Forbidden(
            "Only members of an organization can create another one here. Ask an organization for an invitation, or "
            "the operator of this service for an organization."
        )


def add_with_owner(
    transaction: Transaction,
    organization: str,
    name: str,
    slug: str,
    owner: PersonRecord,
    plan: Plan,
    tier: Tier,
    live_keys: dict[str, Any],
) -> str:
    """Add an organization with its owner, its allowances and its publishable key; return that key.

    The transaction raises SlugTaken, TooManyOrganizations, and ConditionFailed as `members.add` does.
    """
    publishable_key = organizations.add(transaction, organization, name, slug, plan, tier, live_keys)
    members.add(transaction, organization, owner, Role.OWNER)
    return publishable_key
