"""Sending messages of a conversation by mail, each at most once.

A mail has one message that the team writes to a customer first, or what's unread in a conversation. All that it has is
read when it's sent: the messages, the address, the reply address, and the sentences around the messages. What can fail
and be tried again comes before the first mark.

Nothing keeps SES from sending the same mail twice, so each message is marked before SES is called, and SES is called
once. If SES refuses the mail or was not reached, the marks are removed and the queue tries again. If the response is
lost, or the function ends in between, nobody knows whether it was sent. Such a mail is not sent again: the customer
also has the message in their session, and a second mail cannot be recalled. It is given up and logged: at once, or when
the queue delivers the job again and the mark still says that the mail was begun. In a conversation that goes by mail
the customer has the mail alone, so there the queue tries once more, and a customer may get it twice.
"""

from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import partial

from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.accounts.organizations import service as organizations
from helpdesk.conversations.message_record import MailState, Message
from helpdesk.conversations.record import Channel
from helpdesk.mail import service as mail
from helpdesk.mail.errors import MailInDoubt, MailNotSent, MailNotSetUp, MailRefused
from helpdesk.mail.sender import MailTags
from helpdesk.outreach import addressing, frame, repository, unread
from helpdesk.outreach.frame import Frame
from helpdesk.outreach.jobs import MessageMail, UnreadMail
from helpdesk.outreach.record import MailedMessage
from helpdesk.outreach.repository import AlreadyMarked
from helpdesk.platform.logging import logger
from helpdesk.storage.table import ConditionFailed, Throttled

MOST_IN_MAIL = 20
"""How many unread messages a mail has: the newest."""


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
    found = frame.find(wanted.organization, wanted.customer_id, wanted.conversation_id)
    if found is None:
        return Outcome.NO_LONGER_WANTED
    message_ids = [wanted.message_id]
    if isinstance(wanted, UnreadMail):
        message_ids = [each for each in _unread(found) if each <= wanted.message_id]
    messages, before = _begin(found, [each for each in message_ids if each not in _unwanted(found)])
    if not messages:
        return before
    first, last = messages[0], messages[-1]
    are_notices = all(message.notice for message in messages)
    try:
        mail.send_messages(
            found.to.email,
            [_written(message, found.sender.name) for message in messages],
            found.thread(
                first,
                is_automatic=not last.by_person,
                unsubscribe=found.link("unsubscribe") if are_notices else None,
            ),
            organization=found.sender.name,
            reply_to=found.reply_to,
            tags=MailTags(wanted.organization, wanted.conversation_id, last.id),
            sentences=found.sentences(last),
            customer=found.to.name,
        )
    except (MailRefused, MailNotSetUp) as refusal:
        _end(messages, MailState.REFUSED)
        return Outcome.REFUSED if isinstance(refusal, MailRefused) else Outcome.NOT_SET_UP
    except MailInDoubt:
        if _twice(found) and all(message.mail is MailState.BEGUN for message in messages):
            raise
        return Outcome.IN_DOUBT
    except MailNotSent:
        for message in messages:
            repository.forget(message)
        raise
    _end(messages, MailState.SENT)
    return Outcome.SENT


def _twice(found: Frame) -> bool:
    return found.conversation.channel is Channel.EMAIL


def _begin(found: Frame, message_ids: Sequence[str]) -> tuple[list[Message], Outcome]:
    """Mark messages as being mailed; return those that were not, and the outcome if there's none."""
    begun: list[Message] = []
    outcome = Outcome.NO_LONGER_WANTED
    for message_id in message_ids:
        key = MailedMessage.key_for(found.conversation.organization, found.conversation.id, message_id)
        try:
            begun.append(repository.begin(key, twice=_twice(found)))
        except AlreadyMarked as marked:
            outcome = _result_before(marked.state)
    return begun, outcome


def _unread(found: Frame) -> list[str]:
    """Return the IDs of a conversation's messages that are unread and not mailed, oldest first."""
    open_states = {None, MailState.BEGUN} if _twice(found) else {None}
    unmailed = [each for each in found.newest if not each.by_visitor and each.mail in open_states]
    if found.conversation.channel is Channel.EMAIL:
        return [each.id for each in unmailed][-MOST_IN_MAIL:]
    if found.conversation.archived or not organizations.mails_unread(found.sender):
        return []
    read = unread.read_up_to(found.conversation)
    return [each.id for each in unmailed if each.id > read][-MOST_IN_MAIL:]


def _unwanted(found: Frame) -> set[str]:
    """Return the IDs of the messages that the customer wants no mail of."""
    if not found.customer.notices_off:
        return set()
    return {each.id for each in found.newest if each.notice}


def _written(message: Message, organization: str) -> mail.Written:
    """Return a message as a mail shows it: the agent's Markdown as HTML without images, everyone else's as text."""
    files = [(file.name, file.url) for file in message.attachments]
    author = message.author.name if message.author else organization
    return mail.Written(author, message.body, addressing.html_of(message, message.body), files)


def _end(messages: Iterable[Message], state: MailState) -> None:
    for message in messages:
        _without_retry(partial(repository.end, message, state))


def _result_before(state: MailState | None) -> Outcome:
    """Return the result of a mail that was begun before, by its mark; None if the message is gone."""
    if state is None:
        return Outcome.NO_LONGER_WANTED
    return Outcome.SENT_BEFORE if state.is_result else Outcome.BEGUN_BEFORE


def _without_retry(write: Callable[[], None]) -> None:
    """Write the result of a mail that is not tried again either way."""
    try:
        write()
    except ConditionFailed:
        pass  # the message was erased meanwhile, or its mail has bounced
    except (Throttled, ClientError, BotoCoreError) as error:
        logger.warning("mail_not_noted", extra={"error": type(error).__name__})
