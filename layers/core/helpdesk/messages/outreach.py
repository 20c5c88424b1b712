"""Writing to a customer first (beyond the specification: its routes are not shown; Events, Event kinds, outreach).

What the team writes goes to the customer's newest open conversation, else it starts one, which the team handles. The
customer sees it in their session; where an e-mail address is known it goes out by mail too, of which a job is left
behind in the same transaction. Two messages at once to one customer start one conversation: the session says which is
the newest, as it does for the visitor's own messages, and for a customer without one their record does.
"""

from dataclasses import replace
from typing import NamedTuple

from helpdesk.admission.caller import Caller
from helpdesk.conversations import outreach, thread
from helpdesk.conversations.content import require_body
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.mailing import MessageMail
from helpdesk.conversations.record import StaleConversation
from helpdesk.conversations.state import Handler
from helpdesk.customers import service as customers
from helpdesk.customers.errors import CustomerUnreachable
from helpdesk.customers.schemas import OutreachInput
from helpdesk.customers.service import Addressee, OutreachMeanwhile
from helpdesk.files import service as files
from helpdesk.files.service import Attachments
from helpdesk.mail import allowance as mail_allowance
from helpdesk.messages import repository
from helpdesk.messages import service as messages
from helpdesk.messages.repository import Session, SessionChanged
from helpdesk.messages.schemas import MessageAccepted
from helpdesk.organizations import service as organizations
from helpdesk.platform.settings import settings
from helpdesk.storage.transactions import Conflict, Transaction

_TRIES = 8


class _Message(NamedTuple):
    """What is written, and under whose name."""

    name: str
    body: str
    attachments: Attachments


def send(caller: Caller, customer_id: str, written: OutreachInput) -> MessageAccepted:
    """Write to a customer.

    Sends message.created, and conversation.created before it where a conversation is started. Raises CustomerNotFound,
    CustomerUnreachable, EmptyMessage, MessageTooLong, TooManyAttachments, AttachmentMissing, AttachmentWrongType, and
    RateLimited where it would go out by mail and the bucket of such mails is empty.
    """
    named = [(file.id, file.name) for file in written.attachments or []]
    body = require_body(written.body, len(named))
    organization = caller.organization
    to = customers.addressee(organization, customer_id)
    mailed = to.email is not None and bool(settings().mail_from)
    if to.session_hash is None and not mailed:
        raise CustomerUnreachable
    attachments = files.attached(organization, named)
    name = caller.person.name if caller.person else organizations.name_of(organization)
    message = _Message(name, body, attachments)
    if mailed:
        mail_allowance.take(organization, mail_allowance.OUTREACH)
    for _ in range(_TRIES):
        transaction = Transaction()
        try:
            accepted = _added(transaction, organization, to, message)
            if mailed:
                mail = MessageMail(organization, to.id, accepted.conversation_id, accepted.message_id)
                transaction.put(mail.to_item(), new=True)
            transaction.commit()
        except (SessionChanged, StaleConversation, ConversationNotFound):
            continue  # the session and its conversation are read anew
        except OutreachMeanwhile:
            to = customers.addressee(organization, customer_id)
        else:
            return accepted
    raise Conflict


def _added(transaction: Transaction, organization: str, to: Addressee, message: _Message) -> MessageAccepted:
    """Add the message to the customer's newest open conversation, or start another."""
    session = repository.get(organization, to.session_hash) if to.session_hash else None
    if session is not None:
        target = messages.newest_open(session)
    else:
        target = outreach.newest_open_of(organization, to.id, to.outreach_id)
    if target is not None:
        customers.require(transaction, organization, to.id)
        message_id = outreach.add_message(
            transaction, target, name=message.name, body=message.body, attachments=message.attachments
        )
        return MessageAccepted(conversation_id=target.id, message_id=message_id)
    conversation_id, message_id = thread.start_outreach(
        transaction,
        organization,
        to.id,
        to.session_hash,
        name=message.name,
        body=message.body,
        attachments=message.attachments,
    )
    if session is not None:
        customers.require(transaction, organization, to.id)
        _make_current(transaction, session, conversation_id)
    else:
        customers.note_outreach(transaction, organization, to, conversation_id)
    return MessageAccepted(conversation_id=conversation_id, message_id=message_id)


def _make_current(transaction: Transaction, session: Session, conversation_id: str) -> None:
    """Enter a conversation of the team's into the visitor's session: what they answer goes there."""
    repository.put_conversation(transaction, session, conversation_id)
    now = replace(session, current=conversation_id, handled_by=Handler.TEAM.value)
    repository.save(transaction, session, now)
