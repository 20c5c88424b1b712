"""The rules of inviting (Specification: POST /invites; Limits, Other buckets; Errors, Organization and members)."""

from helpdesk.accounts.invites import repository, schemas
from helpdesk.accounts.invites.errors import (
    INVITE_DAYS,
    AlreadyInvited,
    TooManyInvites,
)
from helpdesk.accounts.invites.jobs import InviteMail
from helpdesk.accounts.invites.record import Invite
from helpdesk.accounts.invites.repository import NoRoom
from helpdesk.accounts.invites.schemas import InviteCreated, NewInvite
from helpdesk.accounts.members.errors import CannotGrant
from helpdesk.accounts.people.errors import AlreadyAMember
from helpdesk.accounts.people.record import hash_of_email, normalized_email
from helpdesk.api.admission.caller import Caller, Person, Role
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.mail import allowance as mail_allowance
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.units import DAY_MS
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.transactions import Transaction

_VALID_MS = INVITE_DAYS * DAY_MS


def create(caller: Caller, new: NewInvite, base_url: str) -> InviteCreated:
    """Invite an address and queue the mail. `base_url` is the address that its link points to.

    A mail is taken from the bucket only after all checks that need no write have passed. Raises
    InvalidEmail, CannotGrant, AlreadyAMember, AlreadyInvited, TooManyInvites, RateLimited.
    """
    person = caller.the_person()
    email = normalized_email(new.email)
    _require_grantable(person, new.role)
    invitee = repository.invitee_state(caller.organization, hash_of_email(email))
    if invitee.user_id is not None and repository.members.find(caller.organization, invitee.user_id):
        raise AlreadyAMember
    now = clock.now_ms()
    if invitee.invited_until > now:
        raise AlreadyInvited
    if not repository.make_room(caller.organization, invitee.pending):
        raise TooManyInvites
    mail_allowance.charge(caller.organization, mail_allowance.INVITATIONS)

    token = ids.secret()
    invite = Invite(
        organization=caller.organization,
        id=ids.new("inv"),
        email=email,
        role=new.role,
        invited_by_id=person.id,
        invited_by_name=person.name,
        created_at=now,
        valid_until=now + _VALID_MS,
        token_hash=sha256_hex(token),
    )
    transaction = Transaction()
    repository.require_manager(transaction, caller.organization, person.id, new.role)
    if invitee.user_id is not None:
        repository.require_stranger(transaction, caller.organization, invitee.user_id)
    repository.put(transaction, invite, token)
    _mail(transaction, invite, base_url)
    _log(transaction, invite, LogKind.INVITE_CREATED, caller.actor, f"A person was invited as {new.role}.")
    _commit_with_room(transaction, caller.organization)
    return InviteCreated(id=invite.id, path=f"/v1/invite/{token}")


def listed(organization: str, limit: int, before: str | None) -> tuple[list[schemas.Invite], str | None]:
    """Return a page of pending invitations, newest first, and the id after which the next page begins."""
    records, end = repository.newest(organization, limit, before)
    allowed = repository.senders_may_send(organization, records)
    shown = [
        schemas.Invite.from_record(
            record, invited_by=record.invited_by_id, sender_may_invite=record.id in allowed
        )
        for record in records
    ]
    return shown, end


def resend(caller: Caller, invite_id: str, base_url: str) -> None:
    """Queue a pending invitation's mail again, with the same link and the same end.

    The caller becomes its sender: an invitation ends with its sender's right to send it.

    Raises InviteNotFound, CannotGrant, RateLimited.
    """
    person = caller.the_person()
    invite = repository.get(caller.organization, invite_id)
    _require_grantable(person, invite.role)
    mail_allowance.charge(caller.organization, mail_allowance.INVITATIONS)
    transaction = Transaction()
    repository.require_manager(transaction, caller.organization, person.id, invite.role)
    repository.set_sender(transaction, invite, person.id, person.name)
    _mail(transaction, invite, base_url)
    _log(transaction, invite, LogKind.INVITE_RESENT, caller.actor, "An invitation was sent again.")
    transaction.commit()


def withdraw(caller: Caller, invite_id: str) -> None:
    """Withdraw a pending invitation; its link stops working. Raises InviteNotFound, CannotGrant."""
    person = caller.the_person()
    invite = repository.get(caller.organization, invite_id)
    _require_grantable(person, invite.role)
    transaction = Transaction()
    repository.require_manager(transaction, caller.organization, person.id, invite.role)
    repository.remove(transaction, invite)
    _log(transaction, invite, LogKind.INVITE_WITHDRAWN, caller.actor, "An invitation was withdrawn.")
    transaction.commit()


def _require_grantable(person: Person, role: Role) -> None:
    """Raise CannotGrant for a role above the person's own (Specification: Authentication, 8)."""
    if person.role is None or person.role.rank < role.rank:
        raise CannotGrant


def _commit_with_room(transaction: Transaction, organization: str) -> None:
    """Commit a new invitation; make room for it if others filled the list in the meantime."""

    def attempt() -> None:
        try:
            transaction.commit()
        except NoRoom as full:
            if not repository.make_room(organization, full.pending):
                raise TooManyInvites from None
            raise

    repeat_when_stale(attempt, NoRoom)


def _mail(transaction: Transaction, invite: Invite, base_url: str) -> None:
    transaction.put(InviteMail(invite.organization, invite.id, ids.new("mail"), base_url).to_item())


def _log(transaction: Transaction, invite: Invite, kind: LogKind, actor: str, summary: str) -> None:
    transaction.put(
        logs.entry(
            invite.organization,
            kind,
            actor=actor,
            summary=summary,
            inviteId=invite.id,
            role=invite.role.value,
        )
    )
