"""Mailing what a visitor hasn't read: answers that nobody fetched in time.

A visitor writes, closes the page, and the answer comes later. Each answer of the agent or the team is looked at when
the organization's minutes are over. If it's the newest message and nobody has fetched it, what is unread becomes one
mail. The mail repeats nothing that the visitor wrote unless they have proven the address: it may be a stranger's.

In a conversation that began with a mail, each message is mailed at once, whatever the plan, the settings, and what the
customer has read or written since.
"""

from enum import StrEnum

from helpdesk.accounts.organizations import service as organizations
from helpdesk.accounts.organizations.errors import OrganizationNotFound
from helpdesk.api.admission import buckets
from helpdesk.api.admission.allowance import BucketEmpty
from helpdesk.api.admission.record import OrganizationBucket
from helpdesk.conversations import service as conversations
from helpdesk.conversations.jobs import UnreadJob
from helpdesk.conversations.messages import visitors
from helpdesk.conversations.record import Channel, Conversation
from helpdesk.customers import service as customers
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.mail import allowance
from helpdesk.outreach import addressing
from helpdesk.outreach.addressing import To
from helpdesk.outreach.jobs import UnreadMail
from helpdesk.platform import clock, ids
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.errors import RateLimited
from helpdesk.platform.queues import put_back
from helpdesk.platform.settings import settings
from helpdesk.platform.units import DAY_MS, SECOND_MS
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

MAILS_TO_ADDRESS_PER_HOUR, MAILS_TO_ADDRESS_BURST = 6, 3
"""From one organization: a stranger can name any address, in any number of conversations."""
MAILS_TO_SENDER_PER_HOUR, MAILS_TO_SENDER_BURST = 20, 10
"""From one organization to an address whose domain vouches for the newest mail that came from it."""

GIVES_UP_AFTER_MS = DAY_MS
"""How old a message may be whose mail waits for a bucket."""


class Outcome(StrEnum):
    """The result of looking at a message, for the log."""

    EARLY = "early"  # it is looked at again
    READ = "read"  # or answered: the visitor has written since
    LEFT_TO_NEWER = "left_to_newer"
    NOT_MAILED = (
        "not_mailed"  # there's no address, the organization mails nothing, or the buckets were empty for long
    )
    GONE = "gone"
    PUT_OFF = "put_off"  # a bucket of mails is empty
    QUEUED = "queued"
    QUEUED_BEFORE = "queued_before"


def look(job: UnreadJob) -> Outcome:
    """Ask for the mail of a message that is still unread when its time has come. Raises NotQueued."""
    if clock.now_ms() < job.due_at:
        _look_again(job, job.due_at)
        return Outcome.EARLY
    conversation = conversations.find(job.organization, job.conversation_id)
    if conversation is None:
        return Outcome.GONE
    over = _read_or_followed(conversation, job.message_id)
    if over is not None:
        return over
    to = recipient(conversation)
    if to is None or _is_read(conversation, job.message_id):
        return Outcome.NOT_MAILED if to is None else Outcome.READ
    try:
        charge(job.organization, to)
    except (BucketEmpty, RateLimited) as empty:
        return _put_off(job, empty)
    return _ask_for_mail(job, conversation.customer_id)


def _read_or_followed(conversation: Conversation, message_id: str) -> Outcome | None:
    """Return why a message needs no mail, as far as its conversation shows; None if it may need one."""
    newest, of_visitor = conversation.newest_message_id or "", conversation.newest_visitor_message_id or ""
    if conversation.channel is Channel.EMAIL:
        return Outcome.LEFT_TO_NEWER if newest > message_id and newest != of_visitor else None
    if of_visitor > message_id:
        return Outcome.READ
    if newest > message_id:
        return Outcome.LEFT_TO_NEWER
    return Outcome.NOT_MAILED if conversation.archived else None


def recipient(conversation: Conversation) -> To | None:
    """Return whom a conversation's answers are mailed to; None for a customer without an address, or without mail."""
    try:
        customer = customers.recipient(conversation.organization, conversation.customer_id)
        if conversation.channel is Channel.EMAIL:
            mails = bool(settings().mail_from)
            found = addressing.recipient(conversation, customer, addressing.newest_messages(conversation))
        else:
            mails = organizations.mails_unread(organizations.get(conversation.organization))
            found = addressing.recipient(conversation, customer, ())
    except (OrganizationNotFound, CustomerNotFound):
        return None
    return found if mails else None


def _is_read(conversation: Conversation, message_id: str) -> bool:
    return conversation.channel is not Channel.EMAIL and read_up_to(conversation) >= message_id


def read_up_to(conversation: Conversation) -> str:
    """Return the ID of the last message that the visitor has read, or written; empty if there's none. One read."""
    session = None
    if conversation.session_hash is not None:
        session = visitors.sessions.find(conversation.organization, conversation.session_hash)
    return max((session and session.seen) or "", conversation.newest_visitor_message_id or "")


def charge(organization: str, to: To) -> None:
    """Charge a mail to the address and to the organization. Raises BucketEmpty, RateLimited."""
    if to.has_written and to.is_proven:
        kind, shape = "sender_mail", buckets.Shape.per_hour(MAILS_TO_SENDER_PER_HOUR, MAILS_TO_SENDER_BURST)
    else:
        kind, shape = "unread_mail", buckets.Shape.per_hour(MAILS_TO_ADDRESS_PER_HOUR, MAILS_TO_ADDRESS_BURST)
    name = f"{kind}.{sha256_hex(to.email)[:32]}"
    buckets.charge_or_pass(OrganizationBucket.key_for(organization, name), shape)
    allowance.charge(organization, allowance.NOTICES)


def _put_off(job: UnreadJob, empty: BucketEmpty | RateLimited) -> Outcome:
    """Look at a message again when the bucket holds a token. After a day it isn't mailed."""
    if clock.now_ms() - ids.made_at(job.message_id) > GIVES_UP_AFTER_MS:
        return Outcome.NOT_MAILED
    seconds = empty.retry_after if isinstance(empty, BucketEmpty) else int(empty.headers["retry-after"])
    _look_again(job, clock.now_ms() + seconds * SECOND_MS)
    return Outcome.PUT_OFF


def _ask_for_mail(job: UnreadJob, customer_id: str) -> Outcome:
    wanted = UnreadMail(job.organization, customer_id, job.conversation_id, job.message_id)
    transaction = Transaction()
    transaction.put(wanted.to_item(), new=True, on_failure=ConditionFailed)
    try:
        transaction.commit()
    except ConditionFailed:
        return Outcome.QUEUED_BEFORE
    return Outcome.QUEUED


def _look_again(job: UnreadJob, due_at: int) -> None:
    later = UnreadJob(job.organization, job.conversation_id, job.message_id, due_at)
    put_back(settings().timer_queue_url, job.organization, later.to_json(), due_at)
