"""Who wrote a mail, and what they may join."""

from helpdesk.accounts.people.errors import InvalidEmail
from helpdesk.accounts.people.record import MAX_EMAIL_CHARACTERS, normalized_email
from helpdesk.conversations.messages import visitors
from helpdesk.customers import identities
from helpdesk.customers import service as customers
from helpdesk.customers.identities import Proven
from helpdesk.customers.record import identity_of
from helpdesk.customers.service import Said
from helpdesk.inbound_mail.notices import Received
from helpdesk.inbound_mail.parsing import ReceivedMail
from helpdesk.inbound_mail.places import Answered
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.record import Record

_NO_SESSION = (
    "the hash of an unverified address: longer than any session token may be, so none has it ".ljust(129, ".")
)


class Sender(Record):
    """Who wrote a mail to an organization. `is_verified` says that the sending domain vouches for the address."""

    organization: str
    address: str
    name: str | None
    is_verified: bool

    @property
    def said(self) -> Said:
        """What a customer's record says of them."""
        said = {"name": self.name, "email": self.address}
        known = {name: value for name, value in said.items() if value}
        return known if self.is_verified else customers.typed(known)


def of(organization: str, received: Received, mail: ReceivedMail) -> Sender:
    """Return who wrote a mail: by its header From, or by its envelope if it has none."""
    address = (mail.sender or received.envelope_sender).lower()[:MAX_EMAIL_CHARACTERS]
    is_verified = mail.is_sender_certain and received.is_aligned(address.rpartition("@")[2])
    try:
        address = normalized_email(address)
    except InvalidEmail:
        is_verified = False
    return Sender(organization, address, mail.sender_name, is_verified)


def may_join(sender: Sender, answered: Answered) -> bool:
    """Return whether a sender may write in the conversation that their mail answers. One read."""
    conversation = answered.conversation
    owner = customers.find(sender.organization, conversation.customer_id)
    if owner is None:
        return False
    if sender.is_verified and (
        owner.email == sender.address or identities.hash_of_address(sender.address) in owner.identities
    ):
        return True
    if owner.identities or identity_of(owner).email_verified:
        return False
    return answered.by_token or (
        not sender.is_verified and conversation.session_hash == _unverified_session(sender)
    )


def session_of(sender: Sender) -> str:
    """Return the hash of the session in which a sender's own conversations are.

    That of a verified one is their customer's, who is created with the first mail. Raises CustomerBeingErased.
    """
    if not sender.is_verified:
        return _unverified_session(sender)
    proven = Proven((identities.hash_of_address(sender.address),), sender.said)
    return str(identities.find_or_create(sender.organization, proven, visitors.introduce).session_hash)


def _unverified_session(sender: Sender) -> str:
    return sha256_hex(f"{_NO_SESSION}{sender.organization}:{sender.address}")
