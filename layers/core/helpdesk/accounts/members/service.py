"""The rules of an organization's members: who may change whom, and that one owner remains.

Admission reads a person's role from their own item; a change requires, in its transaction, that the role still holds.
A change that loses a race is checked again with the present roles (docs/decisions/0041).
"""

from collections.abc import Callable

from helpdesk.accounts.members import repository, schemas
from helpdesk.accounts.members.errors import CannotGrant, CannotManageSelf, Outranked
from helpdesk.accounts.members.record import Member
from helpdesk.accounts.members.repository import count_owner, members
from helpdesk.accounts.organizations.errors import OrganizationNotFound
from helpdesk.accounts.organizations.record import Organization
from helpdesk.accounts.people import service as people
from helpdesk.accounts.people.errors import AlreadyAMember
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.api.admission.caller import Caller, Person, Role, no_organization
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.platform import clock
from helpdesk.platform.errors import Forbidden, InvalidToken
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

__all__ = ["add", "admit", "change_role", "count_owner", "leave", "listed", "remove", "set_name"]


def add(transaction: Transaction, organization: str, person: PersonRecord, role: Role) -> None:
    """Make a person a member, on the organization's side and on their own.

    The caller that adds an owner also counts the owner on the organization, in the same transaction. The transaction
    raises AlreadyAMember, TooManyOrganizations, and ConditionFailed if the person was renamed: see
    `people.retry_on_rename`.
    """
    member = Member(
        organization=organization,
        user_id=person.id,
        name=person.name,
        email=person.email,
        role=role,
        joined_at=clock.now_ms(),
    )
    transaction.put(member, new=True, on_failure=AlreadyAMember())
    people.join(transaction, person, organization, role)


def admit(organization: str, email: str, name: str, role: Role) -> PersonRecord:
    """Make the person with an address a member, for the operator's command; create the person if there is none.

    Raises InvalidEmail, OrganizationNotFound, AlreadyAMember, TooManyOrganizations.
    """
    return people.retry_on_rename(
        people.find_or_create(email, name), lambda person: _admitted(organization, person, role)
    )


def _admitted(organization: str, person: PersonRecord, role: Role) -> PersonRecord:
    transaction = Transaction()
    if role is Role.OWNER:
        count_owner(transaction, organization)
    else:
        transaction.require(Organization.key_for(organization), {}, on_failure=OrganizationNotFound())
    add(transaction, organization, person, role)
    transaction.put(
        logs.entry(
            organization,
            LogKind.MEMBER_JOINED,
            actor=logs.SYSTEM,
            summary=f"A person became a member with the role {role}.",
            userId=person.id,
            role=role.value,
        )
    )
    transaction.commit()
    return person


def listed(organization: str, limit: int, after: str | None) -> tuple[list[schemas.Member], str | None]:
    """Return a page of the members, and the id after which the next page begins."""
    found, end = repository.page(organization, limit, after)
    return [schemas.Member.from_record(member) for member in found], end


def set_name(transaction: Transaction, organization: str, user_id: str, old: str, name: str) -> None:
    """Change a member's name, and log it: what they did before shows the new one. Two writes.

    The transaction raises ConditionFailed if the person is not a member.
    """
    transaction.change(Member.key_for(organization, user_id), set={"name": name}, on_failure=ConditionFailed)
    transaction.put(
        logs.entry(
            organization,
            LogKind.MEMBER_RENAMED,
            actor=ActorName(name, user_id),
            summary=f'A member changed their name from "{old}" to "{name}".',
            userId=user_id,
        )
    )


