"""The rules of people: one person per e-mail address, their memberships, and their access tokens."""

from collections.abc import Callable

from helpdesk.accounts.people import repository
from helpdesk.accounts.people.record import (
    MAX_NAME_CHARACTERS,
    PersonByEmail,
    PersonRecord,
    hash_of_email,
    normalized_email,
)
from helpdesk.accounts.people.repository import (
    leave,
    people,
    require_member,
    require_member_since,
    require_role,
    set_name,
    set_role,
)
from helpdesk.api.admission.caller import Person, Role
from helpdesk.platform import clock, ids
from helpdesk.platform.errors import InvalidToken
from helpdesk.platform.text import as_name
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

__all__ = [
    "by_email",
    "by_id",
    "find_or_create",
    "join",
    "leave",
    "require_member",
    "require_member_since",
    "require_role",
    "retry_on_rename",
    "set_name",
    "set_role",
    "set_token_organization",
]


by_id = people.find
"""Returns the person with an id, or None."""


def by_email(email: str) -> PersonRecord | None:
    """Return the person with a normalized address, or None."""
    claim = repository.emails.find(hash_of_email(email))
    return by_id(claim.user_id) if claim else None


def find_or_create(email: str, name: str = "") -> PersonRecord:
    """Return the person with an address; the first call creates them.

    Two calls at once create one person. Without a name, the person gets the part before the @ of the address. Raises
    InvalidEmail.
    """
    email = normalized_email(email)
    known = by_email(email)
    if known is not None:
        return known
    known_as = as_name(name, MAX_NAME_CHARACTERS) or email.partition("@")[0][:MAX_NAME_CHARACTERS]
    person = PersonRecord(id=ids.new("usr"), name=known_as, email=email, created_at=clock.now_ms())
    transaction = Transaction()
    repository.put(transaction, person)
    try:
        transaction.commit()
    except ConditionFailed as failed:
        # Another request created them at the same moment.
        found = by_id(PersonByEmail.from_item(failed.item).user_id) if failed.item else None
        if found is None:
            raise
        return found
    return person


def join(transaction: Transaction, person: PersonRecord, organization: str, role: Role) -> None:
    """Add an organization to the person's list, in the transaction that makes them its member.

    The transaction raises AlreadyAMember, TooManyOrganizations, InvalidToken if the person is gone, and ConditionFailed
    if their name is no longer the one that was read: see `retry_on_rename`.
    """
    repository.join(transaction, person.id, person.name, organization, role)


def retry_on_rename[T](person: PersonRecord, attempt: Callable[[PersonRecord], T]) -> T:
    """Run `attempt`, which makes a person a member; run it again with their new name if they were renamed.

    So the list of members never keeps an old name. Raises InvalidToken if the person is gone.
    """

    def attempt_as_named() -> T:
        nonlocal person
        try:
            return attempt(person)
        except ConditionFailed:
            found = by_id(person.id)
            if found is None:
                raise InvalidToken from None
            person = found
            raise

    return repeat_when_stale(attempt_as_named, ConditionFailed)


def set_token_organization(transaction: Transaction, person: Person, organization: str | None) -> None:
    """Set the organization in which the access token that the person sent acts; None for no organization.

    A login keeps the organization that the person chose when they allowed the program, so its token stays where it is.
    One that was allowed for no organization takes its first one here, and tokens that are later refreshed follow.

    Raises InvalidToken if the token is of a login whose person has left its organization. The transaction raises
    InvalidToken if the token or its login was revoked in the meantime, or if the token ended in that organization when
    the person left it; ConsentRequired if the login took another organization in the meantime.
    """
    if person.keeps_organization:
        if person.ended_in is not None:
            raise InvalidToken
        return
    repository.set_token_organization(transaction, person, organization)
