"""Sending a message of the team by mail, at most once.

The message, the address, the reply address and the sentences around the message are read when the mail is sent.

Nothing keeps SES from sending the same mail twice, so the message is marked before SES is called, and SES is called
once. If SES refuses the mail or was not reached, the mark is removed and the queue tries again. If the response is
lost, or the function ends in between, nobody knows whether it was sent. Such a mail is not sent again: the customer
also has the message in their session, and a second mail cannot be recalled. It is given up and logged: at once, or when
the queue delivers the job again and the mark still says that the mail was begun.
"""

from collections.abc import Callable
from enum import StrEnum

from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.errors import OrganizationNotFound
from helpdesk.agent import service as agent
from helpdesk.conversations import service as conversations
from helpdesk.conversations.message_record import Message
from helpdesk.conversations.record import Conversation
from helpdesk.customers import service as customers
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.mail import service as mail
from helpdesk.mail.errors import MailInDoubt, MailNotSent, MailNotSetUp, MailRefused
from helpdesk.outreach import repository
from helpdesk.outreach.jobs import MessageMail
from helpdesk.outreach.record import MailedMessage, MailState
from helpdesk.outreach.repository import AlreadyMarked
from helpdesk.platform.logging import logger
from helpdesk.storage.table import ConditionFailed, Throttled
from helpdesk.visitor_texts.languages import Language


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


def send(wanted: MessageMail) -> Outcome:
    """Send a message's mail, if it was not begun before and the customer still has an address.

    Raises MailNotSent if the queue is to try again.
    """
    try:
        email = customers.recipient(wanted.organization, wanted.customer_id).email
        sender = organizations.get(wanted.organization)
    except (CustomerNotFound, OrganizationNotFound):
        return Outcome.NO_LONGER_WANTED
    if email is None:
        return Outcome.NO_LONGER_WANTED
    texts = agent.settings_of(wanted.organization).texts
    conversation = conversations.find(wanted.organization, wanted.conversation_id)
    key = MailedMessage.key_for(wanted.organization, wanted.conversation_id, wanted.message_id)
    try:
        message = repository.begin(key)
    except AlreadyMarked as marked:
        return _result_before(marked.state)
    try:
        mail.send_message(
            email,
            organization=sender.name,
            written_by=message.author.name if message.author else sender.name,
            body=message.body,
            files=[(file.name, file.url) for file in message.attachments],
            reply_to=sender.support_email,
            sentences=texts.in_language(_language(conversation, message) or texts.language),
        )
    except (MailRefused, MailNotSetUp) as refusal:
        _without_retry(lambda: repository.end(key, MailState.REFUSED))
        return Outcome.REFUSED if isinstance(refusal, MailRefused) else Outcome.NOT_SET_UP
    except MailInDoubt:
        return Outcome.IN_DOUBT
    except MailNotSent:
        repository.forget(key)
        raise
    _without_retry(lambda: repository.end(key, MailState.SENT))
    return Outcome.SENT


def _language(conversation: Conversation | None, message: Message) -> Language | None:
    """Return the customer's language, or else the language of the message or of their browser."""
    if conversation is not None and conversation.language is not None:
        return conversation.language
    # It compiles the patterns of seven languages, which invitations and most of these mails do without.
    from helpdesk.agent.conversation_language import clear_language, likely_language  # noqa: PLC0415

    context = conversation.context if conversation else None
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
        pass  # the message was erased meanwhile
    except (Throttled, ClientError, BotoCoreError) as error:
        logger.warning("mail_not_noted", extra={"error": type(error).__name__})
