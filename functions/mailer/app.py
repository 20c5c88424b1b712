"""MailQueue: send invitations and codes for support addresses; OutreachQueue: send messages to customers.

A message group is an invitation, an organization or a customer. Each queue has its own concurrency, so however many
messages of the team wait, an invitation does not wait for them.
"""

import json
from typing import Any

import msgspec

from helpdesk.accounts.invites import mailing as invites
from helpdesk.accounts.invites.jobs import InviteMail
from helpdesk.accounts.organizations import mailing as support_codes
from helpdesk.accounts.organizations.confirming import SupportEmailMail
from helpdesk.mail.errors import MailNotSent
from helpdesk.notifications import mailing as team
from helpdesk.notifications.jobs import TeamMail, TeamNews
from helpdesk.outreach import mailing as messages
from helpdesk.outreach import pacing, rating
from helpdesk.outreach.jobs import MessageMail, RatingMail, UnreadMail
from helpdesk.platform.logging import logger
from helpdesk.platform.queues import BatchResponse, JobUnfinished, Record, run_batch
from helpdesk.platform.settings import declare

NEEDS = declare(
    "BASE_URL",
    "MAIL_QUEUE_URL",
    "OUTREACH_QUEUE_URL",
    "MAIL_FROM",
    "MAIL_CONFIGURATION_SET",
    "INBOUND_MAIL_DOMAIN",
    "OUTREACH_PER_HOUR",
)

# The longest time that one e-mail takes, with the client's own retries.
_LEFT_FOR_ONE_MS = 20_000
_GIVEN_UP = {"refused", "not_set_up", "in_doubt", "begun_before"}


def handler(event: dict[str, Any], context: Any) -> BatchResponse:
    """Send the e-mails of a batch; report the messages that failed, and those for which there is no time left."""
    return run_batch(
        event,
        _work,
        fifo=True,
        has_time=lambda: context.get_remaining_time_in_millis() >= _LEFT_FOR_ONE_MS,
    )


def _work(record: Record) -> None:
    try:
        outcome, about = _send(json.loads(record["body"]))
    except MailNotSent as error:
        # The text of this error is a code of SES.
        logger.error("mail_failed", extra={"reason": str(error), "message_id": record["messageId"]})
        raise JobUnfinished from error
    if outcome in _GIVEN_UP:
        logger.error("mail_given_up", extra={**about, "outcome": outcome})
    else:
        logger.info("mail_worked", extra={**about, "outcome": outcome})


def _send(body: dict[str, Any]) -> tuple[str, dict[str, str]]:
    """Send the e-mail of a job; return its outcome and the IDs to log."""
    if body.get("kind") is None:
        wanted = InviteMail.from_body(body)
        return invites.send(wanted).value, {"organization": wanted.organization, "invite": wanted.invite_id}
    mail = msgspec.convert(
        body, MessageMail | UnreadMail | RatingMail | SupportEmailMail | TeamMail | TeamNews
    )
    if isinstance(mail, TeamNews | TeamMail):
        about = {"organization": mail.organization, "conversation": mail.conversation_id}
        return (team.ask(mail) if isinstance(mail, TeamNews) else team.send(mail)).value, about
    if isinstance(mail, RatingMail):
        about = {"organization": mail.organization, "conversation": mail.conversation_id}
        with pacing.paced():
            return rating.send(mail).value, about
    if not isinstance(mail, SupportEmailMail):
        about = {"organization": mail.organization, "messageId": mail.message_id}
        with pacing.paced():
            return messages.send(mail).value, about
    return support_codes.send(mail).value, {"organization": mail.organization}
