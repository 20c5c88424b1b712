"""Mail that comes in: put where SES puts it, and announced as SES announces it."""

from email.message import EmailMessage
from itertools import count
from typing import Any

import pytest

from helpdesk.conversations.files.service import NO_ATTACHMENTS
from helpdesk.conversations.message_record import IncomingMail
from helpdesk.conversations.messages import mailed
from helpdesk.conversations.messages.schemas import MessageAccepted
from helpdesk.conversations.record import Channel
from helpdesk.conversations.thread import VisitorMessage
from helpdesk.platform import clients
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.settings import settings
from tests.support.api import Context, function
from tests.support.queues import sqs_event

DOMAIN = "in.helpdesk.example"
VERIFIED = {"spf": "PASS", "dkim": "PASS", "dmarc": "PASS"}
UNVERIFIED = {"spf": "FAIL", "dkim": "GRAY", "dmarc": "GRAY"}
FORGED = {"spf": "FAIL", "dkim": "FAIL", "dmarc": "FAIL"}
_numbers = count(1)


def set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the deployment receive mail."""
    monkeypatch.setenv("INBOUND_MAIL_DOMAIN", DOMAIN)
    settings.cache_clear()


def written(
    text: str = "Where is my order?",
    *,
    subject: str = "My order",
    sender: str = "Vera <vera@example.com>",
    message_id: str | None = None,
    **headers: str,
) -> EmailMessage:
    """Return a mail. Names of headers have underscores for hyphens."""
    mail = EmailMessage()
    mail["From"], mail["Subject"], mail["To"] = sender, subject, f"acme@{DOMAIN}"
    mail["Message-ID"] = f"<{message_id or f'{next(_numbers)}@mail.example.com'}>"
    for name, value in headers.items():
        mail[name.replace("_", "-")] = value
    mail.set_content(text)
    return mail


def arrive(
    mail: EmailMessage | bytes, to: str, verdicts: dict[str, str] = VERIFIED, **more: str
) -> dict[str, Any]:
    """Put a mail into the bucket; return SES's notice of it. `more` are further verdicts, `spam` and `virus`."""
    raw = mail if isinstance(mail, bytes) else mail.as_bytes()
    key = f"inbound/{next(_numbers):026d}"
    clients.s3().put_object(Bucket=settings().files_bucket, Key=key, Body=raw)
    found = {"spam": "PASS", "virus": "PASS", **verdicts, **more}
    return {
        "notificationType": "Received",
        "receipt": {
            "recipients": [to if "@" in to else f"{to}@{DOMAIN}"],
            "action": {"type": "S3", "objectKey": key},
            **{f"{name}Verdict": {"status": status} for name, status in found.items()},
        },
        "mail": {"source": "bounces@mail.example.com", "messageId": key.rpartition("/")[2]},
    }


def deliver(notice: dict[str, Any]) -> None:
    """Hand a notice to the function as the queue does."""
    assert handed(notice) == []


def handed(notice: dict[str, Any]) -> list[str]:
    """Hand a notice to the function; return the messages that failed."""
    event = sqs_event(notice, queue="mail_events", group="none")
    answer: Any = function("mail_receiver").handler(event, Context())
    return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]


def received(organization: str) -> MessageAccepted:
    """Begin a conversation with a mail whose source is kept."""
    key = "inbound/kept"
    clients.s3().put_object(Bucket=settings().files_bucket, Key=key, Body=written().as_bytes())
    mail = IncomingMail(
        message_id="kept@mail.example.com",
        address="vera@example.com",
        name="Vera",
        is_verified=True,
        subject="My order",
        source=key,
    )
    message = VisitorMessage(
        "Where is my order?", NO_ATTACHMENTS, channel=Channel.EMAIL, subject=mail.subject, received=mail
    )
    return mailed.begin(organization, sha256_hex("a session by mail"), {"email": mail.address}, message)
