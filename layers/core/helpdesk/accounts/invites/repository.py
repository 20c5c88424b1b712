"""Items of invitations: the invitation, and the items that find it, count it and hold its token."""

from collections.abc import Sequence

from helpdesk.accounts.invites.errors import INVITE_DAYS, MAX_PENDING_INVITES, AlreadyInvited, InviteNotFound
from helpdesk.accounts.invites.record import (
    Invite,
    InviteByEmail,
    InviteeState,
    InviteMailContent,
    InviteSecret,
    InviteToken,
    PendingInvites,
)
from helpdesk.accounts.members.errors import CannotGrant
from helpdesk.accounts.members.record import Member
from helpdesk.accounts.organizations.record import Organization
from helpdesk.accounts.people.errors import AlreadyAMember
from helpdesk.accounts.people.record import PersonByEmail
from helpdesk.api.admission.caller import Role
from helpdesk.platform import clock, ids
from helpdesk.platform.errors import Forbidden, InvalidToken
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import table
from helpdesk.storage.changes import Requirement, Values, above
from helpdesk.storage.collection import Collection
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

members = Collection(Member)
_invites = Collection(Invite, missing=InviteNotFound)
_tokens = Collection(InviteToken, missing=InviteNotFound)
_VALID_SECONDS = INVITE_DAYS * DAY_SECONDS
_MANAGERS = (Role.ADMIN, Role.OWNER)


class NoRoom(Exception):
    """The list of pending invitations is full, or does not exist yet; `pending` is what was found."""

    def __init__(self, found: Item | None) -> None:
        self.pending: dict[str, int] | None = found.get("pending") if found else None
        super().__init__("no room")


def invitee_state(organization: str, email_hash: str) -> InviteeState:
    """Return what is known of an address before an organization invites it. One call."""
    person, invited = PersonByEmail.key_for(email_hash), InviteByEmail.key_for(organization, email_hash)
    pending = PendingInvites.key_for(organization)
    found = table.get_many([person, invited, pending])
    return InviteeState(
        user_id=PersonByEmail.from_item(found[person]).user_id if person in found else None,
        invited_until=InviteByEmail.from_item(found[invited]).valid_until if invited in found else 0,
        pending=PendingInvites.from_item(found[pending]).pending if pending in found else None,
    )


def get(organization: str, invite_id: str) -> Invite:
    """Return a pending invitation. Raises InviteNotFound."""
    invite = _invites.get(organization, invite_id)
    if not invite.is_pending:
        raise InviteNotFound
    return invite


def by_token(token_hash: str) -> Invite:
    """Return the pending invitation of a link. Two calls. Raises InviteNotFound."""
    token = _tokens.get(token_hash)
    return get(token.organization, token.invite_id)


def newest(organization: str, limit: int, before: str | None) -> tuple[list[Invite], str | None]:
    """Return pending invitations, newest first, older than the id `before`; and the id to go on from, None at the end.

    One query that reads no expired one: all last equally long, and an id begins with the instant it was made.
    """
    oldest = f"inv_{ids.ulid(clock.now_ms() - _VALID_SECONDS * 1_000, 0)}"
    between = Invite.key_for(organization, oldest).sk, Invite.key_for(organization, "inv_~").sk
    after = Invite.key_for(organization, before).attributes() if before else None
    partition = Invite.partition_for(organization)
    page = table.query(partition, sk_between=between, limit=limit, newest_first=True, after=after)
    records = [Invite.from_item(item) for item in page.items]
    return [record for record in records if record.is_pending], records[-1].id if page.after else None


def make_room(organization: str, pending: dict[str, int] | None) -> bool:
    """Make the list of pending invitations take one more; return False if it is full of valid ones.

    An expired invitation stays expired, and its id is never used again, so concurrent removals do the same.
    """
    key = PendingInvites.key_for(organization)
    if pending is None:
        table.update(key, "SET pending = if_not_exists(pending, :none)", values={":none": {}})
        return True
    if len(pending) < MAX_PENDING_INVITES:
        return True
    now = clock.now_ms()
    expired = [invite_id for invite_id, until in pending.items() if until <= now]
    if not expired:
        return False
    names = {f"#i{number}": invite_id for number, invite_id in enumerate(expired)}
    table.update(key, "REMOVE " + ", ".join(f"pending.{name}" for name in names), names=names)
    return True


def require_manager(transaction: Transaction, organization: str, user_id: str, role: Role) -> None:
    """Make a transaction fail unless the person may, at that moment, manage an invitation for this role.

    The transaction raises InvalidToken if they have left, Forbidden, CannotGrant.
    """

    def meaning(found: Item | None) -> Exception:
        if found is None:
            return InvalidToken()
        return CannotGrant() if Role(found["role"]) in _MANAGERS else Forbidden()

    allowed = {f":r{each.rank}": each.value for each in _MANAGERS if each.rank >= role.rank}
    transaction.require(
        Member.key_for(organization, user_id),
        f"#role IN ({', '.join(allowed)})",
        names={"#role": "role"},
        values=allowed,
        on_failure=meaning,
    )


