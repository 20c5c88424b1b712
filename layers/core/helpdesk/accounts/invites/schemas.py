"""Request and response models of the invitation routes (Specification: Invitation; POST /invites)."""

from typing import Annotated

from helpdesk.accounts.members.schemas import RoleName
from helpdesk.accounts.people.record import MAX_EMAIL_CHARACTERS
from helpdesk.api.admission.caller import Role
from helpdesk.api.http.schemas import Answer, Body, Milliseconds, OneTimeSecret, PageQuery, schema_hint


class NewInvite(Body):
    """The body of POST /invites."""

    email: Annotated[str, schema_hint(maxLength=MAX_EMAIL_CHARACTERS, format="email")]
    """The address to invite. Case does not matter."""
    role: RoleName
    """The role to grant: your own or a lower one."""


class InviteCreated(Answer):
    """The response of POST /invites."""

    id: str
    path: Annotated[
        str,
        schema_hint(pattern="^/v1/invite/[0-9A-Za-z]{43}$"),
        OneTimeSecret(
            "The invitation is {id}. Its mail has the link; POST /v1/invites/{id}/resend sends it again."
        ),
    ]
    """The path of the link for sharing by hand: append it to the API's base URL. It is shown only here."""


class Invite(Answer):
    """A pending invitation."""

    id: str
    email: str
    role: Role
    """The role to grant."""
    invited_by: str | None
    """The ID of the person or key."""
    invited_by_name: str
    """Who sent it last."""
    sender_may_invite: bool
    """False once its sender has left or may no longer grant this role: the link does not work until the invitation is
    sent again by someone who may."""
    created_at: Milliseconds
    valid_until: Milliseconds
    """When the invitation expires."""


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
    """The part after /invite/ in the invitation's link."""


class InviteAccepted(Answer):
    """The response of POST /invites/accept."""

    organization_id: str
    """The organization that you have joined; your access token acts in it."""
