"""What Amazon SES publishes: a mail came in, a mail bounced, a recipient complained.

Amazon SES Developer Guide, "Contents of notifications for Amazon SES email receiving" and "Contents of event data that
Amazon SES publishes to Amazon SNS". A notice is trusted, because only SES can publish to the topic. The headers of a
mail are not: they say what its sender wrote. So the verdicts and the envelope come from here alone.
"""

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from helpdesk.mail.sender import MailTags
from helpdesk.platform import received_json
from helpdesk.platform.logging import logger
from helpdesk.platform.record import Record, field
from helpdesk.platform.text import one_line

MAX_WORDS_CHARACTERS = 200
_PREFIX = "inbound/"
"""Where the receipt rule writes (template/mail.yaml). Other objects of the bucket are no mails, but files."""
_TEST_TEXT = "Successfully validated SNS topic"


class Verdict(StrEnum):
    """What a check of SES found out."""

    PASS = "PASS"  # noqa: S105 - no password
    FAIL = "FAIL"
    GRAY = "GRAY"
    """The sender's domain doesn't say, or the check was not conclusive."""
    PROCESSING_FAILED = "PROCESSING_FAILED"


class Received(Record):
    """A mail that came in: where it is in the bucket, its envelope and what SES found out of it.

    `message_id` is SES's own, unique to the mail. `recipients` are those that the rule is for.
    """

    object_key: str
    recipients: tuple[str, ...]
    envelope_sender: str
    message_id: str
    spf: Verdict
    dkim: Verdict
    dmarc: Verdict
    spam: Verdict
    virus: Verdict

    def is_aligned(self, domain: str) -> bool:
        """Return whether the mail is proven to come from a domain: the one of its From header.

        A domain without a DMARC policy gets GRAY. Then SPF decides, which is about the domain of the envelope.
        """
        if self.dmarc is not Verdict.GRAY:
            return self.dmarc is Verdict.PASS
        envelope = self.envelope_sender.rpartition("@")[2].lower()
        return self.spf is self.dkim is Verdict.PASS and envelope == domain.lower() != ""


class BounceKind(StrEnum):
    """Whether a later mail to the address can arrive."""

    PERMANENT = "Permanent"
    TRANSIENT = "Transient"
    """SES has tried for hours and given up."""
    UNDETERMINED = "Undetermined"


class Bounced(Record):
    """A mail that did not arrive. `words` are the other server's, on one line; they may have an address.

    `tags` are None for a mail of no conversation.
    """

    kind: BounceKind
    subtype: str
    words: str
    tags: MailTags | None

    @property
    def reason(self) -> str:
        """SES's words for the kind of the bounce, for the log."""
        return f"{self.kind} {self.subtype}"


class Complained(Record):
    """A recipient marked a mail as spam; `reason` is what their provider calls it, such as `abuse`."""

    reason: str
    tags: MailTags | None


type Notice = Received | Bounced | Complained


def read(body: str) -> Notice | None:
    """Return what a message of the topic says; None for a test of SES, and for an event that nothing is done about.

    Raises InvalidJson or msgspec.ValidationError for anything else.
    """
    if body.startswith(_TEST_TEXT):
        logger.info("mail_event_ignored", extra={"event": "test"})
        return None
    said = msgspec.convert(received_json.read(body.encode(errors="replace")), _Notice)
    kind = said.event_type or said.notification_type
    match said:
        case _Notice(mail=_Mail() as mail, receipt=_Receipt() as receipt) if kind == "Received":
            return _received(mail, receipt)
        case _Notice(mail=_Mail() as mail, bounce=_Bounce() as bounce) if kind == "Bounce":
            subtype, words = bounce.bounce_sub_type, _words(bounce.bounced_recipients)
            return Bounced(bounce.bounce_type, subtype, words, _tags(mail))
        case _Notice(mail=_Mail() as mail, complaint=_Complaint() as complaint) if kind == "Complaint":
            reason = complaint.complaint_feedback_type or complaint.complaint_sub_type or ""
            return Complained(reason, _tags(mail))
    if kind in {None, "Received", "Bounce", "Complaint"}:
        raise msgspec.ValidationError("The message isn't a notice of SES")
    logger.info("mail_event_ignored", extra={"event": kind})
    return None


class _Status(Record):
    status: str = Verdict.PROCESSING_FAILED


class _Action(Record):
    object_key: str
    type: str = ""


class _Receipt(Record):
    recipients: tuple[str, ...]
    action: _Action
    spf_verdict: _Status = _Status()
    dkim_verdict: _Status = _Status()
    dmarc_verdict: _Status = _Status()
    spam_verdict: _Status = _Status()
    virus_verdict: _Status = _Status()


class _Mail(Record):
    message_id: str
    source: str = ""
    tags: dict[str, Sequence[str]] = field(default_factory=dict)


class _Recipient(Record):
    diagnostic_code: str | None = None


class _Bounce(Record):
    bounce_type: BounceKind
    bounce_sub_type: str = ""
    bounced_recipients: tuple[_Recipient, ...] = ()


class _Complaint(Record):
    complaint_feedback_type: str | None = None
    complaint_sub_type: str | None = None


class _Notice(Record):
    """A message of the topic. Notifications of an identity call `event_type` `notification_type`."""

    event_type: str | None = None
    notification_type: str | None = None
    mail: _Mail | None = None
    receipt: _Receipt | None = None
    bounce: _Bounce | None = None
    complaint: _Complaint | None = None


def _received(mail: _Mail, receipt: _Receipt) -> Received:
    if not receipt.action.object_key.startswith(_PREFIX):
        raise msgspec.ValidationError("The object of the notice is no mail")
    return Received(
        object_key=receipt.action.object_key,
        recipients=receipt.recipients,
        envelope_sender=mail.source,
        message_id=mail.message_id,
        spf=_verdict(receipt.spf_verdict),
        dkim=_verdict(receipt.dkim_verdict),
        dmarc=_verdict(receipt.dmarc_verdict),
        spam=_verdict(receipt.spam_verdict),
        virus=_verdict(receipt.virus_verdict),
    )


def _verdict(said: _Status) -> Verdict:
    return Verdict(said.status) if said.status in Verdict else Verdict.PROCESSING_FAILED


def _words(recipients: Sequence[_Recipient]) -> str:
    words = next((each.diagnostic_code for each in recipients if each.diagnostic_code), "")
    return one_line(words.removeprefix("smtp;"), MAX_WORDS_CHARACTERS)


def _tags(mail: _Mail) -> MailTags | None:
    """Return the tags that the mail was sent with; None if it had none. SES gives each a list of one value."""
    try:
        return msgspec.convert({name: value for name, [value] in mail.tags.items()}, MailTags)
    except (ValueError, msgspec.ValidationError):
        return None
