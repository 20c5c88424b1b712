"""What a member is notified of by mail (GET and PATCH /v1/me/notifications)."""

from copy import replace

from helpdesk.accounts.members.errors import MemberNotFound
from helpdesk.accounts.members.record import Member, NotificationKind
from helpdesk.accounts.members.repository import members
from helpdesk.accounts.members.schemas import Notifications, NotificationsChange
from helpdesk.api.admission.caller import Caller, no_organization
from helpdesk.platform.errors import InvalidToken
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction


def get(caller: Caller) -> Notifications:
    """Return what the person is notified of in their organization. Raises NoOrganization."""
    return _shown(_member(caller).notified_of)


def change(caller: Caller, wanted: NotificationsChange) -> Notifications:
    """Choose what the person is mailed, and return it. Raises NoOrganization."""
    chosen = frozenset(map(NotificationKind, wanted.mail))

    def attempt() -> Notifications:
        seen = _member(caller)
        if chosen != seen.notified_of:
            after = replace(seen, notifications=tuple(sorted(chosen)))
            transaction = Transaction()
            as_read = {"notifications": seen.notifications, "role": seen.role}
            transaction.save(seen, after, require=as_read, on_failure=ConditionFailed)
            transaction.commit()
        return _shown(chosen)

    return repeat_when_stale(attempt, ConditionFailed)


def _member(caller: Caller) -> Member:
    person = caller.the_person()
    if person.ended_in is not None:
        raise InvalidToken
    if not caller.organization:
        raise no_organization(person)
    try:
        return members.get(caller.organization, person.id)
    except MemberNotFound:  # they have left at this moment
        raise no_organization(person) from None


def _shown(chosen: frozenset[NotificationKind]) -> Notifications:
    return Notifications.model_validate({"mail": [kind.value for kind in NotificationKind if kind in chosen]})
