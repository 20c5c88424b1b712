"""The rules of a person's own account: profile, name and active organization (Specification: GET /me)."""

from copy import replace
from itertools import batched

from helpdesk.accounts.members import service as members
from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.errors import OrganizationNotFound
from helpdesk.accounts.people import service as people
from helpdesk.accounts.people.record import MAX_NAME_CHARACTERS, PersonRecord
from helpdesk.accounts.schemas import Me, OrganizationOfMine, User
from helpdesk.api.admission.caller import Caller
from helpdesk.platform.errors import ConsentRequired, InvalidToken
from helpdesk.platform.text import valid_name
from helpdesk.storage import keys
from helpdesk.storage.retrying import repeat_when_stale
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
        keys.Organization(organization)
    except keys.MalformedKey:
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
        for each in organizations.names_of(sorted(person.roles))
    ]
    return Me(
        user=User(id=person.id, name=person.name, email=person.email),
        organization=next((each for each in organizations_of_person if each.id == caller.organization), None),
        organizations=organizations_of_person,
    )
