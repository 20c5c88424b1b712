"""Mailing the code that confirms a support address.

The code is chosen here, so that only its keyed hash is stored. The address waits for the code of the mail that was sent
last, so a mail that is sent twice does no harm.
"""

from helpdesk.accounts.organizations import repository
from helpdesk.accounts.organizations.confirming import SupportEmailMail
from helpdesk.accounts.organizations.errors import OrganizationNotFound
from helpdesk.mail import codes
from helpdesk.mail import service as mail
from helpdesk.mail.codes import SupportEmailCode
from helpdesk.mail.errors import MailNotSetUp, MailRefused


def send(wanted: SupportEmailMail) -> mail.Outcome:
    """Mail a code to the pending address, if this mail is the last one that was requested for it.

    Raises MailNotSent if a retry may succeed. A mail that SES will never accept is dropped.
    """
    try:
        found = repository.organizations.get(wanted.organization)
    except OrganizationNotFound:
        return mail.Outcome.NO_LONGER_PENDING
    pending = found.pending_support_email
    if pending is None or pending.mail_id != wanted.id:
        return mail.Outcome.NO_LONGER_PENDING
    if pending.handle:
        return mail.Outcome.SENT_BEFORE
    organization = wanted.organization
    begun = codes.begin(
        SupportEmailCode, pending.email, organization, may_match=True, organization=organization
    )
    try:
        # Anyone can have an organization on the free plan, and name any address.
        name = found.name if found.may_mail else None
        mail.send_support_code(pending.email, begun.code, codes.CODE_MINUTES, organization=name)
    except MailRefused:
        return mail.Outcome.REFUSED
    except MailNotSetUp:
        return mail.Outcome.NOT_SET_UP
    repository.note_code(wanted.organization, wanted.id, begun.handle)
    return mail.Outcome.SENT
