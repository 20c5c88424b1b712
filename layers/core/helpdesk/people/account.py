"""A person's own account: who he is, what he belongs to, and his name."""

from helpdesk.admission.caller import Caller
from helpdesk.members import service as members
from helpdesk.organizations import service as organizations
from helpdesk.people import repository
from helpdesk.people.record import MAX_NAME_CHARACTERS, PersonRecord
from helpdesk.people.schemas import Me, OrganizationOfMine, User
from helpdesk.platform.errors import InvalidToken
from helpdesk.platform.text import valid_name
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Conflict, Transaction

# Each try that fails is a change of the person's memberships that went through.
_TRIES = 10


def me(caller: Caller) -> Me:
    """Return the person with his organizations (Specification: GET /me). Two calls. Raises InvalidToken."""
    return _shown(caller, _present(caller))


def rename(caller: Caller, name: str) -> Me:
    """Change the person's name, on his own item and in the list of members of each of his organizations.

    Raises InvalidRequest, InvalidToken.
    """
    called = valid_name(name, MAX_NAME_CHARACTERS)
    for _ in range(_TRIES):
        person = _present(caller)
        if person.name == called:
            return _shown(caller, person)
        transaction = Transaction()
        repository.set_name(transaction, person, called)
        for organization in person.roles:
            members.set_name(transaction, organization, person.id, called)
        try:
            transaction.commit()
        except ConditionFailed:
            continue  # he joined or left one, or his role changed, at this moment
        return _shown(caller, PersonRecord(person.id, called, person.email, person.roles))
    raise Conflict


def _present(caller: Caller) -> PersonRecord:
    person = repository.get(caller.the_person().id)
    if person is None:
        raise InvalidToken
    return person


def _shown(caller: Caller, person: PersonRecord) -> Me:
    mine = [
        OrganizationOfMine(id=each.id, name=each.name, slug=each.slug, role=person.roles[each.id])
        for each in organizations.names_of(sorted(person.roles))
    ]
    return Me(
        user=User(id=person.id, name=person.name, email=person.email),
        organization=next((each for each in mine if each.id == caller.organization), None),
        organizations=mine,
    )
