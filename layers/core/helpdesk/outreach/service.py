"""Writing to a customer first (Specification: Events, Event kinds, outreach; its routes go beyond the specification).

The message goes to the customer's newest open conversation, or starts one that the team handles. The customer sees it
in their session; if an e-mail address is known and the plan is paid, the same transaction adds a job that mails it. In
a conversation that began with a mail, each message has that job by itself, on every plan. Two
messages at once to one customer start one conversation. The session decides which is the newest, as for the visitor's
own messages. For a customer without a session, their record decides.
"""

from collections.abc import Callable, Sequence
from copy import replace
from typing import NamedTuple

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.errors import UpgradeRequired
from helpdesk.accounts.organizations.record import Organization
from helpdesk.api.admission.caller import Caller
from helpdesk.conversations import service as conversations
from helpdesk.conversations import thread
from helpdesk.conversations.errors import ConversationNotFound
from helpdesk.conversations.files import service as files
from helpdesk.conversations.messages import choosing, visitors
from helpdesk.conversations.messages.visitors import SessionChanged
from helpdesk.conversations.record import Channel, Conversation, StaleConversation
from helpdesk.conversations.state import Speaker
from helpdesk.conversations.thread import OutgoingMessage
from helpdesk.customers import service as customers
from helpdesk.customers.service import ConcurrentOutreach, Recipient
from helpdesk.mail import allowance as mail_allowance
from helpdesk.outreach.errors import CustomerUnreachable
from helpdesk.outreach.jobs import MessageMail
from helpdesk.outreach.schemas import MailOutcome, OutreachAccepted, OutreachInput
from helpdesk.platform.errors import AppError
from helpdesk.platform.settings import settings
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.transactions import Transaction

_STALE = (SessionChanged, StaleConversation, ConversationNotFound, ConcurrentOutreach)
"""The session, its conversation or the customer has changed since it was read."""
_UPGRADE = (
    "This customer can be reached by e-mail only, and e-mail to customers requires a paid plan. Ask your operator to "
    "change the plan, or wait until the customer writes to you."
)
_NOT_SET_UP = (
    "This customer can be reached by e-mail only, and this deployment sends none. Ask your operator to set the "
    "parameter MailFrom, or wait until the customer writes to you."
)


def send(caller: Caller, customer_id: str, written: OutreachInput) -> OutreachAccepted:
    """Write to a customer.

    Sends message.created, and conversation.created before it if it starts a conversation. Where the plan does not
    include mail, the message is in the customer's session only. Raises CustomerNotFound, CustomerUnreachable,
    UpgradeRequired for a customer without a session, EmptyMessage, MessageTooLong, TooManyAttachments,
    AttachmentMissing, AttachmentWrongType, and RateLimited if it would be mailed and the organization's bucket of such
    mails, or the deployment's, is empty.
    """
    named = [(file.id, file.name) for file in written.attachments or []]
    body = thread.require_body(written.body, len(named))
    organization = caller.organization
    to = customers.recipient(organization, customer_id)
    sender = organizations.get(organization)
    mail = _mail_outcome(to, sender)
    if to.session_hash is None and mail is not MailOutcome.QUEUED:
        raise _unreachable(mail)
    attachments = files.attached(organization, named)
    message = thread.by_teammate(caller.person.name if caller.person else sender.name, body, attachments)
    if mail is MailOutcome.QUEUED:
        mail_allowance.charge(organization, mail_allowance.OUTREACH)

    def attempt() -> OutreachAccepted:
        nonlocal to
        transaction = Transaction()
        try:
            added = _added(transaction, organization, to, message)
            outcome = _mailed(transaction, to, added, mail)
            transaction.commit()
        except ConcurrentOutreach:
            to = customers.recipient(organization, customer_id)
            raise
        return OutreachAccepted(
            conversation_id=added.conversation_id, message_id=added.message_id, mail=outcome
        )

    return repeat_when_stale(attempt, *_STALE)


