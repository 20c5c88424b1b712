"""/v1/me, /v1/organizations, /v1/members and /v1/invites: people, and the organizations they belong to."""

from helpdesk.admission.caller import Access, Caller
from helpdesk.http.content import BaseUrl
from helpdesk.http.pages import next_cursor, position
from helpdesk.http.schemas import OK, Ok
from helpdesk.invites import accepting
from helpdesk.invites import service as invites
from helpdesk.invites.errors import AlreadyInvited, InviteNotFound, TooManyInvites
from helpdesk.invites.schemas import (
    InviteAcceptance,
    InviteAccepted,
    InviteCreated,
    InvitesAnswer,
    InvitesQuery,
    NewInvite,
)
from helpdesk.members import service as members
from helpdesk.members.errors import CannotGrant, CannotManageSelf, LastOwner, MemberNotFound, Outranked
from helpdesk.members.schemas import MembersAnswer, MembersQuery, MemberUpdate
from helpdesk.organizations import founding
from helpdesk.organizations.errors import InvalidSlug, OrganizationNotFound, SlugTaken
from helpdesk.organizations.schemas import OrganizationCreated, OrganizationInput
from helpdesk.people import account
from helpdesk.people.errors import AlreadyAMember, InvalidEmail, TooManyOrganizations
from helpdesk.people.schemas import Binding, Me, MeUpdate
from helpdesk.platform.errors import InvalidCursor, NoOrganization
from helpdesk.routing.api import Api

api = Api()


@api.get("/v1/me", access=Access.ACCOUNT)
def get_me(caller: Caller) -> Me:
    """Return who you are, and the organizations that you belong to."""
    return account.me(caller)


@api.patch("/v1/me", access=Access.PERSONAL)
def update_me(caller: Caller, change: MeUpdate) -> Me:
    """Change your name, in every organization that you belong to."""
    return account.rename(caller, change.name)


@api.post("/v1/me/organization", access=Access.PERSONAL, errors=(OrganizationNotFound,))
def set_my_organization(caller: Caller, binding: Binding) -> Ok:
    """Let your access token act in another organization that you belong to."""
    founding.turn_to(caller, binding.organization_id)
    return OK


@api.delete("/v1/me/organization", access=Access.PERSONAL, errors=(NoOrganization, LastOwner))
def leave_organization(caller: Caller) -> Ok:
    """Leave the organization that your access token acts in; the token is bound to none afterwards."""
    members.leave(caller)
    return OK


@api.post("/v1/organizations", access=Access.PERSONAL, errors=(InvalidSlug, SlugTaken, TooManyOrganizations))
def create_organization(caller: Caller, new: OrganizationInput) -> OrganizationCreated:
    """Make an organization that you own; your access token moves to it."""
    return OrganizationCreated(id=founding.found(caller, new), slug=new.slug)


@api.get("/v1/members", access=Access.MEMBER, errors=(InvalidCursor,))
def list_members(caller: Caller, query: MembersQuery) -> MembersAnswer:
    """List the organization's members with their roles."""
    listed, end = members.listed(caller.organization, query.limit, position(caller, query, "members"))
    return MembersAnswer(members=listed, next_cursor=next_cursor(caller, end, "members"))


@api.patch(
    "/v1/members/<user_id>",
    access=Access.PERSON_ADMIN,
    errors=(MemberNotFound, CannotManageSelf, Outranked, CannotGrant, LastOwner),
)
def update_member(caller: Caller, user_id: str, change: MemberUpdate) -> Ok:
    """Give a member another role, up to your own; owner is granted by an owner alone."""
    members.change_role(caller, user_id, change.role)
    return OK


@api.delete(
    "/v1/members/<user_id>",
    access=Access.PERSON_ADMIN,
    errors=(MemberNotFound, CannotManageSelf, Outranked, LastOwner),
)
def remove_member(caller: Caller, user_id: str) -> Ok:
    """Remove a member; the person's access tokens stop working here at once."""
    members.remove(caller, user_id)
    return OK


@api.post(
    "/v1/invites",
    access=Access.PERSON_ADMIN,
    errors=(InvalidEmail, CannotGrant, AlreadyAMember, AlreadyInvited, TooManyInvites),
)
def create_invite(caller: Caller, new: NewInvite, base_url: BaseUrl) -> InviteCreated:
    """Invite somebody by e-mail, in a role up to your own; the mail with the link is sent by itself."""
    return invites.create(caller, new, base_url)


@api.get("/v1/invites", access=Access.MEMBER, errors=(InvalidCursor,))
def list_invites(caller: Caller, query: InvitesQuery) -> InvitesAnswer:
    """List the pending invitations, newest first."""
    listed, end = invites.listed(caller.organization, query.limit, position(caller, query, "invites"))
    return InvitesAnswer(invites=listed, next_cursor=next_cursor(caller, end, "invites"))


@api.post(
    "/v1/invites/accept",
    access=Access.PERSONAL,
    errors=(InviteNotFound, AlreadyAMember, TooManyOrganizations),
)
def accept_invite(caller: Caller, acceptance: InviteAcceptance) -> InviteAccepted:
    """Accept the invitation whose link has this token; you become a member, and your access token acts there."""
    return InviteAccepted(organization_id=accepting.accept(caller, acceptance.token))


@api.post("/v1/invites/<invite_id>/resend", access=Access.PERSON_ADMIN, errors=(InviteNotFound, CannotGrant))
def resend_invite(caller: Caller, invite_id: str, base_url: BaseUrl) -> Ok:
    """Send a pending invitation's mail again, with the same link; its end stays as it was."""
    invites.resend(caller, invite_id, base_url)
    return OK


@api.delete("/v1/invites/<invite_id>", access=Access.PERSON_ADMIN, errors=(InviteNotFound, CannotGrant))
def withdraw_invite(caller: Caller, invite_id: str) -> Ok:
    """Withdraw a pending invitation; its link leads nowhere from then on."""
    invites.withdraw(caller, invite_id)
    return OK


handler = api.handler
