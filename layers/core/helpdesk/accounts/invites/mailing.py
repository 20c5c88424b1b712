"""Sending the mail that carries an invitation's link.

The mailer reads the token and the address when it sends the mail, and only while the invitation is pending. No other
function may read the token.

SES has no idempotency, so a repeated mail is avoided in two ways. The queue drops a repeated stream record for five
minutes and delivers one message of an invitation at a time. After sending, the mail's ID is stored on the invitation,
and a mail that is not newer is skipped. A mail is sent twice only if the function dies between the two steps, which
does less harm than a mail that never arrives.
"""

from botocore.exceptions import BotoCoreError, ClientError

from helpdesk.accounts.invites import repository
from helpdesk.accounts.invites.jobs import InviteMail
from helpdesk.mail import service as mail
from helpdesk.mail.errors import MailNotSetUp, MailRefused
from helpdesk.platform.logging import logger
from helpdesk.storage.table import Throttled


def send(wanted: InviteMail) -> mail.Outcome:
    """Send an invitation's mail if the invitation is still pending.

    Raises MailNotSent if a retry may succeed. A mail that SES will never accept is dropped; the inviter can still pass
    the link on by hand.
    """
    found = repository.for_mail(wanted.organization, wanted.invite_id)
    if found is None:
        return mail.Outcome.NO_LONGER_PENDING
    invite = found.invite
    if invite.mailed is not None and invite.mailed >= wanted.id:
        return mail.Outcome.SENT_BEFORE
    try:
        mail.send_invitation(
            invite.email,
            # Anyone can have an organization on the free plan, and invite any address. The page names both.
            organization=found.organization_name if found.may_name else None,
            invited_by=invite.invited_by_name if found.may_name else None,
            role=invite.role.value,
            link=f"{wanted.base_url}/v1/invite/{found.token}",
            valid_until=invite.valid_until,
        )
    except MailRefused:
        return mail.Outcome.REFUSED
    except MailNotSetUp:
        return mail.Outcome.NOT_SET_UP
    try:
        repository.note_mailed(wanted.organization, wanted.invite_id, wanted.id)
    except (Throttled, ClientError, BotoCoreError) as error:
        # The mail is sent. An error here would only send it again.
        logger.warning("mail_not_noted", extra={"invite": wanted.invite_id, "error": type(error).__name__})
    return mail.Outcome.SENT
