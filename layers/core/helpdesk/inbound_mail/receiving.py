"""A mail becomes a message: in the conversation that it answers, or as the first of a new one.

Who wrote it decides what it may join. The header From is anyone's to write, so its address counts as the sender's only
if the sending domain vouches for it (`Received.is_aligned`). A mail joins a conversation only as its customer:

- of a customer whose address is proven, only from that address
- of any other customer, if it was sent to the reply address, or comes from the same unverified address as before

Every other mail begins a conversation of its own. A proven address is the customer who signs in to the help site with
it. An unproven one is a customer of its own, whose session nobody can open.

The agent doesn't answer what was sent automatically, what the sender's domain disowns, what SES takes for spam, and a
sender who writes too often: so two machines stop writing to each other. Our own mails that come back are dropped, also
those that a mailing list passes on from an address of its own. SQS can deliver a notice twice, and SES a mail:
each makes one entry (`MailEntry`).
"""

from copy import replace
from enum import StrEnum

from helpdesk.api.admission import buckets
from helpdesk.api.admission.allowance import BucketEmpty
from helpdesk.api.admission.buckets import Shape
from helpdesk.api.admission.record import OrganizationBucket
from helpdesk.api.logs import service as logs
from helpdesk.conversations import service as conversations
from helpdesk.conversations.errors import MAX_BODY_CHARACTERS, ConversationNotFound
from helpdesk.conversations.files import service as files
from helpdesk.conversations.files import store, uploads
from helpdesk.conversations.files.service import Attachments
from helpdesk.conversations.message_record import AlreadyReceived, IncomingMail, sender_key
from helpdesk.conversations.messages import mailed
from helpdesk.conversations.record import Channel, Conversation
from helpdesk.conversations.state import Handler
from helpdesk.conversations.thread import VisitorMessage
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.customers.identities import CustomerBeingErased
from helpdesk.inbound_mail import parsing, places, senders
from helpdesk.inbound_mail.notices import Received, Verdict
from helpdesk.inbound_mail.parsing import MailFile, ReceivedMail
from helpdesk.inbound_mail.places import Place
from helpdesk.inbound_mail.senders import Sender
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.queues import JobUnfinished
from helpdesk.platform.settings import settings
from helpdesk.platform.text import cut, is_blank, one_line, trimmed

MAILS_OF_SENDER_PER_HOUR, MAILS_OF_SENDER_BURST = 60, 20
"""To one organization. What comes above is not taken: it stays in the bucket, and the organization's log counts it."""
ANSWERED_PER_HOUR, ANSWERED_BURST = 1, 10
"""How many mails of a sender the agent answers. Two machines that answer each other slowly stop as well."""
MAILS_PER_HOUR, MAILS_BURST = 1_200, 300
"""To one organization. What comes above waits in the queue, and then in its dead letters."""
MAX_LINE_CHARACTERS = 1_000

_NO_TEXT = "(This mail has no text.)"
_LONGER = "The mail is longer than a message. Its source has all of it."
_NOT_JOINED = (
    "This mail answers the conversation {conversation}. It isn't proven to come from that conversation's customer, so "
    "it began one of its own."
)


class Outcome(StrEnum):
    """What became of a mail, for the log."""

    WRITTEN = "written"
    NOTED = "noted"
    """An automatic answer, as a line in the conversation that it answers."""
    RECEIVED_BEFORE = "received_before"
    GONE = "gone"
    """There is no such mail: it was kept for 30 days."""
    NO_SUCH_ADDRESS = "no_such_address"
    OWN = "own"
    """This deployment sent it."""
    TOO_MANY = "too_many"


class Reason(StrEnum):
    """Why the agent doesn't answer a mail, as the team reads it."""

    VIRUS = "Amazon SES found a virus in this mail, so its files were left out. The agent doesn't answer it."
    SPAM = "Amazon SES takes this mail for spam, so the agent doesn't answer it."
    AUTOMATIC = "This mail was sent automatically, so the agent doesn't answer it."
    DISOWNED = "The sender's domain disowns this mail (DMARC): anyone can have written it. The agent doesn't answer it."
    TOO_OFTEN = (
        f"The agent answers {ANSWERED_BURST} mails of one sender, and of all who answer a conversation of someone "
        f"else, then {ANSWERED_PER_HOUR} an hour. This is one more."
    )


def receive(received: Received) -> list[Outcome]:
    """Write a mail to each organization that it was sent to. Raises JobUnfinished to be called again."""
    found = places.of_recipients(received.recipients)
    if not found:
        return [Outcome.NO_SUCH_ADDRESS]
    raw = store.incoming_mail(received.object_key)
    if raw is None:
        return [Outcome.GONE]
    mail = parsing.parse(raw)
    if any(places.is_own(address) for address in (mail.sender, *mail.passed_by)):
        return [Outcome.OWN]
    return [_receive(place, received, mail) for place in found]


