"""An invitation as stored, and what it shows to the person whom it invites."""

from typing import NamedTuple, Self

from helpdesk.admission.caller import Role
from helpdesk.people.record import hash_of_email
from helpdesk.platform import clock
from helpdesk.storage.table import Item


class InviteRecord(NamedTuple):
    """An invitation; times in ms. `token_hash` is the SHA-256 of what its link carries."""

    organization: str
    id: str
    email: str
    role: Role
    invited_by_id: str
    invited_by_name: str
    created_at: int
    valid_until: int
    token_hash: str

    @property
    def email_hash(self) -> str:
        """The address's SHA-256, by which it is known to have a pending invitation."""
        return hash_of_email(self.email)

    @property
    def is_pending(self) -> bool:
        """Whether it may still be accepted, if it is still there."""
        return self.valid_until > clock.now_ms()

    @classmethod
    def from_item(cls, organization: str, item: Item) -> Self:
        """Read an invitation's item."""
        return cls(
            organization=organization,
            id=item["id"],
            email=item["email"],
            role=Role(item["role"]),
            invited_by_id=item["invitedById"],
            invited_by_name=item["invitedByName"],
            created_at=item["createdAt"],
            valid_until=item["validUntil"],
            token_hash=item["tokenHash"],
        )


class InvitePreview(NamedTuple):
    """What the page behind an invitation's link tells: who invites whom to what, as what, until when (ms)."""

    organization_id: str
    organization_name: str
    email: str
    role: Role
    invited_by_name: str
    valid_until: int


class Standing(NamedTuple):
    """What an address is to an organization before it is invited.

    `user_id` is the person who has the address, `invited_until` (ms) the end of its latest invitation, and `pending`
    the organization's pending invitations with their ends (ms), None where it never had one.
    """

    user_id: str | None
    invited_until: int
    pending: dict[str, int] | None


class MailItems(NamedTuple):
    """What an invitation's mail is made of; `mailed` is the id of the latest mail that went out, empty before."""

    invite: InviteRecord
    token: str
    organization_name: str
    mailed: str
