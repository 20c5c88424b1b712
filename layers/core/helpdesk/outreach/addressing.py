"""Whom a mail of a conversation goes to, and what it continues."""

from collections.abc import Sequence

from helpdesk.accounts.people.errors import InvalidEmail
from helpdesk.accounts.people.record import normalized_email
from helpdesk.conversations.message_record import IncomingMail, Message
from helpdesk.conversations.record import Channel, Conversation
from helpdesk.customers import identities
from helpdesk.customers.service import Recipient
from helpdesk.mail.threading import Earlier
from helpdesk.outreach.repository import Mailable
from helpdesk.platform.record import Record

MOST_QUOTED = 3


class To(Record):
    """The recipient of a mail. `name` is what they call themselves in their mails, None in other channels.

    `is_proven` says that the address is the customer's: the newest mail's domain vouches for it, or they have signed in
    with it. `has_written` says that the address is that of their newest mail.
    """

    email: str
    name: str | None
    is_proven: bool
    has_written: bool


def recipient(conversation: Conversation, customer: Recipient, newest: Sequence[Mailable]) -> To | None:
    """Return whom a conversation's mail goes to: where the newest mail in it came from, else the customer's address.

    Only a conversation that began with a mail goes by the mails in it.
    """
    mail = newest_mail(newest) if conversation.channel is Channel.EMAIL else None
    if mail is not None:
        try:
            return To(normalized_email(mail.address), mail.name, mail.is_verified, has_written=True)
        except InvalidEmail:
            return None
    if customer.email is None:
        return None
    is_proven = identities.hash_of_address(customer.email) in customer.customer.identities
    return To(customer.email, None, is_proven, has_written=False)


def newest_mail(newest: Sequence[Mailable]) -> IncomingMail | None:
    """Return the newest mail that came in, None if there is none."""
    return next((each.message.received for each in reversed(newest) if each.message.received), None)


def received(newest: Sequence[Mailable]) -> list[str]:
    """Return the Message-IDs of the mails that came in, oldest first."""
    return [each.message.received.message_id for each in newest if each.message.received]


def quoted(newest: Sequence[Mailable], before: Message, customer: str, organization: str) -> list[Earlier]:
    """Return the last messages before one, oldest first. The customer has each of them, by mail or where they wrote."""
    earlier = [each.message for each in newest if each.message.id < before.id and each.message.body]
    return [
        Earlier(_writer(message, customer, organization), message.created_at, message.body)
        for message in earlier[-MOST_QUOTED:]
    ]


def _writer(message: Message, customer: str, organization: str) -> str:
    if message.by_visitor:
        return (message.received and message.received.name) or customer
    return message.author.name if message.author else organization
