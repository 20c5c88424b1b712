"""What goes in and out of the routes of members (Specification: Errors, Organization and members)."""

from typing import Annotated

from pydantic import BeforeValidator

from helpdesk.admission.caller import Role
from helpdesk.http.schemas import Answer, Body, Milliseconds, PageQuery


def _role(value: object) -> object:
    """Return the role that a name names; a strict model takes no text for an enumeration otherwise."""
    try:
        return Role(value) if isinstance(value, str) else value
    except ValueError:
        raise ValueError(f"must be one of {', '.join(Role)}") from None


RoleName = Annotated[Role, BeforeValidator(_role)]


class MemberUpdate(Body):
    """The body of PATCH /members/{userId}."""

    role: RoleName
    """What the member becomes: your own role or a lower one."""


class Member(Answer):
    """A member of the organization."""

    user_id: str
    name: str
    email: str
    role: Role
    """What the person may: an owner all, an admin all but granting owner, a member the team's daily work."""
    joined_at: Milliseconds
    """When the person became a member."""


class MembersQuery(PageQuery):
    """The parameters of GET /members."""


class MembersAnswer(Answer):
    """GET /members, in the order of the people's ids."""

    members: list[Member]
    next_cursor: str | None
    """Send it as `cursor` for more members; null at the end."""
