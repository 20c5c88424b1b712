"""The rules of a person's own account: profile, name, and the organizations that they switch to and create."""

from copy import replace
from itertools import batched
from typing import Any

from helpdesk.accounts.members import service as members
from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.errors import OrganizationNotFound
from helpdesk.accounts.organizations.record import Organization
from helpdesk.accounts.organizations.schemas import MAX_NAME_CHARACTERS as MAX_ORGANIZATION_NAME_CHARACTERS
from helpdesk.accounts.organizations.schemas import OrganizationInput
from helpdesk.accounts.organizations.slugs import require_slug
from helpdesk.accounts.people import service as people
from helpdesk.accounts.people.record import MAX_NAME_CHARACTERS, PersonRecord
from helpdesk.accounts.schemas import Me, OrganizationOfMine, User
from helpdesk.api.admission.caller import Caller, Person, Role, Scope
from helpdesk.api.admission.limits import Plan, Tier, tier_of
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.platform import ids
from helpdesk.platform.errors import ConsentRequired, Forbidden, InvalidToken
from helpdesk.platform.settings import settings
from helpdesk.platform.text import valid_name
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.stored import MalformedKey
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

_RENAMED_AT_ONCE = 49
"""Organizations in a transaction, which has 100 writes at most: two for each, and the person's own."""


def me(caller: Caller) -> Me:
    """Return the person with their organizations (Specification: GET /me). Two calls. Raises InvalidToken."""
    return _profile(caller, _present(caller))


def rename(caller: Caller, name: str) -> Me:
    """Change the person's name, on their own item and in the member list and the log of each of their organizations.

    Raises InvalidRequest, InvalidToken.
    """
    new_name = valid_name(name, MAX_NAME_CHARACTERS)

    def attempt() -> Me:
        person = _present(caller)
        if person.name == new_name:
            return _profile(caller, person)
        # The person's own item is in the last transaction: after a failure between two, the rename can be repeated.
        batches = [*batched(sorted(person.roles), _RENAMED_AT_ONCE, strict=False)] or [()]
        for number, organizations_of_batch in enumerate(batches, 1):
            transaction = Transaction()
            for organization in organizations_of_batch:
                members.set_name(transaction, organization, person.id, person.name, new_name)
            if number == len(batches):
                people.set_name(transaction, person, new_name)
            transaction.commit()
        return _profile(caller, replace(person, name=new_name))

    # They may join or leave an organization, or their role may change, in the meantime.
    return repeat_when_stale(attempt, ConditionFailed)


def switch_organization(caller: Caller, organization: str) -> None:
    """Make the caller's access token act in an organization to which they belong at that moment.

    Raises OrganizationNotFound (Specification: POST /me/organization), InvalidToken; ConsentRequired for a login that
    is for another organization.
    """
    # Text that cannot be an id never reaches the table: an empty or very long attribute name is an error there.
    try:
        Organization.key_for(organization)
    except MalformedKey:
        raise OrganizationNotFound from None
    person, transaction = caller.the_person(), Transaction()
    if person.keeps_organization and organization != caller.organization:
        if organization not in _present(caller).roles:
            raise OrganizationNotFound
        raise InvalidToken if person.ended_in is not None else ConsentRequired
    people.require_member(transaction, person.id, organization, OrganizationNotFound())
    people.set_token_organization(transaction, person, organization)
    transaction.commit()


def _present(caller: Caller) -> PersonRecord:
    person = people.by_id(caller.the_person().id)
    if person is None:
        raise InvalidToken
    return person


def _profile(caller: Caller, person: PersonRecord) -> Me:
    organizations_of_person = [
        OrganizationOfMine(id=each.id, name=each.name, slug=each.slug, role=person.roles[each.id])
        for each in organizations.by_ids(ids=sorted(person.roles)).values()
    ]
    return Me(
        user=User(id=person.id, name=person.name, email=person.email),
        organization=next((each for each in organizations_of_person if each.id == caller.organization), None),
        organizations=organizations_of_person,
    )


def create_organization(caller: Caller, new: OrganizationInput) -> str:
    """Create an organization on the Explore plan, owned by the caller; return its id.

    One transaction creates it and makes the caller's access token act in it, unless the token is of a login for another
    organization. It has no secret key until its owner creates one. Raises InvalidRequest, InvalidSlug, SlugTaken,
    TooManyOrganizations; Forbidden where sign-up is closed, unless the caller is a member of another organization;
    InvalidToken for a login whose person has left its organization; InsufficientScope for one that is for an
    organization and may not manage.
    """
    name = valid_name(new.name, MAX_ORGANIZATION_NAME_CHARACTERS)
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

    as_seen = PersonRecord(id=person.id, name=person.name, email=person.email)
    return people.retry_on_rename(as_seen, attempt)


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
