"""An invitation as stored, and what it shows to the invited person."""

from typing import Self

from helpdesk.admission.caller import Role
from helpdesk.people.record import hash_of_email
from helpdesk.platform import clock
from helpdesk.platform.record import Record
from helpdesk.storage.table import Item


class InviteRecord(Record, kw_only=True):
    """An invitation; times are in ms. `token_hash` is the SHA-256 of the token in its link."""

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
        """The address's SHA-256, the key of the claim that the address has a pending invitation."""
        return hash_of_email(self.email)

    @property
    def is_pending(self) -> bool:
        """Whether the invitation has not expired."""
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

    def to_item(self) -> Item:
        """Return the attributes of the invitation's item."""
        return {
            "id": self.id,
            "email": self.email,
            "role": self.role.value,
            "invitedById": self.invited_by_id,
            "invitedByName": self.invited_by_name,
            "createdAt": self.created_at,
            "validUntil": self.valid_until,
            "tokenHash": self.token_hash,
        }


class InvitePreview(Record):
    """What the page behind an invitation's link shows; `valid_until` is in ms."""

    organization_id: str
    organization_name: str
    email: str
    role: Role
    invited_by_name: str
    valid_until: int


class InviteeState(Record):
    """What is known of an address before an organization invites it.

    `user_id` is the person with the address, `invited_until` (ms) is the end of its latest invitation, and `pending`
    holds the organization's pending invitations with their ends (ms), or None if there never was one.
    """

    user_id: str | None
    invited_until: int
    pending: dict[str, int] | None


class InviteMailContent(Record):
    """The content of an invitation's mail.

    `mailed` is the id of the latest mail that was sent, empty before. `may_name` says whether the mail may have the
    organization's own words: its name, and the inviter's.
    """

    invite: InviteRecord
    token: str
    organization_name: str
    may_name: bool
    mailed: str


def mail_id_from_item(item: Item) -> str | None:
    """Return the id of the latest mail of an invitation that was sent; None before."""
    return item.get("mailed")
