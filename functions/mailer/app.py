"""MailQueue: send invitations and codes for support addresses; OutreachQueue: send the team's messages to customers.

A message group is an invitation, an organization or a customer. Each queue has its own concurrency, so however many
messages of the team wait, an invitation does not wait for them.
"""

import json
from typing import Any

from helpdesk.invites import mailing as invites
from helpdesk.invites.jobs import InviteMail
from helpdesk.mail.errors import MailNotSent
from helpdesk.organizations import mailing as support_codes
from helpdesk.organizations.jobs import SUPPORT_EMAIL_MAIL, SupportEmailMail
from helpdesk.outreach import mailing as messages
from helpdesk.outreach import pacing
from helpdesk.outreach.jobs import MESSAGE_MAIL, MessageMail
from helpdesk.platform.logging import logger
from helpdesk.platform.queues import try_again_soon
from helpdesk.platform.settings import declare, settings

NEEDS = declare("MAIL_QUEUE_URL", "OUTREACH_QUEUE_URL", "MAIL_FROM", "OUTREACH_PER_HOUR")

# The longest time that one e-mail takes, with the client's own retries.
_LEFT_FOR_ONE_MS = 20_000
_GIVEN_UP = {"refused", "not_set_up", "in_doubt", "begun_before"}


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Send the e-mails of a batch; report the messages that failed, and those for which there is no time left.

    After a failure, the later messages of that group wait with it.
    """
    failed: list[str] = []
    waiting: set[str] = set()
    for number, record in enumerate(event["Records"]):
        group = record["attributes"]["MessageGroupId"]
        in_time = number == 0 or context.get_remaining_time_in_millis() >= _LEFT_FOR_ONE_MS
        if group not in waiting:
            if in_time and _done(record):
                continue
            try_again_soon(_queue_of(record), record)
        waiting.add(group)
        failed.append(record["messageId"])
    return {"batchItemFailures": [{"itemIdentifier": identifier} for identifier in failed]}


def _done(record: dict[str, Any]) -> bool:
    try:
        outcome, what = _sent(json.loads(record["body"]))
    except Exception as error:  # noqa: BLE001 - whatever it is, the queue tries again
        # The text of this error is a code of SES; the text of another may hold an address.
        reason = str(error) if isinstance(error, MailNotSent) else ""
        about_failure = {"error": type(error).__name__, "reason": reason, "message_id": record["messageId"]}
        logger.error("mail_failed", extra=about_failure)
        return False
    if outcome in _GIVEN_UP:
        logger.error("mail_given_up", extra={**what, "outcome": outcome})
    else:
        logger.info("mail_worked", extra={**what, "outcome": outcome})
    return True


def _sent(body: dict[str, Any]) -> tuple[str, dict[str, str]]:
    """Send the e-mail of a job; return its outcome and the IDs to log."""
    if body.get("kind") == MESSAGE_MAIL:
        mail = MessageMail.from_body(body)
        about = {"organization": mail.organization, "messageId": mail.message_id}
        with pacing.paced():
            return messages.send(mail).value, about
    if body.get("kind") == SUPPORT_EMAIL_MAIL:
        code = SupportEmailMail.from_body(body)
        return support_codes.send(code).value, {"organization": code.organization}
    wanted = InviteMail.from_body(body)
    return invites.send(wanted).value, {"organization": wanted.organization, "invite": wanted.invite_id}


def _queue_of(record: dict[str, Any]) -> str:
    """Return the URL of the queue that a message came from: one of the two that this function serves."""
    name = str(record["eventSourceARN"]).rpartition(":")[2]
    urls = (settings().mail_queue_url, settings().outreach_queue_url)
    return next((url for url in urls if url.rpartition("/")[2] == name), "")