def notify(
    organization: str,
    customer_id: str,
    conversation_ids: Sequence[str],
    write: Callable[[Conversation | None], str],
    extra_writes: Callable[[Transaction], None],
    sender: Organization,
) -> MailOutcome:
    """Send a customer a message in the organization's name that answers nothing, and mail it where that is possible.

    It goes to the newest of the named conversations that is not archived, whose state stays; otherwise as `send` does.
    `write` returns the text for a conversation, None for one that is not known. `extra_writes` adds to the
    transaction. Raises CustomerNotFound, CustomerUnreachable, UpgradeRequired, RateLimited, and what `extra_writes`
    makes the transaction raise.
    """
    to = customers.recipient(organization, customer_id)
    mail = MailOutcome.UNSUBSCRIBED if to.customer.notices_off else _mail_outcome(to, sender)
    if mail is MailOutcome.QUEUED:
        mail_allowance.charge(organization, mail_allowance.NOTICES)

    def attempt() -> MailOutcome:
        nonlocal to
        found = conversations.by_ids(organization, ids=sorted(conversation_ids, reverse=True))
        target = next((each for each in found.values() if not each.archived), None)
        if target is None and to.session_hash is None and mail is not MailOutcome.QUEUED:
            raise _unreachable(mail)
        transaction = Transaction()
        extra_writes(transaction)
        message = thread.by_teammate(sender.name, write(target), notice=True)
        try:
            if target is not None:
                customers.require(transaction, organization, customer_id)
                message_id = thread.append_by_team(transaction, target, target.state, message)
                added = _Added(target.id, message_id, target.channel)
            else:
                added = _added(transaction, organization, to, message)
            outcome = _mailed(transaction, to, added, mail)
            transaction.commit()
        except ConcurrentOutreach:
            to = customers.recipient(organization, customer_id)
            raise
        return outcome

    return repeat_when_stale(attempt, *_STALE)


class _Added(NamedTuple):
    """A message that a transaction adds, and where its conversation began."""

    conversation_id: str
    message_id: str
    channel: Channel


def _mailed(transaction: Transaction, to: Recipient, added: _Added, mail: MailOutcome) -> MailOutcome:
    """Add the job of a message's mail, unless the message has it by itself; return whether it's mailed."""
    if added.channel is Channel.EMAIL:
        return MailOutcome.QUEUED if mail is MailOutcome.UPGRADE_REQUIRED else mail
    if mail is MailOutcome.QUEUED:
        job = MessageMail(to.customer.organization, to.id, added.conversation_id, added.message_id)
        transaction.put(job.to_item(), new=True)
    return mail


def _mail_outcome(to: Recipient, sender: Organization) -> MailOutcome:
    if to.email is None:
        return MailOutcome.NO_ADDRESS
    if not settings().mail_from:
        return MailOutcome.NOT_SET_UP
    return MailOutcome.QUEUED if sender.may_mail else MailOutcome.UPGRADE_REQUIRED


def _unreachable(mail: MailOutcome) -> AppError:
    """Return the error for a customer without a session who is not mailed either."""
    match mail:
        case MailOutcome.UPGRADE_REQUIRED:
            return UpgradeRequired(_UPGRADE)
        case MailOutcome.NOT_SET_UP:
            return CustomerUnreachable(_NOT_SET_UP)
        case _:
            return CustomerUnreachable()


def _added(transaction: Transaction, organization: str, to: Recipient, message: OutgoingMessage) -> _Added:
    """Add the message to the customer's newest open conversation, or start another."""
    session = visitors.sessions.find(organization, to.session_hash) if to.session_hash else None
    if session is not None:
        target = choosing.newest_open(session)
    else:
        target = conversations.newest_open_of_customer(organization, to.id, to.customer.outreach_id)
    if target is not None:
        customers.require(transaction, organization, to.id)
        if message.notice:
            # The session only presumes the state of its conversation, which a notice must leave as it is.
            known = conversations.get(organization, target.id)
            message_id = thread.append_by_team(transaction, known, known.state, message)
            return _Added(known.id, message_id, known.channel)
        state = replace(target.state, last_speaker=Speaker.TEAMMATE)
        message_id = thread.append_by_team(transaction, target, state, message)
        return _Added(target.id, message_id, target.channel)
    conversation_id, message_id = thread.start_by_team(
        transaction, organization, to.id, to.session_hash, message
    )
    if session is not None:
        customers.require(transaction, organization, to.id)
        choosing.enter_team_conversation(transaction, session, conversation_id)
    else:
        customers.note_outreach(transaction, to.customer, conversation_id)
    return _Added(conversation_id, message_id, Channel.API)
