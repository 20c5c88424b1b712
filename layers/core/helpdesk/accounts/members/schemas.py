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


class Notifications(Answer):
    """GET and PATCH /me/notifications: what you are notified of, and how."""

    waiting: Literal["mail", "off"]
    """A conversation that nobody is assigned to waits for the team."""
    assigned: Literal["mail", "off"]
    """You were assigned a conversation."""
    reply: Literal["mail", "off"]
    """A customer wrote in a conversation that you are assigned to."""
    approval: Literal["mail", "off"]
    """A call of a tool waits for an approval."""


class NotificationsChange(Body):
    """The body of PATCH /me/notifications; omitted fields stay as they are."""

    waiting: Literal["mail", "off"] | None = None
    """A conversation that nobody is assigned to waits for the team."""
    assigned: Literal["mail", "off"] | None = None
    """You were assigned a conversation."""
    reply: Literal["mail", "off"] | None = None
    """A customer wrote in a conversation that you are assigned to."""
    approval: Literal["mail", "off"] | None = None
    """A call of a tool waits for an approval."""


class MembersQuery(PageQuery):
    """The parameters of GET /members."""


class MembersAnswer(Answer):
    """GET /members, in the order of the people's IDs."""

    members: list[Member]
    next_cursor: str | None
    """Send it as `cursor` for more members; null at the end."""
