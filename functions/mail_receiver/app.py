"""MailEventsQueue: what Amazon SES publishes of mail."""

from typing import Any

from helpdesk.inbound_mail import bounces, notices, receiving
from helpdesk.inbound_mail.notices import Received
from helpdesk.platform.logging import logger
from helpdesk.platform.queues import BatchResponse, Record, run_batch
from helpdesk.platform.settings import declare

NEEDS = declare("BASE_URL", "FILES_BUCKET", "INBOUND_MAIL_DOMAIN", "MAIL_EVENTS_QUEUE_URL", "MAIL_FROM")


def handler(event: dict[str, Any], _context: object) -> BatchResponse:
    """Do what the notices of a batch ask for; report the messages that failed."""
    return run_batch(event, _work)


def _work(record: Record) -> None:
    notice = notices.read(record["body"])
    if notice is None:
        return
    if isinstance(notice, Received):
        outcomes = [outcome.value for outcome in receiving.receive(notice)]
        logger.info("mail_received", extra={"mail": notice.message_id, "outcomes": outcomes})
        return
    about = (
        {"organization": notice.tags.organization, "messageId": notice.tags.message} if notice.tags else {}
    )
    logger.info(
        "mail_bounced" if isinstance(notice, notices.Bounced) else "mail_complained",
        extra={**about, "reason": notice.reason, "outcome": bounces.note(notice).value},
    )
