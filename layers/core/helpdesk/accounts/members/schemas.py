"""Request and response models of the member routes (Specification: Errors, Organization and members)."""

from typing import Annotated, Literal

from pydantic import BeforeValidator

from helpdesk.api.admission.caller import Role
from helpdesk.api.http.schemas import Answer, Body, Milliseconds, PageQuery
from helpdesk.api.http.unknown_names import NotOneOf


def _role(value: object) -> object:
    """Return the role of a name; a strict model does not convert text to an enumeration by itself."""
    try:
        return Role(value) if isinstance(value, str) else value
    except ValueError:
        raise NotOneOf(Role) from None


RoleName = Annotated[Role, BeforeValidator(_role)]


class MemberUpdate(Body):
    """The body of PATCH /members/{userId}."""

    role: RoleName
    """The new role: your own or a lower one."""


class Member(Answer):
    """A member of the organization."""

    user_id: str
    name: str
    email: str
    role: Role
    """Owners can do everything, admins everything except granting the owner role, members the team's daily work."""
    joined_at: Milliseconds
    """When the person became a member."""


Kinds = list[Literal["waiting", "assigned", "reply", "approval"]]


class Notifications(Answer):
    """GET and PATCH /me/notifications."""

    mail: Kinds
    """What you are mailed. `waiting`: a conversation that nobody is assigned to waits for the team. `assigned`:
    somebody else assigned you a conversation. `reply`: a customer wrote in a conversation that you are assigned to.
    `approval`: a call of a tool waits for an approval."""


class NotificationsChange(Body):
    """The body of PATCH /me/notifications."""

    mail: Kinds
    """All that you want to be mailed; an empty list for nothing."""


class MembersQuery(PageQuery):
    """The parameters of GET /members."""


class MembersAnswer(Answer):
    """GET /members, in the order of the people's IDs."""

    members: list[Member]
    next_cursor: str | None
    """Send it as `cursor` for more members; null at the end."""
