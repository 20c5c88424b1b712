"""Items of invitations: the invitation, and the items that find it, count it and hold its token."""

from collections.abc import Sequence

from helpdesk.admission.caller import Role
from helpdesk.invites.errors import INVITE_DAYS, MAX_PENDING_INVITES, AlreadyInvited, InviteNotFound
from helpdesk.invites.record import InviteeState, InviteMailContent, InviteRecord
from helpdesk.members.errors import CannotGrant
from helpdesk.organizations.record import OrganizationRecord
from helpdesk.people.errors import AlreadyAMember
from helpdesk.platform import clock, ids
from helpdesk.platform.errors import Forbidden, InvalidToken
from helpdesk.platform.units import DAY_SECONDS
from helpdesk.storage import keys, table
from helpdesk.storage.table import ConditionFailed, Item
from helpdesk.storage.transactions import Transaction

_STILL_PENDING = "attribute_exists(PK) AND validUntil > :now"
_VALID_SECONDS = INVITE_DAYS * DAY_SECONDS
_MANAGERS = (Role.ADMIN, Role.OWNER)


class NoRoom(Exception):
    """The list of pending invitations is full, or does not exist yet; `pending` is what was found."""

    def __init__(self, found: Item | None) -> None:
        self.pending: dict[str, int] | None = found.get("pending") if found else None
        super().__init__("no room")


def invitee_state(organization: str, email_hash: str) -> InviteeState:
    """Return what is known of an address before an organization invites it. One call."""
    person, invited = keys.PersonByEmail(email_hash), keys.InviteByEmail(organization, email_hash)
    pending = keys.PendingInvites(organization)
    found = table.get_many([person, invited, pending])
    return InviteeState(
        user_id=found.get(person, {}).get("userId"),
        invited_until=found.get(invited, {}).get("validUntil", 0),
        pending=found.get(pending, {}).get("pending"),
    )


def is_member(organization: str, user_id: str) -> bool:
    """Return whether a person belongs to an organization."""
    return table.get(keys.Member(organization, user_id)) is not None


def get(organization: str, invite_id: str) -> InviteRecord:
    """Return a pending invitation. Raises InviteNotFound."""
    item = table.get(keys.Invite(organization, invite_id))
    invite = InviteRecord.from_item(organization, item) if item else None
    if invite is None or not invite.is_pending:
        raise InviteNotFound
    return invite


def by_token(token_hash: str) -> InviteRecord:
    """Return the pending invitation of a link. Two calls. Raises InviteNotFound."""
    item = table.get(keys.InviteToken(token_hash))
    if item is None:
        raise InviteNotFound
    return get(item["organization"], item["inviteId"])


def newest(organization: str, limit: int, before: str | None) -> tuple[list[InviteRecord], str | None]:
    """Return pending invitations, newest first, older than the id `before`; and the id to go on from, None at the end.

    One query that reads no expired one: all last equally long, and an id begins with the instant it was made.
    """
    oldest = f"inv_{ids.ulid(clock.now_ms() - _VALID_SECONDS * 1_000, 0)}"
    between = keys.Invite(organization, oldest).sk, keys.Invite(organization, "inv_~").sk
    after = keys.Invite(organization, before).attributes() if before else None
    partition = keys.PendingInvites(organization).pk
    page = table.query(partition, sk_between=between, limit=limit, newest_first=True, after=after)
    records = [InviteRecord.from_item(organization, item) for item in page.items]
    end = page.items[-1]["id"] if page.after else None
    return [record for record in records if record.is_pending], end


def make_room(organization: str, pending: dict[str, int] | None) -> bool:
    """Make the list of pending invitations take one more; return False if it is full of valid ones.

    An expired invitation stays expired, and its id is never used again, so concurrent removals do the same.
    """
    key = keys.PendingInvites(organization)
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
        keys.Member(organization, user_id),
        f"#role IN ({', '.join(allowed)})",
        names={"#role": "role"},
        values=allowed,
        on_failure=meaning,
    )


def require_sender(transaction: Transaction, invite: InviteRecord) -> None:
    """Make a transaction fail with InviteNotFound unless the invitation's sender may, at that moment, send it."""
    allowed = {f":r{each.rank}": each.value for each in _MANAGERS if each.rank >= invite.role.rank}
    transaction.require(
        keys.Member(invite.organization, invite.invited_by_id),
        f"#role IN ({', '.join(allowed)})",
        names={"#role": "role"},
        values=allowed,
        on_failure=lambda _: InviteNotFound(),
    )


def sender_may_send(invite: InviteRecord) -> bool:
    """Return whether the invitation's sender may still send it."""
    return invite.id in senders_may_send([invite])


