"""Asking by mail for a rating of a resolution, at most once: nothing is tried again after SES may have it."""

from helpdesk.mail import service as mail
from helpdesk.mail.errors import MailInDoubt, MailNotSent, MailNotSetUp, MailRefused
from helpdesk.outreach import frame, repository, resolved
from helpdesk.outreach.jobs import RatingMail
from helpdesk.outreach.mailing import Outcome
from helpdesk.storage.table import ConditionFailed


def send(wanted: RatingMail) -> Outcome:
    """Send the mail, unless it was begun before. Raises MailNotSent if the queue is to try again."""
    found = frame.find(wanted.organization, wanted.customer_id, wanted.conversation_id, has_link=True)
    if (
        found is None
        or not resolved.is_to_rate(found.conversation, wanted.resolution)
        or found.reply_to is None
    ):
        return Outcome.NO_LONGER_WANTED
    try:
        repository.begin_rating(found.conversation, wanted.resolution)
    except ConditionFailed:
        return Outcome.BEGUN_BEFORE
    try:
        mail.send_resolved(
            found.to.email,
            found.link("rate"),
            found.thread(None, is_automatic=True),
            organization=found.sender.name,
            reply_to=found.reply_to,
            sentences=found.sentences(None),
            customer=found.to.name,
        )
    except MailRefused:
        return Outcome.REFUSED
    except MailNotSetUp:
        return Outcome.NOT_SET_UP
    except MailInDoubt:
        return Outcome.IN_DOUBT
    except MailNotSent:
        repository.forget_rating(found.conversation, wanted.resolution)
        raise
    return Outcome.SENT
