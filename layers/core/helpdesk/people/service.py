"""The rules of people: one person per e-mail address, their memberships, and their access tokens."""

from collections.abc import Callable

from helpdesk.admission.caller import Person, Role
from helpdesk.people import repository
from helpdesk.people.record import MAX_NAME_CHARACTERS, PersonRecord, hash_of_email, normalized_email
from helpdesk.platform import ids
from helpdesk.platform.errors import InvalidToken
from helpdesk.platform.text import as_name
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

# Each failed try means that another change of the person's name succeeded.


def by_id(user_id: str) -> PersonRecord | None:
    """Return a person, or None."""
    return repository.get(user_id)


def by_email(email: str) -> PersonRecord | None:
    """Return the person with a normalized address, or None."""
    user_id = repository.id_by_email(hash_of_email(email))
    return repository.get(user_id) if user_id else None


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
    person = PersonRecord(ids.new("usr"), known_as, email)
    transaction = Transaction()
    repository.put(transaction, person)
    try:
        transaction.commit()
    except ConditionFailed as failed:
        # Another request created them at the same moment.
        found = repository.get(repository.claimed_id(failed.item)) if failed.item else None
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
            found = repository.get(person.id)
            if found is None:
                raise InvalidToken from None
            person = found
            raise

    return repeat_when_stale(attempt_as_named, ConditionFailed)


def leave(transaction: Transaction, user_id: str, organization: str, role: Role) -> None:
    """Remove an organization from the person's list, in the transaction that removes them from it.

    The transaction raises ConditionFailed if their role there is no longer this one. So do the two functions below.
    """
    repository.leave(transaction, user_id, organization, role)


def set_role(transaction: Transaction, user_id: str, organization: str, old: Role, new: Role) -> None:
    """Change the person's role in an organization, in the transaction that changes it there."""
    repository.set_role(transaction, user_id, organization, old, new)


def require_role(transaction: Transaction, user_id: str, organization: str, role: Role) -> None:
    """Make a transaction fail unless the person still has this role in the organization."""
    repository.require_role(transaction, user_id, organization, role)


def require_member(transaction: Transaction, user_id: str, organization: str, on_failure: Exception) -> None:
    """Make a transaction fail unless the person belongs to the organization."""
    repository.require_member(transaction, user_id, organization, on_failure)


def require_member_since(
    transaction: Transaction, user_id: str, organization: str, bound_at: int, on_failure: Exception
) -> None:
    """Make a transaction fail unless the person belongs to the organization and has not left it since an instant (ms).

    So what was bound to a membership ends with it, even if the person comes back.
    """
    repository.require_member_since(transaction, user_id, organization, bound_at, on_failure)


def set_name(transaction: Transaction, person: PersonRecord, name: str) -> None:
    """Change the name of a person that was read. The transaction raises ConditionFailed if their roles changed."""
    repository.set_name(transaction, person, name)


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


def add_token(
    transaction: Transaction,
    token_hash: str,
    user_id: str,
    organization: str,
    *,
    client_id: str,
    seconds: int,
) -> None:
    """Add an access token without a grant, which acts in an organization and is valid for a number of seconds."""
    repository.put_token(transaction, token_hash, user_id, organization, client_id, seconds)
