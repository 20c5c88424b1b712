"""What a member is notified of by mail (GET and PATCH /v1/me/notifications)."""

from copy import replace

from helpdesk.accounts.members.record import Member, NotificationKind
from helpdesk.accounts.members.repository import members
from helpdesk.accounts.members.schemas import Notifications, NotificationsChange
from helpdesk.api.admission.caller import Caller
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction


def get(caller: Caller) -> Notifications:
    """Return what the person is notified of in their organization. Raises NoOrganization."""
    return _shown(_member(caller).notified_of)


def change(caller: Caller, wanted: NotificationsChange) -> Notifications:
    """Change what was sent, and return all of it. Raises NoOrganization."""
    sent = wanted.model_dump(exclude_unset=True, exclude_none=True)

    def attempt() -> Notifications:
        seen = _member(caller)
        chosen = frozenset(
            kind
            for kind in NotificationKind
            if (sent[kind.value] == "mail" if kind.value in sent else kind in seen.notified_of)
        )
        if chosen != seen.notified_of:
            after = replace(seen, notifications=tuple(sorted(chosen)))
            transaction = Transaction()
            as_read = {"notifications": seen.notifications, "role": seen.role}
            transaction.save(seen, after, require=as_read, on_failure=ConditionFailed)
            transaction.commit()
        return _shown(chosen)

    return repeat_when_stale(attempt, ConditionFailed)


def _member(caller: Caller) -> Member:
    return members.get(caller.organization, caller.the_person().id)


def _shown(chosen: frozenset[NotificationKind]) -> Notifications:
    return Notifications.model_validate(
        {kind.value: "mail" if kind in chosen else "off" for kind in NotificationKind}
    )
