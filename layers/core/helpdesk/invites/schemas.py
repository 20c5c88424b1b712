"""What goes in and out of the routes of invitations (Specification: Invitation; POST /invites)."""

from typing import Annotated

from helpdesk.admission.caller import Role
from helpdesk.http.schemas import Answer, Body, Milliseconds, OneTimeSecret, PageQuery, schema_hint
from helpdesk.members.schemas import RoleName
from helpdesk.people.record import MAX_EMAIL_CHARACTERS


class NewInvite(Body):
    """The body of POST /invites."""

    email: Annotated[str, schema_hint(maxLength=MAX_EMAIL_CHARACTERS, format="email")]
    """Whom to invite. Upper and lower case make no difference."""
    role: RoleName
    """What the person becomes: your own role or a lower one."""


class InviteCreated(Answer):
    """The answer of POST /invites."""

    id: str
    path: Annotated[
        str,
        schema_hint(pattern="^/invite/[0-9A-Za-z]{43}$"),
        OneTimeSecret(
            "The invitation is {id}: its mail has the link, and POST /v1/invites/{id}/resend sends it again."
        ),
    ]
    """The invitation's link below the API's address and /v1, for sharing by hand. It is told this once."""


class Invite(Answer):
    """A pending invitation."""

    id: str
    email: str
    role: Role
    """What the person becomes."""
    invited_by_name: str
    created_at: Milliseconds
    valid_until: Milliseconds
    """From here on it can no longer be accepted."""


class InvitesQuery(PageQuery):
    """The parameters of GET /invites."""


class InvitesAnswer(Answer):
    """GET /invites, newest first."""

    invites: list[Invite]
    next_cursor: str | None
    """Send it as `cursor` for older invitations; null at the end."""


class InviteAcceptance(Body):
    """The body of POST /invites/accept."""

    token: str
    """What follows /invite/ in the invitation's link."""


class InviteAccepted(Answer):
    """The answer of POST /invites/accept."""

    organization_id: str
    """The organization that you are a member of now; your access token is bound to it."""
