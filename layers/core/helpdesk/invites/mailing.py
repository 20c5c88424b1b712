"""Sending the mail that carries an invitation's link.

Token and address are read when the mail is sent, by the only function that may read the token, and only while the
invitation is pending.

Nothing keeps SES from sending the same mail twice. Three things together come close: the queue forgets a repeated
stream record for five minutes (deduplication by the mail's id) and hands out one message of an invitation at a time;
after sending, the mail's id is noted on the invitation, and a mail not newer than that one is passed over. So a mail
goes out twice only where the function dies between the two, which harms less than one that never comes.
"""

from enum import StrEnum

from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.invites import repository
from helpdesk.invites.jobs import InviteMail
from helpdesk.mail import service as mail
from helpdesk.mail.errors import MailNotSetUp, MailRefused
from helpdesk.platform.logging import logger
from helpdesk.storage.table import Throttled


class Outcome(StrEnum):
    """What became of a mail, for the log of the function."""

    SENT = "sent"
    SENT_BEFORE = "sent_before"
    NO_LONGER_PENDING = "no_longer_pending"
    REFUSED = "refused"
    NOT_SET_UP = "not_set_up"


def send(wanted: InviteMail) -> Outcome:
    """Send an invitation's mail, if it is still wanted.

    Raises MailNotSent where another try may do it. What will never be taken is given up: the link can still be passed
    on by hand.
    """
    found = repository.for_mail(wanted.organization, wanted.invite_id)
    if found is None:
        return Outcome.NO_LONGER_PENDING
    if found.mailed >= wanted.id:
        return Outcome.SENT_BEFORE
    invite = found.invite
    try:
        mail.send_invitation(
            invite.email,
            organization=found.organization_name,
            invited_by=invite.invited_by_name,
            role=invite.role.value,
            link=f"{wanted.base_url}/v1/invite/{found.token}",
            valid_until=invite.valid_until,
        )
    except MailRefused:
        return Outcome.REFUSED
    except MailNotSetUp:
        return Outcome.NOT_SET_UP
    try:
        repository.note_mailed(wanted.organization, wanted.invite_id, wanted.id)
    except (Throttled, ClientError, BotoCoreError) as error:
        # It is out. Failing now would only send it again.
        logger.warning("mail_not_noted", extra={"invite": wanted.invite_id, "error": type(error).__name__})
    return Outcome.SENT
