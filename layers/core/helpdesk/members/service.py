"""The rules of an organization's members."""

from helpdesk.admission.caller import Role
from helpdesk.members import repository
from helpdesk.people import service as people
from helpdesk.people.record import PersonRecord
from helpdesk.storage.transactions import Transaction


def add(transaction: Transaction, organization: str, person: PersonRecord, role: Role) -> None:
    """Make a person a member, on the organization's side and on his own.

    Whoever adds an owner counts him on the organization in the same transaction. The transaction raises
    AlreadyAMember, TooManyOrganizations.
    """
    repository.put(transaction, organization, person.id, person.name, person.email, role)
    people.join(transaction, person.id, organization, role)
