"""Ceilings of mail: how many mails of each kind this whole deployment requests, whatever each organization may send.

All organizations send from one SES account, whose quota and reputation they share. Each kind has a bucket of its own,
so the mail of one kind cannot use up what another may send. A parameter of template.yaml sets each ceiling
(docs/decisions/0111).
"""

from enum import StrEnum

from helpdesk.admission import buckets
from helpdesk.admission.allowance import BucketEmpty
from helpdesk.platform import metrics
from helpdesk.platform.logging import logger
from helpdesk.platform.settings import settings
from helpdesk.storage import keys
from helpdesk.storage.table import Throttled

BURST_MINUTES = 10
"""At most this many minutes' mails are requested at once."""

_HOUR_MINUTES = 60
# Visitors' codes come on top of the team's, and a day at every ceiling stays within a new SES account's 50,000 mails.
_SITE_SHARE = 3


class MailKind(StrEnum):
    """The kinds of mail, each with a ceiling."""

    SIGN_IN_CODE = "sign_in_code"
    # Strangers request these, so they have a bucket beside that of the people who work with the service.
    SITE_CODE = "site_code"
    INVITATION = "invitation"
    OUTREACH = "outreach"


class CeilingReached(Exception):
    """The deployment has requested as many mails of this kind as it may; `retry_after` is in whole seconds."""

    def __init__(self, kind: MailKind, retry_after: int) -> None:
        super().__init__(kind.value)
        self.retry_after = retry_after


def per_hour(kind: MailKind) -> int:
    """Return the ceiling of a kind of mail, in mails per hour."""
    match kind:
        case MailKind.SIGN_IN_CODE:
            return settings().codes_per_hour
        case MailKind.SITE_CODE:
            return max(1, settings().codes_per_hour // _SITE_SHARE)
        case MailKind.INVITATION:
            return settings().invitations_per_hour
        case MailKind.OUTREACH:
            return settings().outreach_per_hour


def take(kind: MailKind) -> None:
    """Take one mail from the ceiling of its kind. Costs one write, or two. Raises CeilingReached.

    While the ceiling's item is throttled, mail is refused: so many requests are themselves far above any ceiling.
    """
    mails = per_hour(kind)
    shape = buckets.Shape.per_hour(mails, max(1, mails * BURST_MINUTES // _HOUR_MINUTES))
    try:
        buckets.take(keys.MailCeiling(kind.value), shape)
    except BucketEmpty as empty:
        retry_after, throttled = empty.retry_after, False
    except Throttled:
        retry_after, throttled = 1, True
    else:
        return
    metrics.count("MailCeilingReached")
    logger.error("mail_ceiling_reached", extra={"mail": kind.value, "throttled": throttled})
    raise CeilingReached(kind, retry_after)
