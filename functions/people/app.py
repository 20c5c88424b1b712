"""/v1/me, /v1/organizations, /v1/members, /v1/teams, /v1/grants and /v1/invites: people, and where they get in."""

from helpdesk.accounts import service as accounts
from helpdesk.accounts.invites import accepting
from helpdesk.accounts.invites import service as invites
from helpdesk.accounts.invites.errors import AlreadyInvited, InviteNotFound, TooManyInvites
from helpdesk.accounts.invites.schemas import (
    InviteAcceptance,
    InviteAccepted,
    InviteCreated,
    InvitesAnswer,
    InvitesQuery,
    NewInvite,
)
from helpdesk.accounts.members import notifications
from helpdesk.accounts.members import service as members
from helpdesk.accounts.members.errors import (
    CannotGrant,
    CannotManageSelf,
    LastOwner,
    MemberNotFound,
    NotAMember,
    Outranked,
)
from helpdesk.accounts.members.schemas import (
    MembersAnswer,
    MembersQuery,
    MemberUpdate,
    Notifications,
    NotificationsChange,
)
from helpdesk.accounts.oauth import grants
from helpdesk.accounts.oauth.errors import GrantNotFound
from helpdesk.accounts.oauth.schemas import GrantsAnswer, GrantsOfMineAnswer, GrantsQuery
from helpdesk.accounts.organizations.errors import InvalidSlug, OrganizationNotFound, SlugTaken
from helpdesk.accounts.organizations.schemas import OrganizationCreated, OrganizationInput
from helpdesk.accounts.people.errors import AlreadyAMember, InvalidEmail, TooManyOrganizations
from helpdesk.accounts.schemas import ActiveOrganization, Me, MeUpdate
from helpdesk.accounts.teams import service as teams
from helpdesk.accounts.teams.errors import TeamExists, TeamNotFound, TooManyTeams
from helpdesk.accounts.teams.schemas import TeamInput, TeamsAnswer, TeamShape, TeamUpdate
from helpdesk.api.admission.caller import Access, Caller
from helpdesk.api.http.content import BaseUrl
from helpdesk.api.http.pages import next_cursor, position
from helpdesk.api.http.schemas import OK, Ok
from helpdesk.api.routing.api import Api
from helpdesk.platform.errors import (
    ConsentRequired,
    Forbidden,
    InsufficientScope,
    InvalidCursor,
    NoOrganization,
)
from helpdesk.platform.settings import declare

NEEDS = declare("BASE_URL", "SIGN_UP", "INVITATIONS_PER_HOUR")

api = Api()


@api.get("/v1/me", access=Access.ACCOUNT)
def get_me(caller: Caller) -> Me:
    """Get your profile and the organizations you belong to."""
    return accounts.me(caller)


@api.patch("/v1/me", access=Access.PERSONAL)
def update_me(caller: Caller, change: MeUpdate) -> Me:
    """Change your name in every organization you belong to."""
    return accounts.rename(caller, change.name)


@api.post("/v1/me/organization", access=Access.PERSONAL, errors=(OrganizationNotFound, ConsentRequired))
def set_my_organization(caller: Caller, active: ActiveOrganization) -> Ok:
    """Choose the organization that your access token acts in.

    A program's login keeps the organization that you chose when you allowed the program. If you chose none, it takes
    one of your organizations here, once.
    """
    accounts.switch_organization(caller, active.organization_id)
    return OK


@api.delete("/v1/me/organization", access=Access.MEMBERSHIP, errors=(NoOrganization, LastOwner))
def leave_organization(caller: Caller) -> Ok:
    """Leave the organization that your access token acts in. Your programs' access to it ends."""
    members.leave(caller)
    return OK


@api.get("/v1/me/notifications", access=Access.PERSONAL, errors=(NoOrganization,))
def get_my_notifications(caller: Caller) -> Notifications:
    """Get what you are notified of by e-mail in the organization that you act in."""
    return notifications.get(caller)


@api.patch("/v1/me/notifications", access=Access.PERSONAL, errors=(NoOrganization,))
def change_my_notifications(caller: Caller, change: NotificationsChange) -> Notifications:
    """Change what you are notified of by e-mail.

    What gathers in a conversation within two minutes is one mail.
    """
    return notifications.change(caller, change)


@api.post(
    "/v1/organizations",
    access=Access.PERSONAL,
    errors=(Forbidden, ConsentRequired, InsufficientScope, InvalidSlug, SlugTaken, TooManyOrganizations),
)
def create_organization(caller: Caller, new: OrganizationInput) -> OrganizationCreated:
    """Create an organization. You own it.

    Your access token switches to it, unless it belongs to a program's login for another organization. Where sign-up is
    closed, only a member of another organization can create one. A program's login for an organization needs the scope
    `manage`.
    """
    return OrganizationCreated(id=accounts.create_organization(caller, new), slug=new.slug)


@api.get("/v1/me/grants", access=Access.PERSONAL)
def list_my_grants(caller: Caller) -> GrantsOfMineAnswer:
    """List the programs that have access as you, newest first: up to 100."""
    return GrantsOfMineAnswer(grants=grants.of_mine(caller))