def _receive(place: Place, received: Received, mail: ReceivedMail) -> Outcome:
    sender = senders.of(place.organization, received, mail)
    try:
        _charge(sender, "mail_from", Shape.per_hour(MAILS_OF_SENDER_PER_HOUR, MAILS_OF_SENDER_BURST))
    except BucketEmpty:
        logs.record_bucket_empty(place.organization, "mails_of_sender", "mails of one sender")
        return Outcome.TOO_MANY
    key = OrganizationBucket.key_for(place.organization, "received_mails")
    try:
        buckets.charge_or_pass(key, Shape.per_hour(MAILS_PER_HOUR, MAILS_BURST))
    except BucketEmpty:
        logs.record_bucket_empty(place.organization, "received_mails", "received mails")
        raise JobUnfinished from None
    origin = IncomingMail(
        message_id=mail.message_id or received.message_id,
        address=sender.address,
        name=sender.name,
        is_verified=sender.is_verified,
        subject=mail.subject,
        source=received.object_key if received.virus is not Verdict.FAIL else None,
    )
    try:
        return _write(place, received, mail, sender, origin)
    except AlreadyReceived:
        return Outcome.RECEIVED_BEFORE
    except (CustomerBeingErased, ConversationNotFound, CustomerNotFound):
        raise JobUnfinished from None  # an erasure was faster: then it belongs elsewhere


def _write(
    place: Place, received: Received, mail: ReceivedMail, sender: Sender, origin: IncomingMail
) -> Outcome:
    """Write a mail where it belongs. Raises AlreadyReceived, CustomerBeingErased."""
    answered = places.answered(place, mail, sender.address, is_verified=sender.is_verified)
    if answered is not None and senders.may_join(sender, answered):
        if mail.is_automatic:
            said = f"{origin.name or origin.address} answered automatically by mail: {mail.text}"
            conversations.note_mail(answered.conversation, one_line(said, MAX_LINE_CHARACTERS), origin)
            return Outcome.NOTED
        mailed.add(answered.conversation, _message(received, mail, origin, sender, answered.conversation))
        return Outcome.WRITTEN
    session_hash = senders.session_of(sender)
    known = places.same_subject(place.organization, session_hash, mail.subject)
    if known is not None and not mail.is_automatic:
        mailed.add(known, _message(received, mail, origin, sender, known))
        return Outcome.WRITTEN
    message = _message(received, mail, origin, sender, None, answers_another=answered is not None)
    if answered is not None:
        line = _NOT_JOINED.format(conversation=answered.conversation.id)
        message = replace(message, lines=(*message.lines, line))
    mailed.begin(place.organization, session_hash, sender.said, message)
    return Outcome.WRITTEN


def _message(
    received: Received,
    mail: ReceivedMail,
    origin: IncomingMail,
    sender: Sender,
    conversation: Conversation | None,
    *,
    answers_another: bool = False,
) -> VisitorMessage:
    """Return a mail as a message of a conversation, None for one that it begins though it may answer another one."""
    reason = _reason(received, mail, sender, conversation, answers_another=answers_another)
    body, attachments, lines = _content(sender.organization, mail, with_files=origin.source is not None)
    return VisitorMessage(
        body=body,
        attachments=attachments,
        channel=Channel.EMAIL,
        subject=mail.subject,
        received=origin,
        handled_by=None if reason is None else Handler.TEAM,
        archived=reason in {Reason.SPAM, Reason.VIRUS},
        lines=lines if reason is None else (reason.value, *lines),
    )


def _reason(
    received: Received,
    mail: ReceivedMail,
    sender: Sender,
    conversation: Conversation | None,
    *,
    answers_another: bool,
) -> Reason | None:
    """Return why the agent doesn't answer a mail; None if it does, or a person does anyway."""
    found = {
        Reason.VIRUS: received.virus is Verdict.FAIL,
        Reason.SPAM: received.spam is Verdict.FAIL,
        Reason.AUTOMATIC: mail.is_automatic,
        Reason.DISOWNED: received.dmarc is Verdict.FAIL,
    }
    for reason, applies in found.items():
        if applies:
            return reason
    if conversation is not None and conversation.state.handled_by is Handler.TEAM:
        return None
    try:
        shape = Shape.per_hour(ANSWERED_PER_HOUR, ANSWERED_BURST)
        if answers_another:
            # A machine that writes each mail from a new address still answers ours.
            buckets.charge_or_pass(OrganizationBucket.key_for(sender.organization, "mail_answered"), shape)
        else:
            _charge(sender, "mail_answered", shape)
    except BucketEmpty:
        return Reason.TOO_OFTEN
    return None


def _content(
    organization: str, mail: ReceivedMail, *, with_files: bool
) -> tuple[str, Attachments, tuple[str, ...]]:
    """Return a mail's text and files as a message has them, and lines for the team about the rest."""
    lines: list[str] = []
    named = [(_uploaded(organization, file), file.name) for file in mail.attachments if with_files]
    attachments = files.attached(organization, named)
    body = trimmed(mail.text)
    if len(body) > MAX_BODY_CHARACTERS:
        body = trimmed(cut(body, MAX_BODY_CHARACTERS - 2)) + " …"
        lines.append(_LONGER)
    if is_blank(body) and not named:
        body = _NO_TEXT
    if mail.left_out:
        lines.append(cut(f"Left out of this mail: {'; '.join(mail.left_out)}.", MAX_LINE_CHARACTERS))
    return "" if is_blank(body) else body, attachments, tuple(lines)


def _uploaded(organization: str, file: MailFile) -> str:
    """Store a file, which a message may have (inbound_mail.parts), and return its ID."""
    return uploads.upload(organization, settings().base_url, file.name, file.type, file.content).id


def _charge(sender: Sender, name: str, shape: Shape) -> None:
    """Charge a mail to a bucket of its sender, which mails that others forge don't use up. Raises BucketEmpty."""
    whose = sha256_hex(sender_key(sender.address, is_verified=sender.is_verified))
    key = OrganizationBucket.key_for(sender.organization, f"{name}.{whose[:32]}")
    buckets.charge_or_pass(key, shape)
