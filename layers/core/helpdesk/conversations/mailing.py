"""Sending a message of the team's by mail, at most once.

The job holds ids alone: the message, the address and whom an answer goes to are read when the mail is sent.

Nothing keeps SES from sending the same mail twice, so the message is marked before it is asked, and SES is asked once.
Where it says that it has not taken the mail, the mark is removed and the queue tries again. Where its answer is lost,
or the function dies in between, nobody knows: such a mail is not sent again, because the customer has the message in
their session too, and a mail that comes twice cannot be called back. It is given up, and the log tells of it: at once,
or when the queue brings the job again and the mark still says that the mail was begun.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.conversations import mail_repository as repository
from helpdesk.conversations.mail_repository import MailState
from helpdesk.customers import service as customers
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.events.outbox import Job, JobQueue, job_item
from helpdesk.mail import service as mail
from helpdesk.mail.errors import MailInDoubt, MailNotSent, MailNotSetUp, MailRefused
from helpdesk.organizations import service as organizations
from helpdesk.organizations.errors import OrganizationNotFound
from helpdesk.platform.logging import logger
from helpdesk.storage import keys
from helpdesk.storage.table import ConditionFailed, Item, Throttled

KIND = "message"
"""What tells this job from the others of its queue."""


class Outcome(StrEnum):
    """What became of a mail, for the log of the function."""

    SENT = "sent"
    SENT_BEFORE = "sent_before"
    """Or refused before. Either was told then."""
    BEGUN_BEFORE = "begun_before"
    """By a function that died, or could not note how it went: nobody knows whether it was sent."""
    NO_LONGER_WANTED = "no_longer_wanted"
    """The message or the customer is gone, or the customer's address is."""
    REFUSED = "refused"
    NOT_SET_UP = "not_set_up"
    IN_DOUBT = "in_doubt"
    """SES did not answer, or failed within: nobody knows whether it was sent."""


@dataclass(frozen=True, slots=True)
class MessageMail:
    """The mail of one message to one customer. Mails to one customer keep their order."""

    organization: str
    customer_id: str
    conversation_id: str
    message_id: str

    def to_item(self) -> Item:
        """Return the outbox item that asks for the mail."""
        body = {
            "kind": KIND,
            "organization": self.organization,
            "customerId": self.customer_id,
            "conversationId": self.conversation_id,
            "messageId": self.message_id,
        }
        return job_item(self.organization, Job(JobQueue.MAIL, self.customer_id, self.message_id, body))

    @classmethod
    def from_body(cls, body: dict[str, Any]) -> "MessageMail":
        """Read a job's body."""
        return cls(body["organization"], body["customerId"], body["conversationId"], body["messageId"])


def send(wanted: MessageMail) -> Outcome:
    """Send a message's mail, if it was not begun before and the customer still has an address.

    Raises MailNotSent where another try may do it.
    """
    try:
        email = customers.addressee(wanted.organization, wanted.customer_id).email
        sender = organizations.correspondent(wanted.organization)
    except (CustomerNotFound, OrganizationNotFound):
        return Outcome.NO_LONGER_WANTED
    if email is None:
        return Outcome.NO_LONGER_WANTED
    key = keys.Message(wanted.organization, wanted.conversation_id, wanted.message_id)
    try:
        message = repository.begin(key)
    except ConditionFailed as failed:
        return _before(failed.item)
    try:
        mail.send_message(
            email,
            organization=sender.name,
            written_by=message["agent"]["name"],
            body=message["body"],
            files=[(file["name"], file["url"]) for file in message["attachments"]],
            reply_to=sender.support_email,
        )
    except (MailRefused, MailNotSetUp) as refusal:
        _quietly(lambda: repository.end(key, MailState.REFUSED))
        return Outcome.REFUSED if isinstance(refusal, MailRefused) else Outcome.NOT_SET_UP
    except MailInDoubt:
        return Outcome.IN_DOUBT
    except MailNotSent:
        repository.forget(key)
        raise
    _quietly(lambda: repository.end(key, MailState.SENT))
    return Outcome.SENT


def _before(message: Item | None) -> Outcome:
    """Return what became before of the mail of a message that is marked already; None where it is gone."""
    if message is None:
        return Outcome.NO_LONGER_WANTED
    return Outcome.BEGUN_BEFORE if message["mail"] == MailState.BEGUN else Outcome.SENT_BEFORE


def _quietly(note: Callable[[], None]) -> None:
    """Note what became of a mail that will not be tried again either way."""
    try:
        note()
    except ConditionFailed:
        pass  # the message was erased meanwhile
    except (Throttled, ClientError, BotoCoreError) as error:
        logger.warning("mail_not_noted", extra={"error": type(error).__name__})