@api.delete("/v1/me/grants/<grant_id>", access=Access.PERSONAL, errors=(GrantNotFound, InsufficientScope))
def end_my_grant(caller: Caller, grant_id: str) -> Ok:
    """End a program's access as you. Its tokens stop working at once.

    A program needs the scope `manage` to end another program's access.
    """
    grants.end_mine(caller, grant_id)
    return OK


@api.get("/v1/grants", access=Access.ACCOUNT_ADMIN, errors=(InvalidCursor,))
def list_grants(caller: Caller, query: GrantsQuery) -> GrantsAnswer:
    """List the programs that have access to the organization as one of its members."""
    listed, end = grants.listed(caller.organization, query.limit, position(caller, query, "grants"))
    return GrantsAnswer(grants=listed, next_cursor=next_cursor(caller, end, "grants"))


@api.delete("/v1/grants/<grant_id>", access=Access.ACCESS_ADMIN, errors=(GrantNotFound,))
def end_grant(caller: Caller, grant_id: str) -> Ok:
    """End a program's access to the organization. Its tokens stop working at once."""
    grants.end_for_organization(caller, grant_id)
    return OK


@api.get("/v1/members", access=Access.MEMBER, errors=(InvalidCursor,))
def list_members(caller: Caller, query: MembersQuery) -> MembersAnswer:
    """List members with their roles."""
    listed, end = members.listed(caller.organization, query.limit, position(caller, query, "members"))
    return MembersAnswer(members=listed, next_cursor=next_cursor(caller, end, "members"))


@api.patch(
    "/v1/members/<user_id>",
    access=Access.PERSON_ADMIN,
    errors=(MemberNotFound, CannotManageSelf, Outranked, CannotGrant, LastOwner),
)
def update_member(caller: Caller, user_id: str, change: MemberUpdate) -> Ok:
    """Change a member's role, up to your own. Only an owner can grant the role owner."""
    members.change_role(caller, user_id, change.role)
    return OK


@api.delete(
    "/v1/members/<user_id>",
    access=Access.PERSON_ADMIN,
    errors=(MemberNotFound, CannotManageSelf, Outranked, LastOwner),
)
def remove_member(caller: Caller, user_id: str) -> Ok:
    """Remove a member. Their access tokens stop working in this organization at once."""
    members.remove(caller, user_id)
    return OK


@api.get("/v1/teams", access=Access.MEMBER)
def list_teams(caller: Caller) -> TeamsAnswer:
    """List all teams with their members."""
    return teams.listed(caller.organization)


@api.post("/v1/teams", access=Access.ADMIN, errors=(NotAMember, TeamExists, TooManyTeams))
def create_team(caller: Caller, new: TeamInput) -> TeamShape:
    """Create a team: a group of members that conversations are assigned to."""
    return teams.create(caller, new)


@api.patch("/v1/teams/<team_id>", access=Access.ADMIN, errors=(TeamNotFound, NotAMember, TeamExists))
def update_team(caller: Caller, team_id: str, change: TeamUpdate) -> TeamShape:
    """Change a team's name or its members."""
    return teams.update(caller, team_id, change)


@api.delete("/v1/teams/<team_id>", access=Access.ADMIN, errors=(TeamNotFound,))
def delete_team(caller: Caller, team_id: str) -> Ok:
    """Delete a team. Conversations that are assigned to it keep its ID until you assign them again."""
    teams.remove(caller, team_id)
    return OK


@api.post(
    "/v1/invites",
    access=Access.PERSON_ADMIN,
    errors=(InvalidEmail, CannotGrant, AlreadyAMember, AlreadyInvited, TooManyInvites),
)
def create_invite(caller: Caller, new: NewInvite, base_url: BaseUrl) -> InviteCreated:
    """Invite a person by e-mail, with a role up to your own. The e-mail with the link is sent automatically."""
    return invites.create(caller, new, base_url)


@api.get("/v1/invites", access=Access.MEMBER, errors=(InvalidCursor,))
def list_invites(caller: Caller, query: InvitesQuery) -> InvitesAnswer:
    """List pending invitations, newest first."""
    listed, end = invites.listed(caller.organization, query.limit, position(caller, query, "invites"))
    return InvitesAnswer(invites=listed, next_cursor=next_cursor(caller, end, "invites"))


@api.post(
    "/v1/invites/accept",
    access=Access.MEMBERSHIP,
    errors=(InviteNotFound, AlreadyAMember, TooManyOrganizations, ConsentRequired),
)
def accept_invite(caller: Caller, acceptance: InviteAcceptance) -> InviteAccepted:
    """Accept an invitation by the token in its link. You become a member.

    Your access token switches to the organization, unless it belongs to a program's login for another one.
    """
    return InviteAccepted(organization_id=accepting.accept(caller, acceptance.token))


@api.post("/v1/invites/<invite_id>/resend", access=Access.PERSON_ADMIN, errors=(InviteNotFound, CannotGrant))
def resend_invite(caller: Caller, invite_id: str, base_url: BaseUrl) -> Ok:
    """Resend an invitation's e-mail with the same link. The invitation expires when it would have before."""
    invites.resend(caller, invite_id, base_url)
    return OK


@api.delete("/v1/invites/<invite_id>", access=Access.PERSON_ADMIN, errors=(InviteNotFound, CannotGrant))
def withdraw_invite(caller: Caller, invite_id: str) -> Ok:
    """Withdraw an invitation. Its link stops working."""
    invites.withdraw(caller, invite_id)
    return OK


handler = api.handler
