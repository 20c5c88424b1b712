"""What others ask of a member: how he is called, and that he still is one."""

from helpdesk.members import repository
from helpdesk.members.errors import MemberNotFound
from helpdesk.storage import keys
from helpdesk.storage.keys import MalformedKey
from helpdesk.storage.transactions import OnFailure, Transaction


def name_of(organization: str, user_id: str) -> str | None:
    """Return a member's name, None where nobody of the organization has this id."""
    try:
        return repository.get(organization, user_id).name
    except (MemberNotFound, MalformedKey):  # an id of a form that none has: as absent as any other
        return None


def require(transaction: Transaction, organization: str, user_id: str, on_failure: OnFailure) -> None:
    """Require that a person is a member when the transaction is written."""
    transaction.require(keys.Member(organization, user_id), "attribute_exists(PK)", on_failure=on_failure)
