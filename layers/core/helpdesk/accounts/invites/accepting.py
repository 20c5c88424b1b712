"""The rules of accepting an invitation, and what its link shows (Specification: POST /invites/accept).

They are separate from the rules of inviting, so that the function that serves the invitation page imports less.
"""

from helpdesk.accounts.invites import repository
from helpdesk.accounts.invites.errors import INVITE_DAYS, InviteNotFound
from helpdesk.accounts.invites.record import Invite, InvitePreview
from helpdesk.accounts.members import service as members
from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.people import service as people
from helpdesk.accounts.people.record import PersonRecord
from helpdesk.api.admission.caller import Caller, Role
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.platform.digest import sha256_hex
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.transactions import Transaction

NOT_FOR_YOU = (
    "No pending invitation for you has this token. Sign in with the address that was invited; if you did, it was "
    f"accepted or withdrawn, its {INVITE_DAYS} days are over, or its sender may no longer invite: ask for a new one."
)


def accept(caller: Caller, token: str) -> str:
    """Make the caller a member of the organization that invited them; return its id.

    Their token then acts in it, unless it is of a login for another organization. Raises InviteNotFound,
    AlreadyAMember, TooManyOrganizations; InvalidToken for a login whose person has left its organization.
    """
    person = caller.the_person()

    def attempt(record: PersonRecord) -> str:
        transaction = Transaction()
        invite = _add_acceptance(transaction, record, token)
        people.set_token_organization(transaction, person, invite.organization)
        transaction.commit()
        return invite.organization

    as_seen = PersonRecord(id=person.id, name=person.name, email=person.email)
    return people.retry_on_rename(as_seen, attempt)


def accept_as(person_id: str, token: str) -> str:
    """Make a person with a verified address a member of the organization that invited them; return its id.

    For the page behind an invitation's link, which has no access token. Raises as `accept` does.
    """
    person = people.by_id(person_id)
    if person is None:
        raise InviteNotFound(NOT_FOR_YOU)

    def attempt(record: PersonRecord) -> str:
        transaction = Transaction()
        invite = _add_acceptance(transaction, record, token)
        transaction.commit()
        return invite.organization

    return people.retry_on_rename(person, attempt)


def preview(token: str) -> InvitePreview:
    """Return what a pending invitation's link shows before sign-in. Raises InviteNotFound."""
    invite = repository.by_token(sha256_hex(token))
    if not repository.sender_may_send(invite):
        raise InviteNotFound
    return InvitePreview(
        organization_id=invite.organization,
        organization_name=organizations.get(invite.organization).name,
        email=invite.email,
        role=invite.role,
        invited_by_name=invite.invited_by_name,
        valid_until=invite.valid_until,
    )


def is_for(email: str, token: str) -> bool:
    """Return whether a token is that of a pending invitation of a normalized address."""
    try:
        return preview(token).email == email
    except InviteNotFound:
        return False


def _add_acceptance(transaction: Transaction, person: PersonRecord, token: str) -> Invite:
    """Add what accepting changes. Two calls at once make one member: each requires and removes the invitation.

    It also requires that the invitation's sender may still send it, so a removed or demoted admin leaves no way in.
    """
    try:
        invite = repository.by_token(sha256_hex(token))
    except InviteNotFound:
        raise InviteNotFound(NOT_FOR_YOU) from None
    if invite.email != person.email or invite.invited_by_id == person.id:
        raise InviteNotFound(NOT_FOR_YOU)
    repository.require_sender(transaction, invite)
    members.add(transaction, invite.organization, person, invite.role)
    if invite.role is Role.OWNER:
        members.count_owner(transaction, invite.organization, InviteNotFound())
    repository.remove(transaction, invite)
    transaction.put(
        logs.entry(
            invite.organization,
            LogKind.MEMBER_JOINED,
            actor=ActorName(person.name, person.id),
            summary=f"An invited person joined as {invite.role}.",
            userId=person.id,
            role=invite.role.value,
            inviteId=invite.id,
        )
    )
    return invite
