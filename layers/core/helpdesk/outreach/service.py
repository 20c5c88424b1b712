"""Writing to a customer first (Specification: Events, Event kinds, outreach; its routes go beyond the specification).

The message goes to the customer's newest open conversation, or starts one that the team handles. The customer sees it
in their session; if an e-mail address is known, the same transaction adds a job that mails it. Two messages at once to
one customer start one conversation. The session decides which is the newest, as for the visitor's own messages. For a
customer without a session, their record decides.
"""

from copy import replace

from helpdesk.admission.caller import Caller
from helpdesk.conversations import service as conversations
from helpdesk.conversations import thread
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.record import StaleConversation
from helpdesk.conversations.state import Speaker
from helpdesk.customers import service as customers
from helpdesk.customers.service import ConcurrentOutreach, Recipient
from helpdesk.files import service as files
from helpdesk.files.service import Attachments
from helpdesk.mail import allowance as mail_allowance
from helpdesk.messages import service as messages
from helpdesk.messages.schemas import MessageAccepted
from helpdesk.messages.service import SessionChanged
from helpdesk.organizations import service as organizations
from helpdesk.outreach.errors import CustomerUnreachable
from helpdesk.outreach.jobs import MessageMail
from helpdesk.outreach.schemas import OutreachInput
from helpdesk.platform.frozen_record import FrozenRecord
from helpdesk.platform.settings import settings
from helpdesk.storage.transactions import Conflict, Transaction

_TRIES = 8


class _Message(FrozenRecord):
    """What is written, and its author's name."""

    name: str
    body: str
    attachments: Attachments


def send(caller: Caller, customer_id: str, written: OutreachInput) -> MessageAccepted:
    """Write to a customer.

    Sends message.created, and conversation.created before it if it starts a conversation. Raises CustomerNotFound,
    CustomerUnreachable, EmptyMessage, MessageTooLong, TooManyAttachments, AttachmentMissing, AttachmentWrongType, and
    RateLimited if it would be mailed and the organization's bucket of such mails is empty.
    """
    named = [(file.id, file.name) for file in written.attachments or []]
    body = thread.require_body(written.body, len(named))
    organization = caller.organization
    to = customers.recipient(organization, customer_id)
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
            continue  # read the session and its conversation again
        except ConcurrentOutreach:
            to = customers.recipient(organization, customer_id)
        else:
            return accepted
    raise Conflict


def _added(transaction: Transaction, organization: str, to: Recipient, message: _Message) -> MessageAccepted:
    """Add the message to the customer's newest open conversation, or start another."""
    session = messages.session(organization, to.session_hash) if to.session_hash else None
    if session is not None:
        target = messages.newest_open(session)
    else:
        target = conversations.newest_open_of_customer(organization, to.id, to.customer.outreach_id)
    if target is not None:
        customers.require(transaction, organization, to.id)
        message_id = thread.append_by_team(
            transaction,
            target,
            replace(target.state, last_speaker=Speaker.TEAMMATE),
            name=message.name,
            body=message.body,
            attachments=message.attachments,
        )
        return MessageAccepted(conversation_id=target.id, message_id=message_id)
    conversation_id, message_id = thread.start_by_team(
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
        messages.enter_team_conversation(transaction, session, conversation_id)
    else:
        customers.note_outreach(transaction, organization, to.customer, conversation_id)
    return MessageAccepted(conversation_id=conversation_id, message_id=message_id)
