"""A member as stored in the organization's partition, and what is left of a former one."""

from enum import StrEnum

from helpdesk.api.admission.caller import Role
from helpdesk.storage.stored import Stored


class NotificationKind(StrEnum):
    """What a member can be notified of by mail."""

    WAITING = "waiting"
    """A conversation that nobody is assigned to waits for the team."""
    ASSIGNED = "assigned"
    """They were assigned a conversation."""
    REPLY = "reply"
    """A customer wrote in a conversation that they are assigned to."""
    APPROVAL = "approval"
    """A call of a tool waits for an approval."""


class Member(Stored, kw_only=True):
    """A person's membership; `joined_at` is in ms.

    `notifications` are what they are notified of, None until they have chosen: then an owner gets everything, and
    everyone else what concerns them.
    """

    PK, SK = "ORG#{organization}#MEMBER", "MEMBER#{user_id}"

    organization: str
    user_id: str
    name: str
    email: str
    role: Role
    joined_at: int
    notifications: tuple[NotificationKind, ...] | None = None

    @property
    def notified_of(self) -> frozenset[NotificationKind]:
        """What they are notified of."""
        if self.notifications is not None:
            return frozenset(self.notifications)
        return frozenset(NotificationKind) if self.role is Role.OWNER else _BY_DEFAULT


_BY_DEFAULT = frozenset({NotificationKind.ASSIGNED, NotificationKind.REPLY})


class FormerMember(Stored, kw_only=True):
    """The name with which a member left, for what they did before."""

    PK, SK = "ORG#{organization}#MEMBER", "FORMER#{user_id}"

    organization: str
    user_id: str
    name: str
