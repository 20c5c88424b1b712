"""The logins of programs, called grants: who sees which, and ending one with all its tokens.

A grant is for the organization that its person chose when they allowed the program. The admins of that organization see
and end it as its person does.
"""

from collections.abc import Callable, Sequence

from helpdesk.accounts.members import membership
from helpdesk.accounts.oauth import repository, schemas
from helpdesk.accounts.oauth.errors import GrantNotFound
from helpdesk.accounts.oauth.record import Grant
from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.people import service as people
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.api.admission.caller import Caller, Scope
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.platform import clock
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.stored import MalformedKey
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

MOST_OF_MINE = 100
"""How many of a person's grants are listed: the newest."""


def of_mine(caller: Caller) -> list[schemas.GrantOfMine]:
    """Return the newest grants of the caller that work, newest first."""
    person = people.by_id(caller.the_person().id)
    if person is None:
        return []
    found = repository.newest_grants_of_person(person.id, MOST_OF_MINE)
    working = [each for each in found if _works_for(person, each)]
    known = organizations.by_ids(ids=sorted(person.roles))
    programs = _programs(working)
    return [
        schemas.GrantOfMine(
            id=each.id,
            client_id=each.client_id,
            client_name=programs[each.client_id],
            organization_id=each.organization,
            organization_name=known[each.organization].name if each.organization in known else None,
            scopes=list(each.scopes),
            created_at=each.created_at,
            refreshed_at=each.rotated_at,
            valid_until=each.valid_until,
            current=each.id == caller.the_person().grant_id,
        )
        for each in working
    ]


def _works_for(person: PersonRecord, grant: Grant) -> bool:
    """Return whether a grant is valid, and its person has not left its organization since."""
    membership = person.organizations.get(grant.organization or "")
    is_member = grant.organization is None or (
        membership is not None and grant.bound_at >= membership.joined_at
    )
    return is_member and grant.valid_until > clock.now_ms()


def listed(organization: str, limit: int, before: str | None) -> tuple[list[schemas.Grant], str | None]:
    """Return a page of the organization's grants that work, newest first, and the id after which the next begins."""
    found, end = repository.grants_of_organization(organization, limit, before)
    members = membership.members.by_ids(organization, ids=sorted({each.user_id for each in found}))
    working = [
        (each, members[each.user_id])
        for each in found
        if each.valid_until > clock.now_ms()
        and each.user_id in members
        and each.bound_at >= members[each.user_id].joined_at
    ]
    programs = _programs([each for each, _ in working])
    shown = [
        schemas.Grant(
            id=each.id,
            client_id=each.client_id,
            client_name=programs[each.client_id],
            user_id=member.user_id,
            user_name=member.name,
            scopes=list(each.scopes),
            created_at=each.created_at,
            refreshed_at=each.rotated_at,
            valid_until=each.valid_until,
        )
        for each, member in working
    ]
    return shown, end


def _programs(grants: Sequence[Grant]) -> dict[str, str]:
    wanted = sorted({each.client_id for each in grants})
    found = repository.client_names(wanted)
    return {each: found.get(each, each) for each in wanted}


def end_mine(caller: Caller, grant_id: str) -> None:
    """End a grant of the caller's, in whichever organization it is.

    Every program may end its own access. Raises GrantNotFound; InsufficientScope for another program's.
    """
    person = caller.the_person()
    if grant_id != person.grant_id:
        person.require(Scope.MANAGE)
    if not _end(grant_id, caller.actor, lambda seen: seen.user_id == person.id):
        raise GrantNotFound


def end_for_organization(caller: Caller, grant_id: str) -> None:
    """End a grant for the caller's organization, whichever member allowed it. Raises GrantNotFound."""
    if not _end(grant_id, caller.actor, lambda seen: seen.organization == caller.organization):
        raise GrantNotFound


def end_stolen(grant_id: str) -> None:
    """End a grant of which a code or refresh token came a second time: one of the two senders is not the program."""
    _end(grant_id, logs.SYSTEM, lambda _: True)


def end_by_program(grant_id: str) -> None:
    """End a grant at the wish of its program, which has proved that it is the one, by its refresh token."""
    seen = repository.grants.find(grant_id)
    person = people.by_id(seen.user_id) if seen is not None else None
    actor = ActorName(person.name, person.id) if person is not None else logs.SYSTEM
    _end(grant_id, actor, lambda _: True)


def _end(grant_id: str, actor: str, may: Callable[[Grant], bool]) -> bool:
    """Remove a grant and its tokens, even if it is refreshed at the same moment; return False if there is none.

    The next request with one of its tokens is refused. `may` says whether the caller may end it.
    """

    def attempt() -> bool:
        try:
            seen = repository.grants.find(grant_id)
        except MalformedKey:  # text that cannot be an id
            return False
        if seen is None or not may(seen):
            return False
        transaction = Transaction()
        repository.remove_grant(transaction, seen)
        log(transaction, seen, LogKind.GRANT_ENDED, actor, "A program's access was ended.")
        transaction.commit()
        return True

    return repeat_when_stale(attempt, ConditionFailed)


def log(transaction: Transaction, grant: Grant, kind: LogKind, actor: str, summary: str) -> None:
    """Log what happened to a grant, in the organization that it is for, if there is one."""
    if grant.organization is None:
        return
    transaction.put(
        logs.entry(
            grant.organization,
            kind,
            actor=actor,
            summary=summary,
            grantId=grant.id,
            clientId=grant.client_id,
            userId=grant.user_id,
            scopes=[each.value for each in grant.scopes],
        )
    )
