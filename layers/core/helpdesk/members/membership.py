"""Membership, as other nouns need it: a member's name, and that a person still is a member."""

from helpdesk.members import repository
from helpdesk.members.errors import MemberNotFound
from helpdesk.storage import keys
from helpdesk.storage.keys import MalformedKey
from helpdesk.storage.transactions import OnFailure, Transaction


def name_of(organization: str, user_id: str) -> str | None:
    """Return a member's name, None if no member of the organization has this id."""
    try:
        return repository.get(organization, user_id).name
    except (MemberNotFound, MalformedKey):  # text that cannot be an id is as absent as an unknown id
        return None


def require(transaction: Transaction, organization: str, user_id: str, on_failure: OnFailure) -> None:
    """Require that a person is a member when the transaction is written."""
    transaction.require(keys.Member(organization, user_id), "attribute_exists(PK)", on_failure=on_failure)
