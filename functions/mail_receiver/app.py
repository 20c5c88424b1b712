"""MailEventsQueue: what Amazon SES publishes of mail."""

from typing import Any

from helpdesk.inbound_mail import bounces, notices
from helpdesk.inbound_mail.notices import Received
from helpdesk.platform.logging import logger
from helpdesk.platform.queues import BatchResponse, JobUnfinished, Record, run_batch
from helpdesk.platform.settings import declare

NEEDS = declare("MAIL_EVENTS_QUEUE_URL", "INBOUND_MAIL_DOMAIN")


def handler(event: dict[str, Any], _context: object) -> BatchResponse:
    """Do what the notices of a batch ask for; report the messages that failed."""
    return run_batch(event, _work)


def _work(record: Record) -> None:
    notice = notices.read(record["body"])
    if notice is None:
        return
    if isinstance(notice, Received):
        logger.error("mail_not_expected", extra={"message_id": record["messageId"]})
        raise JobUnfinished
    about = (
        {"organization": notice.tags.organization, "messageId": notice.tags.message} if notice.tags else {}
    )
    logger.info(
        "mail_bounced" if isinstance(notice, notices.Bounced) else "mail_complained",
        extra={**about, "reason": notice.reason, "outcome": bounces.note(notice).value},
    )
