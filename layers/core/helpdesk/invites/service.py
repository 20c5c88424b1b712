"""The rules of invitations (Specification: POST /invites; Limits, Other buckets; Errors, Organization and members)."""

import hashlib

from helpdesk.admission import buckets
from helpdesk.admission.allowance import BucketEmpty
from helpdesk.admission.caller import Caller, Person, Role
from helpdesk.invites import repository
from helpdesk.invites.errors import (
    INVITE_DAYS,
    AlreadyInvited,
    InviteNotFound,
    TooManyInvites,
)
from helpdesk.invites.jobs import InviteMail
from helpdesk.invites.record import InvitePreview, InviteRecord
from helpdesk.invites.repository import NoRoom
from helpdesk.invites.schemas import Invite, InviteCreated, NewInvite
from helpdesk.logs import service as logs
from helpdesk.logs.schemas import LogKind
from helpdesk.members import service as members
from helpdesk.members.errors import CannotGrant
from helpdesk.organizations import service as organizations
from helpdesk.people import binding
from helpdesk.people import service as people
from helpdesk.people.errors import AlreadyAMember
from helpdesk.people.record import PersonRecord, hash_of_email, normalized_email
from helpdesk.platform import clock, ids
from helpdesk.platform.errors import RateLimited
from helpdesk.platform.logging import logger
from helpdesk.storage import keys
from helpdesk.storage.table import Throttled
from helpdesk.storage.transactions import Transaction

MAILS_PER_HOUR, MAILS_BURST = 30, 10
MAIL_BUCKET = "invite_emails"
_MAILS = buckets.Shape.per_hour(MAILS_PER_HOUR, MAILS_BURST)

_VALID_MS = INVITE_DAYS * 86_400_000
# Each time the list of pending invitations was found full, others filled the room that was made.
_MOST_TRIES = 3

NOT_FOR_YOU = (
    "No pending invitation for you has this token. Sign in with the address that was invited; if you did, it was "
    f"accepted or withdrawn, or its {INVITE_DAYS} days are over: ask for a new one."
)


def create(caller: Caller, new: NewInvite, base_url: str) -> InviteCreated:
    """Invite an address, and have the mail sent. `base_url` is where its link points to.

    An e-mail is taken from the bucket after everything that can be read beforehand was found in order. Raises
    InvalidEmail, CannotGrant, AlreadyAMember, AlreadyInvited, TooManyInvites, RateLimited.
    """
    person = caller.the_person()
    email = normalized_email(new.email)
    _require_grantable(person, new.role)
    standing = repository.standing(caller.organization, hash_of_email(email))
    if standing.user_id is not None and repository.is_member(caller.organization, standing.user_id):
        raise AlreadyAMember
    now = clock.now_ms()
    if standing.invited_until > now:
        raise AlreadyInvited
    if not repository.make_room(caller.organization, standing.pending):
        raise TooManyInvites
    _take_mail(caller.organization)

    token = ids.secret()
    invite = InviteRecord(
        organization=caller.organization,
        id=ids.new("inv"),
        email=email,
        role=new.role,
        invited_by_id=person.id,
        invited_by_name=person.name,
        created_at=now,
        valid_until=now + _VALID_MS,
        token_hash=_sha256(token),
    )
    transaction = Transaction()
    repository.require_manager(transaction, caller.organization, person.id, new.role)
    if standing.user_id is not None:
        repository.require_stranger(transaction, caller.organization, standing.user_id)
    repository.put(transaction, invite, token)
    _mail(transaction, invite, base_url)
    _log(transaction, invite, LogKind.INVITE_CREATED, caller.actor, f"A person was invited as {new.role}.")
    _commit_with_room(transaction, caller.organization)
    return InviteCreated(id=invite.id, path=f"/invite/{token}")


def listed(organization: str, limit: int, before: str | None) -> tuple[list[Invite], str | None]:
    """Return a page of pending invitations, newest first, and the id that the next page begins behind."""
    records, end = repository.newest(organization, limit, before)
    shown = [
        Invite(
            id=record.id,
            email=record.email,
            role=record.role,
            invited_by_name=record.invited_by_name,
            created_at=record.created_at,
            valid_until=record.valid_until,
        )
        for record in records
    ]
    return shown, end


def resend(caller: Caller, invite_id: str, base_url: str) -> None:
    """Have a pending invitation's mail sent again, with the same link and the same end.

    Raises InviteNotFound, CannotGrant, RateLimited.
    """
    person = caller.the_person()
    invite = repository.get(caller.organization, invite_id)
    _require_grantable(person, invite.role)
    _take_mail(caller.organization)
    transaction = Transaction()
    repository.require_manager(transaction, caller.organization, person.id, invite.role)
    repository.require_pending(transaction, invite)
    _mail(transaction, invite, base_url)
    _log(transaction, invite, LogKind.INVITE_RESENT, caller.actor, "An invitation was sent again.")
    transaction.commit()


