"""Sending messages of a conversation by mail, each at most once.

A mail has one message that the team writes to a customer first, or what's unread in a conversation. All that it has is
read when it's sent: the messages, the address, the reply address, and the sentences around the messages. What can fail
and be tried again comes before the first mark.

Nothing keeps SES from sending the same mail twice, so each message is marked before SES is called, and SES is called
once. If SES refuses the mail or was not reached, the marks are removed and the queue tries again. If the response is
lost, or the function ends in between, nobody knows whether it was sent. Such a mail is not sent again: the customer
also has the message in their session, and a second mail cannot be recalled. It is given up and logged: at once, or when
the queue delivers the job again and the mark still says that the mail was begun.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import partial

from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.errors import OrganizationNotFound
from helpdesk.accounts.organizations.record import Organization
from helpdesk.agent import service as agent
from helpdesk.conversations import reply_addresses
from helpdesk.conversations import service as conversations
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.message_record import Message
from helpdesk.conversations.record import Channel, Conversation
from helpdesk.conversations.reply_addresses import AddressGiven
from helpdesk.customers import service as customers
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.mail import service as mail
from helpdesk.mail.errors import MailInDoubt, MailNotSent, MailNotSetUp, MailRefused
from helpdesk.mail.sender import MailTags
from helpdesk.outreach import addressing, repository, unread
from helpdesk.outreach.addressing import To
from helpdesk.outreach.jobs import MessageMail, UnreadMail
from helpdesk.outreach.record import MailedMessage, MailState
from helpdesk.outreach.repository import AlreadyMarked, Mailable
from helpdesk.platform.logging import logger
from helpdesk.platform.settings import settings
from helpdesk.site.visitors.record import of_slug
from helpdesk.storage.stored import Key
from helpdesk.storage.table import ConditionFailed, Throttled
from helpdesk.visitor_texts.languages import Language

MOST_IN_MAIL = 20
"""How many unread messages a mail has: the newest."""

_IMAGE = re.compile(r"<img\b[^>]*>")
_CODE_BLOCK = re.compile(r"<pre\b")


class Outcome(StrEnum):
    """The result of a mail, for the log."""

    SENT = "sent"
    SENT_BEFORE = "sent_before"
    """Or refused before. Either was logged then."""
    BEGUN_BEFORE = "begun_before"
    """By a function that ended, or could not write the result: nobody knows whether it was sent."""
    NO_LONGER_WANTED = "no_longer_wanted"
    """The message, the customer or the customer's address is gone."""
    REFUSED = "refused"
    NOT_SET_UP = "not_set_up"
    IN_DOUBT = "in_doubt"
    """SES did not respond, or failed internally: nobody knows whether it was sent."""


def send(wanted: MessageMail | UnreadMail) -> Outcome:
    """Send the mail of a message, or of what's unread, if it was not begun before and the customer has an address.

    Raises MailNotSent if the queue is to try again.
    """
    try:
        customer = customers.recipient(wanted.organization, wanted.customer_id)
        sender = organizations.get(wanted.organization)
        conversation = conversations.get(wanted.organization, wanted.conversation_id)
    except (CustomerNotFound, OrganizationNotFound, ConversationNotFound):
        return Outcome.NO_LONGER_WANTED
    newest = repository.newest(conversation)
    to = addressing.recipient(conversation, customer, newest)
    if to is None:
        return Outcome.NO_LONGER_WANTED
    texts = agent.settings_of(wanted.organization).texts
    reply_to = _reply_address(conversation) or sender.support_email
    message_ids = [wanted.message_id]
    if isinstance(wanted, UnreadMail):
        message_ids = [each for each in _unread(sender, conversation, newest) if each <= wanted.message_id]
    begun, before = _begin(wanted, message_ids)
    if not begun:
        return before
    messages = list(begun.values())
    first, last = messages[0], messages[-1]
    try:
        mail.send_messages(
            to.email,
            [_written(message, sender.name) for message in messages],
            _thread(conversation, sender, newest, first, to, is_automatic=not last.by_person),
            organization=sender.name,
            reply_to=reply_to,
            tags=MailTags(wanted.organization, wanted.conversation_id, last.id),
            sentences=texts.in_language(_language(conversation, last) or texts.language),
            customer=to.name,
        )
    except (MailRefused, MailNotSetUp) as refusal:
        _end(begun, MailState.REFUSED)
        return Outcome.REFUSED if isinstance(refusal, MailRefused) else Outcome.NOT_SET_UP
    except MailInDoubt:
        return Outcome.IN_DOUBT
    except MailNotSent:
        for key in begun:
            repository.forget(key)
        raise
    _end(begun, MailState.SENT)
    return Outcome.SENT


