"""An invitation as stored, and what it shows to the invited person."""

from helpdesk.accounts.people.record import hash_of_email
from helpdesk.api.admission.caller import Role
from helpdesk.platform import clock
from helpdesk.platform.record import Record
from helpdesk.storage.stored import Expiring, Stored


class Invite(Expiring, kw_only=True):
    """An invitation; times are in ms.

    `token_hash` is the SHA-256 of the token in its link. `mailed` is the id of the latest mail that was sent.
    """

    PK, SK = "ORG#{organization}#INVITE", "INVITE#{id}"

    organization: str
    id: str
    email: str
    role: Role
    invited_by_id: str
    invited_by_name: str
    created_at: int
    token_hash: str
    mailed: str | None = None

    @property
    def email_hash(self) -> str:
        """The address's SHA-256, the key of the claim that the address has a pending invitation."""
        return hash_of_email(self.email)

    @property
    def is_pending(self) -> bool:
        """Whether the invitation has not expired."""
        return self.valid_until > clock.now_ms()


class InviteByEmail(Expiring, kw_only=True):
    """An address's pending invitation; the address is kept as its SHA-256."""

    PK, SK = "ORG#{organization}#INVITE", "EMAIL#{email_hash}"

    organization: str
    email_hash: str
    invite_id: str


class PendingInvites(Stored, kw_only=True):
    """Which invitations are pending and until when (ms), so that their limit is a condition and not a count."""

    PK, SK = "ORG#{organization}#INVITE", "PENDING"

    organization: str
    pending: dict[str, int] | None = None


class InviteToken(Expiring, kw_only=True):
    """Which invitation a link leads to, by the SHA-256 of its token."""

    PK, SK = "INVITE#{token_hash}", "INVITE"

    token_hash: str
    organization: str
    invite_id: str


class InviteSecret(Stored, kw_only=True):
    """An invitation's token, for the mail that carries it; the mailer alone may read it. `expires_at` is in seconds."""

    PK, SK = "ORG#{organization}#SECRET", "INVITE#{invite_id}"

    organization: str
    invite_id: str
    token: str
    expires_at: int


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

    `may_name` says whether the mail may have the
    organization's own words: its name, and the inviter's.
    """

    invite: Invite
    token: str
    organization_name: str
    may_name: bool