def change_role(caller: Caller, user_id: str, new: Role) -> None:
    """Give a member another role; a role that they already have writes nothing.

    Raises CannotManageSelf, MemberNotFound, Outranked, CannotGrant, LastOwner; InvalidToken or Forbidden if the caller
    lost their own role in the meantime.
    """

    def attempt(actor: Role) -> None:
        member = _managed(caller, user_id, actor)
        if new.rank > actor.rank:
            raise CannotGrant
        if member.role is new:
            return
        organization, transaction = caller.organization, Transaction()
        people.require_role(transaction, caller.the_person().id, organization, actor)
        repository.set_role(transaction, member, new)
        people.set_role(transaction, user_id, organization, member.role, new)
        if new is Role.OWNER:
            count_owner(transaction, organization)
        elif member.role is Role.OWNER:
            repository.count_owner_off(transaction, organization)
        transaction.put(
            logs.entry(
                organization,
                LogKind.MEMBER_ROLE_CHANGED,
                actor=caller.actor,
                summary=f"A member's role was changed from {member.role} to {new}.",
                userId=user_id,
                role=new.value,
            )
        )
        transaction.commit()

    _retry_on_conflict(caller, attempt)


def remove(caller: Caller, user_id: str) -> None:
    """Remove a member; their access tokens of this organization are refused from the next request on.

    Raises CannotManageSelf, MemberNotFound, Outranked, LastOwner; InvalidToken or Forbidden if the caller lost their
    own role in the meantime.
    """

    def attempt(actor: Role) -> None:
        member = _managed(caller, user_id, actor)
        transaction = Transaction()
        people.require_role(transaction, caller.the_person().id, caller.organization, actor)
        _remove(transaction, caller, user_id, member.name, member.role, "A member was removed.")
        transaction.commit()

    _retry_on_conflict(caller, attempt)


def leave(caller: Caller) -> None:
    """Remove the person from the organization that their token acts in.

    The tokens of their logins for it end; a token that the operator issued acts in none afterwards. Raises
    NoOrganization, LastOwner, InvalidToken.
    """

    def attempt(role: Role) -> None:
        person, transaction = caller.the_person(), Transaction()
        _remove(transaction, caller, person.id, person.name, role, "A member left.")
        people.set_token_organization(transaction, person, None)
        transaction.commit()

    if caller.the_person().ended_in is not None:
        raise InvalidToken
    if not caller.organization:
        raise no_organization(caller.person)
    _retry_on_conflict(caller, attempt, least=Role.MEMBER)


def _managed(caller: Caller, user_id: str, actor: Role) -> Member:
    """Return the member whom the caller, as this role, may manage."""
    if user_id == caller.the_person().id:
        raise CannotManageSelf
    member = members.get(caller.organization, user_id)
    if member.role.rank > actor.rank:
        raise Outranked
    return member


def _remove(
    transaction: Transaction, caller: Caller, user_id: str, name: str, role: Role, summary: str
) -> None:
    organization = caller.organization
    repository.delete(transaction, organization, user_id, name, role)
    people.leave(transaction, user_id, organization, role)
    if role is Role.OWNER:
        repository.count_owner_off(transaction, organization)
    transaction.put(
        logs.entry(
            organization,
            LogKind.MEMBER_REMOVED,
            actor=caller.actor,
            summary=summary,
            userId=user_id,
        )
    )


def _retry_on_conflict(caller: Caller, attempt: Callable[[Role], None], *, least: Role = Role.ADMIN) -> None:
    """Try with the role that admission saw; retry with the present role if it or the member has changed since."""
    person = caller.the_person()
    role = _role_seen(person)

    def attempt_as_seen() -> None:
        nonlocal role
        try:
            attempt(role)
        except ConditionFailed:
            role = _role_now(person, caller.organization)
            if role.rank < least.rank:
                raise Forbidden from None
            raise

    repeat_when_stale(attempt_as_seen, ConditionFailed)


def _role_seen(person: Person) -> Role:
    if person.role is None:
        raise no_organization(person)
    return person.role


def _role_now(person: Person, organization: str) -> Role:
    found = people.by_id(person.id)
    role = found.roles.get(organization) if found else None
    if role is None:
        raise InvalidToken
    return role
