"""Items of members, and the number of owners on the organization's item."""

from collections.abc import Sequence

from helpdesk.accounts.members.errors import LastOwner, MemberNotFound
from helpdesk.accounts.members.record import MemberRecord
from helpdesk.accounts.organizations.errors import OrganizationNotFound
from helpdesk.accounts.people.errors import AlreadyAMember
from helpdesk.api.admission.caller import Role
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed, Filter, Item
from helpdesk.storage.transactions import OnFailure, Transaction

_AS_READ = "#role = :old"


def get(organization: str, user_id: str) -> MemberRecord:
    """Return a member. Raises MemberNotFound."""
    item = table.get(keys.Member(organization, user_id))
    if item is None:
        raise MemberNotFound
    return MemberRecord.from_item(item)


def page(organization: str, limit: int, after: str | None) -> tuple[list[MemberRecord], str | None]:
    """Return members in the order of their ids, after the id `after`; and the id to continue from, None at the end."""
    partition = keys.Member(organization, "-").pk
    start = keys.Member(organization, after).attributes() if after else None
    found = table.query(partition, sk_prefix="MEMBER#", limit=limit, after=start, consistent=True)
    members = [MemberRecord.from_item(item) for item in found.items]
    return members, members[-1].user_id if found.after else None


def by_ids(organization: str, user_ids: Sequence[str]) -> dict[str, MemberRecord]:
    """Return those of the people who are members, by id. One call for up to 100."""
    found = table.get_many([keys.Member(organization, user_id) for user_id in user_ids])
    return {item["userId"]: MemberRecord.from_item(item) for item in found.values()}


def with_email(organization: str, email: str) -> MemberRecord | None:
    """Return the member with an address, None if there is none. One query for each megabyte of members."""
    partition = keys.Member(organization, "-").pk
    matching = Filter("email = :email", {}, {":email": email})
    after: Item | None = None
    while True:
        page = table.query(partition, sk_prefix="MEMBER#", matching=matching, after=after, consistent=True)
        if page.items:
            return MemberRecord.from_item(page.items[0])
        after = page.after
        if after is None:
            return None


def put(transaction: Transaction, organization: str, member: MemberRecord) -> None:
    """Add a member. The transaction raises AlreadyAMember."""
    transaction.put(
        {**keys.Member(organization, member.user_id).attributes(), **member.to_item()},
        new=True,
        on_failure=lambda _: AlreadyAMember(),
    )


def set_role(transaction: Transaction, organization: str, user_id: str, old: Role, new: Role) -> None:
    """Change a role. The transaction raises ConditionFailed if it is not the one that was read."""
    transaction.update(
        keys.Member(organization, user_id),
        "SET #role = :new",
        condition=_AS_READ,
        names={"#role": "role"},
        values={":old": old.value, ":new": new.value},
        on_failure=ConditionFailed,
    )


def set_name(transaction: Transaction, organization: str, user_id: str, name: str) -> None:
    """Change a member's name. The transaction raises ConditionFailed if the person is not a member."""
    transaction.update(
        keys.Member(organization, user_id),
        "SET #name = :name",
        condition="attribute_exists(PK)",
        names={"#name": "name"},
        values={":name": name},
        on_failure=ConditionFailed,
    )


def delete(transaction: Transaction, organization: str, user_id: str, name: str, old: Role) -> None:
    """Remove a member, and keep their name for what they did.

    The transaction raises ConditionFailed if their role is not the one that was read.
    """
    transaction.delete(
        keys.Member(organization, user_id),
        condition=_AS_READ,
        names={"#role": "role"},
        values={":old": old.value},
        on_failure=ConditionFailed,
    )
    transaction.put(
        {**keys.FormerMember(organization, user_id).attributes(), "userId": user_id, "name": name}
    )


def count_owner(
    transaction: Transaction, organization: str, on_failure: OnFailure = lambda _: OrganizationNotFound()
) -> None:
    """Count one owner more. The transaction raises OrganizationNotFound, or what `on_failure` returns."""
    transaction.update(
        keys.Organization(organization),
        "ADD owners :one",
        condition="attribute_exists(PK)",
        values={":one": 1},
        on_failure=on_failure,
    )


def count_owner_off(transaction: Transaction, organization: str) -> None:
    """Count one owner less. The transaction raises LastOwner if there is no other owner."""
    transaction.update(
        keys.Organization(organization),
        "ADD owners :less",
        condition="owners > :one",
        values={":less": -1, ":one": 1},
        on_failure=lambda _: LastOwner(),
    )


def require_organization(transaction: Transaction, organization: str) -> None:
    """Require that the organization exists. The transaction raises OrganizationNotFound."""
    transaction.require(
        keys.Organization(organization),
        "attribute_exists(PK)",
        on_failure=lambda _: OrganizationNotFound(),
    )