def require_sender(transaction: Transaction, invite: Invite) -> None:
    """Make a transaction fail with InviteNotFound unless the invitation's sender may, at that moment, send it."""
    allowed = {f":r{each.rank}": each.value for each in _MANAGERS if each.rank >= invite.role.rank}
    transaction.require(
        Member.key_for(invite.organization, invite.invited_by_id),
        f"#role IN ({', '.join(allowed)})",
        names={"#role": "role"},
        values=allowed,
        on_failure=InviteNotFound(),
    )


def sender_may_send(invite: Invite) -> bool:
    """Return whether the invitation's sender may still send it."""
    return invite.id in senders_may_send(invite.organization, [invite])


def senders_may_send(organization: str, invites: Sequence[Invite]) -> set[str]:
    """Return the ids of an organization's invitations whose senders may still send them. One call for 100 senders."""
    senders = members.by_ids(organization, ids=dict.fromkeys(invite.invited_by_id for invite in invites))

    def may_send(invite: Invite) -> bool:
        sender = senders.get(invite.invited_by_id)
        return sender is not None and sender.role in _MANAGERS and sender.role.rank >= invite.role.rank

    return {invite.id for invite in invites if may_send(invite)}


def require_stranger(transaction: Transaction, organization: str, user_id: str) -> None:
    """Make a transaction fail with AlreadyAMember if the person has become a member in the meantime."""
    transaction.require(
        Member.key_for(organization, user_id),
        "attribute_not_exists(PK)",
        on_failure=AlreadyAMember(),
    )


def put(transaction: Transaction, invite: Invite, token: str) -> None:
    """Add an invitation with its accompanying items. The transaction raises AlreadyInvited, NoRoom."""
    transaction.change(
        InviteByEmail.key_for(invite.organization, invite.email_hash),
        set={"invite_id": invite.id, "valid_until": invite.valid_until, "expiresAt": invite.expires_at},
        require={
            "valid_until": Requirement(
                "(attribute_not_exists({name}) OR {name} <= {value})", invite.created_at
            )
        },
        or_new=True,
        on_failure=AlreadyInvited(),
    )
    transaction.update(
        PendingInvites.key_for(invite.organization),
        "SET pending.#id = :until",
        condition="size(pending) < :most",
        names={"#id": invite.id},
        values={":until": invite.valid_until, ":most": MAX_PENDING_INVITES},
        on_failure=NoRoom,
    )
    transaction.put(invite, new=True)
    transaction.put(
        InviteToken(
            token_hash=invite.token_hash,
            organization=invite.organization,
            invite_id=invite.id,
            valid_until=invite.valid_until,
        ),
        new=True,
    )
    # No condition: a role that may write this item does not have to be allowed to read it.
    transaction.put(
        InviteSecret(
            organization=invite.organization,
            invite_id=invite.id,
            token=token,
            expires_at=invite.expires_at,
        )
    )


def set_sender(transaction: Transaction, invite: Invite, user_id: str, name: str) -> None:
    """Make a person the sender of a pending invitation. The transaction raises InviteNotFound."""
    transaction.change(
        invite.key,
        set={"invited_by_id": user_id, "invited_by_name": name},
        require=_still_pending(),
        on_failure=InviteNotFound(),
    )


def remove(transaction: Transaction, invite: Invite) -> None:
    """Remove a pending invitation with its accompanying items. The transaction raises InviteNotFound."""
    transaction.delete(invite.key, require=_still_pending(), on_failure=InviteNotFound())
    # Another host with a faster clock may have seen it expired and invited the address again.
    transaction.delete(
        InviteByEmail.key_for(invite.organization, invite.email_hash),
        require={"invite_id": invite.id},
        on_failure=InviteNotFound(),
    )
    transaction.update(
        PendingInvites.key_for(invite.organization), "REMOVE pending.#id", names={"#id": invite.id}
    )
    transaction.delete(InviteToken.key_for(invite.token_hash))
    transaction.delete(InviteSecret.key_for(invite.organization, invite.id))


def _still_pending() -> Values:
    return {"valid_until": above(clock.now_ms())}


def for_mail(organization: str, invite_id: str) -> InviteMailContent | None:
    """Return the content of an invitation's mail, or None if the invitation is no longer pending. One call."""
    invite, secret = Invite.key_for(organization, invite_id), InviteSecret.key_for(organization, invite_id)
    owner = Organization.key_for(organization)
    found = table.get_many([invite, secret, owner])
    if len(found) < len((invite, secret, owner)):
        return None
    record = Invite.from_item(found[invite])
    if not record.is_pending:
        return None
    organization_record = Organization.from_item(found[owner])
    return InviteMailContent(
        record,
        InviteSecret.from_item(found[secret]).token,
        organization_record.name,
        organization_record.may_mail,
    )


def note_mailed(organization: str, invite_id: str, mail_id: str) -> None:
    """Record that a mail was sent, so that it is not sent again. Do nothing if the invitation is gone."""
    try:
        table.change(
            Invite.key_for(organization, invite_id),
            set={"mailed": mail_id},
            require={"mailed": Requirement("(attribute_not_exists({name}) OR {name} < {value})", mail_id)},
        )
    except ConditionFailed:
        return