def senders_may_send(invites: Sequence[InviteRecord]) -> set[str]:
    """Return the ids of those invitations whose senders may still send them. One call for a hundred senders."""
    senders = {keys.Member(invite.organization, invite.invited_by_id) for invite in invites}
    found = table.get_many(list(senders))
    roles = {key: Role(item["role"]) for key, item in found.items()}

    def may_send(invite: InviteRecord) -> bool:
        role = roles.get(keys.Member(invite.organization, invite.invited_by_id))
        return role in _MANAGERS and role.rank >= invite.role.rank

    return {invite.id for invite in invites if may_send(invite)}


def require_stranger(transaction: Transaction, organization: str, user_id: str) -> None:
    """Make a transaction fail with AlreadyAMember if the person has become a member in the meantime."""
    transaction.require(
        keys.Member(organization, user_id),
        "attribute_not_exists(PK)",
        on_failure=lambda _: AlreadyAMember(),
    )


def put(transaction: Transaction, invite: InviteRecord, token: str) -> None:
    """Add an invitation with its accompanying items. The transaction raises AlreadyInvited, NoRoom."""
    expires = -(-invite.valid_until // 1_000)
    until = {"validUntil": invite.valid_until, "expiresAt": expires}
    transaction.update(
        keys.InviteByEmail(invite.organization, invite.email_hash),
        "SET inviteId = :id, validUntil = :until, expiresAt = :expires",
        condition="attribute_not_exists(PK) OR validUntil <= :now",
        values={
            ":id": invite.id,
            ":until": invite.valid_until,
            ":expires": expires,
            ":now": invite.created_at,
        },
        on_failure=lambda _: AlreadyInvited(),
    )
    transaction.update(
        keys.PendingInvites(invite.organization),
        "SET pending.#id = :until",
        condition="size(pending) < :most",
        names={"#id": invite.id},
        values={":until": invite.valid_until, ":most": MAX_PENDING_INVITES},
        on_failure=NoRoom,
    )
    transaction.put(
        {
            **keys.Invite(invite.organization, invite.id).attributes(),
            **invite.to_item(),
            "expiresAt": expires,
        },
        new=True,
    )
    transaction.put(
        {
            **keys.InviteToken(invite.token_hash).attributes(),
            "organization": invite.organization,
            "inviteId": invite.id,
            **until,
        },
        new=True,
    )
    # No condition: a role that may write this item does not have to be allowed to read it.
    secret = keys.InviteSecret(invite.organization, invite.id)
    transaction.put({**secret.attributes(), "token": token, "expiresAt": expires})


def set_sender(transaction: Transaction, invite: InviteRecord, user_id: str, name: str) -> None:
    """Make a person the sender of a pending invitation. The transaction raises InviteNotFound."""
    transaction.update(
        keys.Invite(invite.organization, invite.id),
        "SET invitedById = :id, invitedByName = :name",
        condition=_STILL_PENDING,
        values={":id": user_id, ":name": name, ":now": clock.now_ms()},
        on_failure=lambda _: InviteNotFound(),
    )


def remove(transaction: Transaction, invite: InviteRecord) -> None:
    """Remove a pending invitation with its accompanying items. The transaction raises InviteNotFound."""
    transaction.delete(
        keys.Invite(invite.organization, invite.id),
        condition=_STILL_PENDING,
        values={":now": clock.now_ms()},
        on_failure=lambda _: InviteNotFound(),
    )
    # Another host with a faster clock may have seen it expired and invited the address again.
    transaction.delete(
        keys.InviteByEmail(invite.organization, invite.email_hash),
        condition="inviteId = :id",
        values={":id": invite.id},
        on_failure=lambda _: InviteNotFound(),
    )
    transaction.update(
        keys.PendingInvites(invite.organization), "REMOVE pending.#id", names={"#id": invite.id}
    )
    transaction.delete(keys.InviteToken(invite.token_hash))
    transaction.delete(keys.InviteSecret(invite.organization, invite.id))


def for_mail(organization: str, invite_id: str) -> InviteMailContent | None:
    """Return the content of an invitation's mail, or None if the invitation is no longer pending. One call."""
    invite, secret = keys.Invite(organization, invite_id), keys.InviteSecret(organization, invite_id)
    owner = keys.Organization(organization)
    found = table.get_many([invite, secret, owner])
    if len(found) < len((invite, secret, owner)):
        return None
    record = InviteRecord.from_item(organization, found[invite])
    if not record.is_pending:
        return None
    organization_record = OrganizationRecord.from_item(found[owner])
    return InviteMailContent(
        record,
        found[secret]["token"],
        organization_record.name,
        organization_record.may_mail,
        found[invite].get("mailed", ""),
    )


def note_mailed(organization: str, invite_id: str, mail_id: str) -> None:
    """Record that a mail was sent, so that it is not sent again. Do nothing if the invitation is gone."""
    try:
        table.update(
            keys.Invite(organization, invite_id),
            "SET mailed = :mail",
            condition="attribute_exists(PK) AND (attribute_not_exists(mailed) OR mailed < :mail)",
            values={":mail": mail_id},
        )
    except ConditionFailed:
        return
