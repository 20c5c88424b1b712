"""Membership, as other nouns need it: who a member is, and that a person still is a member."""

from collections.abc import Sequence

from helpdesk.accounts.members import repository
from helpdesk.accounts.members.errors import MemberNotFound
from helpdesk.accounts.members.record import Member
from helpdesk.accounts.members.repository import members
from helpdesk.accounts.people.errors import InvalidEmail
from helpdesk.accounts.people.record import normalized_email
from helpdesk.storage.stored import MalformedKey
from helpdesk.storage.transactions import OnFailure, Transaction

__all__ = ["find", "members", "name_of", "names_of", "require"]


def name_of(organization: str, user_id: str) -> str | None:
    """Return a member's name, None if no member of the organization has this id."""
    try:
        return members.get(organization, user_id).name
    except (MemberNotFound, MalformedKey):  # text that cannot be an id is as absent as an unknown id
        return None


def names_of(organization: str, user_ids: Sequence[str]) -> dict[str, str]:
    """Return the names of those who are members, by id. One call for up to 100."""
    return {user_id: member.name for user_id, member in members.by_ids(organization, ids=user_ids).items()}


def find(organization: str, id_or_email: str) -> Member | None:
    """Return a member by user id or e-mail address, None if there is none.

    One read by id. An address is looked for among the organization's members: one query for a few thousand of them.
    """
    if "@" not in id_or_email:
        try:
            return members.get(organization, id_or_email)
        except (MemberNotFound, MalformedKey):
            return None
    try:
        return repository.with_email(organization, normalized_email(id_or_email))
    except InvalidEmail:
        return None


def require(transaction: Transaction, organization: str, user_id: str, on_failure: OnFailure) -> None:
    """Require that a person is a member when the transaction is written."""
    transaction.require(Member.key_for(organization, user_id), {}, on_failure=on_failure)
