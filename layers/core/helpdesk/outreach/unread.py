"""Mailing what a visitor hasn't read: answers that nobody fetched in time.

A visitor writes, closes the page, and the answer comes later. Each answer of the agent or the team is looked at when
the organization's minutes are over. If it's the newest message and nobody has fetched it, what is unread becomes one
mail. The mail repeats nothing that the visitor wrote: nobody has verified the address, and it may be a stranger's.
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
from helpdesk.conversations.record import Conversation
from helpdesk.customers import service as customers
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.mail import allowance
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
    email = _address(conversation)
    if email is None or read_up_to(conversation) >= job.message_id:
        return Outcome.NOT_MAILED if email is None else Outcome.READ
    try:
        _charge(job.organization, email)
    except (BucketEmpty, RateLimited) as empty:
        return _put_off(job, empty)
    return _ask_for_mail(job, conversation.customer_id)


def _read_or_followed(conversation: Conversation, message_id: str) -> Outcome | None:
    """Return why a message needs no mail, as far as its conversation shows; None if it may need one."""
    if (conversation.newest_visitor_message_id or "") > message_id:
        return Outcome.READ
    if (conversation.newest_message_id or "") > message_id:
        return Outcome.LEFT_TO_NEWER
    return Outcome.NOT_MAILED if conversation.archived else None


def _address(conversation: Conversation) -> str | None:
    """Return where a conversation's answers are mailed; None for a customer without an address, or without mail."""
    try:
        sender = organizations.get(conversation.organization)
        email = customers.recipient(conversation.organization, conversation.customer_id).email
    except (OrganizationNotFound, CustomerNotFound):
        return None
    return email if organizations.mails_unread(sender) else None


def read_up_to(conversation: Conversation) -> str:
    """Return the ID of the last message that the visitor has read, or written; empty if there's none. One read."""
    session = None
    if conversation.session_hash is not None:
        session = visitors.sessions.find(conversation.organization, conversation.session_hash)
    return max((session and session.seen) or "", conversation.newest_visitor_message_id or "")


def _charge(organization: str, email: str) -> None:
    """Charge a mail to the address and to the organization. Raises BucketEmpty, RateLimited."""
    shape = buckets.Shape.per_hour(MAILS_TO_ADDRESS_PER_HOUR, MAILS_TO_ADDRESS_BURST)
    name = f"unread_mail.{sha256_hex(email)[:32]}"
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
