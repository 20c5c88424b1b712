"""The rules of people: one person for an address, and the organizations he belongs to."""

from helpdesk.admission.caller import Role
from helpdesk.people import repository
from helpdesk.people.record import MAX_NAME_CHARACTERS, PersonRecord, hash_of_email, normalized_email
from helpdesk.platform import ids
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction


def by_email(email: str) -> PersonRecord | None:
    """Return the person with a normalized address, or None."""
    user_id = repository.id_by_email(hash_of_email(email))
    return repository.get(user_id) if user_id else None


def find_or_create(email: str, name: str = "") -> PersonRecord:
    """Return the person with an address; the first time, make him.

    Two at once make one person. Without a name he goes by what stands before the @ of his address. Raises InvalidEmail.
    """
    email = normalized_email(email)
    known = by_email(email)
    if known is not None:
        return known
    user_id = ids.new("usr")
    called = (name.strip() or email.partition("@")[0])[:MAX_NAME_CHARACTERS]
    transaction = Transaction()
    repository.put(transaction, user_id, called, email, hash_of_email(email))
    try:
        transaction.commit()
    except ConditionFailed as failed:
        # Someone else made him at this moment.
        found = repository.get(failed.item["userId"]) if failed.item else None
        if found is None:
            raise
        return found
    return PersonRecord(user_id, called, email, {})


def join(transaction: Transaction, user_id: str, organization: str, role: Role) -> None:
    """Enter an organization in the person's list, in the transaction that makes him its member.

    The transaction raises AlreadyAMember, TooManyOrganizations, or InvalidToken where the person is gone.
    """
    repository.join(transaction, user_id, organization, role)
