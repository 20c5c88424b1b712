"""Whom a mail of a conversation goes to, and what it continues."""

import re
from collections.abc import Sequence

from helpdesk.accounts.people.errors import InvalidEmail
from helpdesk.accounts.people.record import normalized_email
from helpdesk.conversations import service as conversations
from helpdesk.conversations.message_record import IncomingMail, Message
from helpdesk.conversations.record import Channel, Conversation
from helpdesk.customers import identities
from helpdesk.customers.service import Recipient
from helpdesk.mail.threading import Earlier
from helpdesk.platform.record import Record
from helpdesk.platform.text import cut

MOST_QUOTED = 3
MAX_QUOTED_CHARACTERS = 1_000
_READ_FOR_MAIL = 40

_IMAGE = re.compile(r"<img\b[^>]*>")
_CODE_BLOCK = re.compile(r"<pre\b")


class To(Record):
    """The recipient of a mail. `name` is what they call themselves in their mails, None in other channels.

    `is_proven` says that the address is the customer's: the newest mail's domain vouches for it, or they have signed in
    with it. `has_written` says that the address is that of their newest mail.
    """

    email: str
    name: str | None
    is_proven: bool
    has_written: bool


def recipient(conversation: Conversation, customer: Recipient, newest: Sequence[Message]) -> To | None:
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


def newest_messages(conversation: Conversation) -> list[Message]:
    """Return a conversation's newest messages, oldest first: those to mail, to quote and to refer to. One query."""
    return conversations.newest_messages(conversation, _READ_FOR_MAIL)[::-1]


def newest_mail(newest: Sequence[Message]) -> IncomingMail | None:
    """Return the newest mail that came in, None if there is none."""
    return next((each.received for each in reversed(newest) if each.received), None)


def received(newest: Sequence[Message]) -> list[str]:
    """Return the Message-IDs of the mails that came in, oldest first."""
    return [each.received.message_id for each in newest if each.received]


def quoted(
    newest: Sequence[Message], before: Message, email: str, customer: str, organization: str
) -> list[Earlier]:
    """Return the last messages before one, oldest first. The customer has each of them, by mail or where they wrote.

    Anyone who has the reply address may write from another one. What came before isn't theirs to read.
    """
    others = [each.id for each in newest if each.received and each.received.address != email]
    after = max(others, default="")
    earlier = [each for each in newest if after < each.id < before.id and each.body][-MOST_QUOTED:]
    return [
        Earlier(_writer(message, customer, organization), message.created_at, body, html_of(message, body))
        for message in earlier
        if (body := cut(message.body, MAX_QUOTED_CHARACTERS))
    ]


def html_of(message: Message, body: str) -> str | None:
    """Return the HTML of a message's text, or of its beginning: without images, and None if it's no Markdown."""
    if message.author is None or message.author.kind != "ai":
        return None
    # It brings a parser and a sanitizer, which invitations do without.
    from helpdesk.site import markdown  # noqa: PLC0415

    html = _IMAGE.sub("", markdown.render("", body, is_part=True).html)
    return _CODE_BLOCK.sub('<pre style="white-space: pre-wrap"', html)


def _writer(message: Message, customer: str, organization: str) -> str:
    if message.by_visitor:
        return (message.received and message.received.name) or customer
    return message.author.name if message.author else organization