def withdraw(caller: Caller, invite_id: str) -> None:
    """Withdraw a pending invitation; its link leads nowhere from then on. Raises InviteNotFound, CannotGrant."""
    person = caller.the_person()
    invite = repository.get(caller.organization, invite_id)
    _require_grantable(person, invite.role)
    transaction = Transaction()
    repository.require_manager(transaction, caller.organization, person.id, invite.role)
    repository.remove(transaction, invite)
    _log(transaction, invite, LogKind.INVITE_WITHDRAWN, caller.actor, "An invitation was withdrawn.")
    transaction.commit()


def accept(caller: Caller, token: str) -> str:
    """Make the caller a member where he was invited, bind his token to that organization and return its id.

    Raises InviteNotFound, AlreadyAMember, TooManyOrganizations.
    """
    person = caller.the_person()

    def attempt(record: PersonRecord) -> str:
        transaction = Transaction()
        invite = _add_acceptance(transaction, record, token)
        binding.bind(transaction, person, invite.organization)
        transaction.commit()
        return invite.organization

    return people.under_his_name(PersonRecord(person.id, person.name, person.email, {}), attempt)


def accept_as(person_id: str, token: str) -> str:
    """Make a person, whose address was verified, a member where he was invited; return the organization's id.

    For the page behind an invitation's link, where there is no access token. Raises as `accept` does.
    """
    person = people.by_id(person_id)
    if person is None:
        raise InviteNotFound(NOT_FOR_YOU)

    def attempt(record: PersonRecord) -> str:
        transaction = Transaction()
        invite = _add_acceptance(transaction, record, token)
        transaction.commit()
        return invite.organization

    return people.under_his_name(person, attempt)


def preview(token: str) -> InvitePreview:
    """Return what a pending invitation's link shows before anybody has signed in. Raises InviteNotFound."""
    invite = repository.by_token(_sha256(token))
    return InvitePreview(
        organization_id=invite.organization,
        organization_name=organizations.name_of(invite.organization),
        email=invite.email,
        role=invite.role,
        invited_by_name=invite.invited_by_name,
        valid_until=invite.valid_until,
    )


def _add_acceptance(transaction: Transaction, person: PersonRecord, token: str) -> InviteRecord:
    """Add what accepting changes. Two at once make one member: each needs the invitation, and removes it."""
    try:
        invite = repository.by_token(_sha256(token))
    except InviteNotFound:
        raise InviteNotFound(NOT_FOR_YOU) from None
    if invite.email != person.email:
        raise InviteNotFound(NOT_FOR_YOU)
    members.add(transaction, invite.organization, person, invite.role)
    if invite.role is Role.OWNER:
        repository.count_owner(transaction, invite.organization)
    repository.remove(transaction, invite)
    transaction.put(
        logs.entry(
            invite.organization,
            LogKind.MEMBER_JOINED,
            actor=person.name,
            summary=f"An invited person joined as {invite.role}.",
            userId=person.id,
            role=invite.role.value,
            inviteId=invite.id,
        )
    )
    return invite


def _require_grantable(person: Person, role: Role) -> None:
    """Raise CannotGrant for a role above the person's own (Specification: Authentication, 8)."""
    if person.role is None or person.role.rank < role.rank:
        raise CannotGrant


def _take_mail(organization: str) -> None:
    """Take one e-mail from the organization's bucket. Raises RateLimited (Specification: Limits, Other buckets)."""
    try:
        buckets.take(keys.OrganizationBucket(organization, MAIL_BUCKET), _MAILS)
    except BucketEmpty as empty:
        logs.record_bucket_empty(organization, MAIL_BUCKET, "invitation e-mails")
        raise RateLimited(
            f"Wait a moment: an organization may send {MAILS_PER_HOUR} invitation e-mails an hour, {MAILS_BURST} of "
            "them at once. Try again after the seconds in Retry-After.",
            headers={"retry-after": str(empty.retry_after)},
        ) from None
    except Throttled:
        # As with the allowance: a limiter that cannot be written must not stop what it limits.
        logger.warning("bucket_throttled", extra={"organization": organization, "bucket": MAIL_BUCKET})


def _commit_with_room(transaction: Transaction, organization: str) -> None:
    """Commit a new invitation, making room for it where others filled the list meanwhile."""
    for _ in range(_MOST_TRIES):
        try:
            transaction.commit()
        except NoRoom as full:
            if not repository.make_room(organization, full.pending):
                break
        else:
            return
    raise TooManyInvites


def _mail(transaction: Transaction, invite: InviteRecord, base_url: str) -> None:
    transaction.put(InviteMail(invite.organization, invite.id, ids.new("mail"), base_url).to_item())


def _log(transaction: Transaction, invite: InviteRecord, kind: LogKind, actor: str, summary: str) -> None:
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


def _sha256(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