def _begin(
    wanted: MessageMail | UnreadMail, message_ids: Sequence[str]
) -> tuple[dict[Key, Message], Outcome]:
    """Mark messages as being mailed; return those that were not, by their keys, and the outcome if there's none."""
    begun: dict[Key, Message] = {}
    outcome = Outcome.NO_LONGER_WANTED
    for message_id in message_ids:
        key = MailedMessage.key_for(wanted.organization, wanted.conversation_id, message_id)
        try:
            begun[key] = repository.begin(key)
        except AlreadyMarked as marked:
            outcome = _result_before(marked.state)
    return begun, outcome


def _unread(sender: Organization, conversation: Conversation, newest: Sequence[Mailable]) -> list[str]:
    """Return the IDs of a conversation's messages that are unread and not mailed, oldest first."""
    unmailed = [each.message.id for each in newest if not each.message.by_visitor and each.mail is None]
    if conversation.channel is Channel.EMAIL:
        return unmailed[-MOST_IN_MAIL:]
    if conversation.archived or not organizations.mails_unread(sender):
        return []
    read = unread.read_up_to(conversation)
    return [each for each in unmailed if each > read][-MOST_IN_MAIL:]


def _reply_address(conversation: Conversation) -> str | None:
    try:
        return reply_addresses.of(conversation)
    except AddressGiven:
        now = conversations.find(conversation.organization, conversation.id)
        return None if now is None else reply_addresses.of(now)


def _thread(
    conversation: Conversation,
    sender: Organization,
    newest: Sequence[Mailable],
    first: Message,
    to: To,
    *,
    is_automatic: bool,
) -> mail.Thread:
    """Return what a mail continues, whose oldest message is the `first`."""
    subject, came_in = None, addressing.newest_mail(newest)
    if conversation.channel is Channel.EMAIL:
        subject = conversation.subject if came_in is None else came_in.subject
    return mail.Thread(
        conversation.id,
        _page(sender, conversation),
        is_automatic=is_automatic,
        subject=subject,
        received=addressing.received(newest),
        earlier=addressing.quoted(newest, first, to.name or to.email, sender.name) if to.is_proven else (),
    )


def _written(message: Message, organization: str) -> mail.Written:
    """Return a message as a mail shows it: the agent's Markdown as HTML without images, everyone else's as text."""
    html = None
    if message.author is not None and message.author.kind == "ai":
        # It brings a parser and a sanitizer, which invitations do without.
        from helpdesk.site import markdown  # noqa: PLC0415

        html = _IMAGE.sub("", markdown.render("", message.body, is_part=True).html)
        html = _CODE_BLOCK.sub('<pre style="white-space: pre-wrap"', html)
    files = [(file.name, file.url) for file in message.attachments]
    return mail.Written(message.author.name if message.author else organization, message.body, html, files)


def _page(sender: Organization, conversation: Conversation) -> str | None:
    """Return the conversation's page on the organization's own help site, if it was begun there.

    Any other page is what a visitor's app says, and a stranger may have said it: no mail links to it.
    """
    contact = f"{of_slug(sender.id, sender.slug, settings().base_url).root}/contact"
    if conversation.page is None or conversation.page.url != contact:
        return None
    return f"{contact}/{conversation.id}"


def _end(begun: Iterable[Key], state: MailState) -> None:
    for key in begun:
        _without_retry(partial(repository.end, key, state))


def _language(conversation: Conversation, message: Message) -> Language | None:
    """Return the customer's language, or else the language of the message or of their browser."""
    if conversation.language is not None:
        return conversation.language
    # It compiles the patterns of seven languages, which invitations and most of these mails do without.
    from helpdesk.agent.conversation_language import clear_language, likely_language  # noqa: PLC0415

    context = conversation.context
    return clear_language(message.body) or likely_language(
        [message.body], context.locale if context else None
    )


def _result_before(state: MailState | None) -> Outcome:
    """Return the result of a mail that was begun before, by its mark; None if the message is gone."""
    if state is None:
        return Outcome.NO_LONGER_WANTED
    return Outcome.BEGUN_BEFORE if state is MailState.BEGUN else Outcome.SENT_BEFORE


def _without_retry(write: Callable[[], None]) -> None:
    """Write the result of a mail that is not tried again either way."""
    try:
        write()
    except ConditionFailed:
        pass  # the message was erased meanwhile, or its mail has bounced
    except (Throttled, ClientError, BotoCoreError) as error:
        logger.warning("mail_not_noted", extra={"error": type(error).__name__})
