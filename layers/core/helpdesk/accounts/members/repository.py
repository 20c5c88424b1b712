"""Items of members, and the number of owners on the organization's item."""

from helpdesk.accounts.members.errors import LastOwner, MemberNotFound
from helpdesk.accounts.members.record import FormerMember, Member
from helpdesk.accounts.organizations.errors import OrganizationNotFound
from helpdesk.accounts.organizations.record import Organization
from helpdesk.api.admission.caller import Role
from helpdesk.storage import table
from helpdesk.storage.changes import above
from helpdesk.storage.collection import Collection
from helpdesk.storage.table import ConditionFailed, Filter, Item
from helpdesk.storage.transactions import OnFailure, Transaction

members = Collection(Member, missing=MemberNotFound)


def page(organization: str, limit: int, after: str | None) -> tuple[list[Member], str | None]:
    """Return members in the order of their ids, after the id `after`; and the id to continue from, None at the end."""
    start = Member.key_for(organization, after).attributes() if after else None
    found = members.page(organization, limit=limit, after=start, consistent=True)
    return found.records, found.records[-1].user_id if found.after else None


def with_email(organization: str, email: str) -> Member | None:
    """Return the member with an address, None if there is none. One query for each megabyte of members."""
    matching = Filter("email = :email", {}, {":email": email})
    partition, prefix = Member.partition_for(organization), Member.sk_prefix()
    after: Item | None = None
    while True:
        page = table.query(partition, sk_prefix=prefix, matching=matching, after=after, consistent=True)
        if page.items:
            return Member.from_item(page.items[0])
        after = page.after
        if after is None:
            return None


def set_role(transaction: Transaction, seen: Member, role: Role) -> None:
    """Change the role of a member who was read. The transaction raises ConditionFailed if it changed since."""
    transaction.change(seen.key, set={"role": role}, require={"role": seen.role}, on_failure=ConditionFailed)


def delete(transaction: Transaction, organization: str, user_id: str, name: str, old: Role) -> None:
    """Remove a member, and keep their name for what they did.

    The transaction raises ConditionFailed if their role is not the one that was read.
    """
    transaction.delete(
        Member.key_for(organization, user_id), require={"role": old}, on_failure=ConditionFailed
    )
    transaction.put(FormerMember(organization=organization, user_id=user_id, name=name))


def count_owner(transaction: Transaction, organization: str, on_failure: OnFailure | None = None) -> None:
    """Count one owner more. The transaction raises OrganizationNotFound, or `on_failure`."""
    transaction.change(
        Organization.key_for(organization), add={"owners": 1}, on_failure=on_failure or OrganizationNotFound()
    )


def count_owner_off(transaction: Transaction, organization: str) -> None:
    """Count one owner less. The transaction raises LastOwner if there is no other owner."""
    transaction.change(
        Organization.key_for(organization),
        add={"owners": -1},
        require={"owners": above(1)},
        on_failure=LastOwner(),
    )
