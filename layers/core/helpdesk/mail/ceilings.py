"""Ceilings of mail: how many mails of each kind this whole deployment requests, whatever each organization may send.

All organizations send from one SES account, whose quota and reputation they share. Each kind has a bucket of its own,
so the mail of one kind cannot use up what another may send. A parameter of template.yaml sets each ceiling
(docs/decisions/0111).
"""

from enum import StrEnum

from helpdesk.api.admission import buckets
from helpdesk.api.admission.allowance import BucketEmpty
from helpdesk.api.admission.record import MailCeiling
from helpdesk.platform import metrics
from helpdesk.platform.logging import logger
from helpdesk.platform.settings import settings
from helpdesk.storage.table import Throttled

BURST_MINUTES, SITE_BURST_MINUTES = 10, 30
"""At most this many minutes' mails are requested at once. A help site's part is small, so its burst is longer."""

_HOUR_MINUTES = 60
# Visitors' codes come on top of the team's, and a day at every ceiling stays within a new SES account's 50,000 mails.
_SITE_SHARE = 3
# A quarter of each is for browsers that signed in before, and a quarter of the sites' for organizations on Explore.
_QUARTER = 4


class MailKind(StrEnum):
    """The kinds of mail, each with a ceiling."""

    SIGN_IN_CODE = "sign_in_code"
    # Strangers request these, so they have a bucket beside that of the people who work with the service. Anyone can
    # have many organizations on the free plan, so those have one of their own.
    SITE_CODE = "site_code"
    SITE_CODE_EXPLORE = "site_code_explore"
    # Codes to an address that signed in before in the same browser, which nobody else can ask for.
    SIGN_IN_CODE_KNOWN = "sign_in_code_known"
    SITE_CODE_KNOWN = "site_code_known"
    INVITATION = "invitation"
    OUTREACH = "outreach"


class CeilingReached(Exception):
    """The deployment has requested as many mails of this kind as it may; `retry_after` is in whole seconds."""

    def __init__(self, kind: MailKind, retry_after: int) -> None:
        super().__init__(kind.value)
        self.retry_after = retry_after


def per_hour(kind: MailKind) -> int:
    """Return the ceiling of a kind of mail, in mails per hour."""
    codes = settings().codes_per_hour
    of_sites = codes // _SITE_SHARE
    match kind:
        case MailKind.SIGN_IN_CODE:
            return max(1, codes - codes // _QUARTER)
        case MailKind.SIGN_IN_CODE_KNOWN:
            return max(1, codes // _QUARTER)
        case MailKind.SITE_CODE:
            return max(1, of_sites - 2 * (of_sites // _QUARTER))
        case MailKind.SITE_CODE_EXPLORE | MailKind.SITE_CODE_KNOWN:
            return max(1, of_sites // _QUARTER)
        case MailKind.INVITATION:
            return settings().invitations_per_hour
        case MailKind.OUTREACH:
            return settings().outreach_per_hour


def charge(kind: MailKind) -> None:
    """Charge one mail to the ceiling of its kind. Costs one write, or two. Raises CeilingReached.

    While the ceiling's item is throttled, mail is refused: so many requests are themselves far above any ceiling.
    """
    try:
        buckets.charge(MailCeiling.key_for(kind.value), _shape(kind))
    except BucketEmpty as empty:
        retry_after, throttled = empty.retry_after, False
    except Throttled:
        retry_after, throttled = 1, True
    else:
        return
    metrics.count("MailCeilingReached")
    logger.error("mail_ceiling_reached", extra={"mail": kind.value, "throttled": throttled})
    raise CeilingReached(kind, retry_after)


def _shape(kind: MailKind) -> buckets.Shape:
    of_sites = kind in {MailKind.SITE_CODE, MailKind.SITE_CODE_EXPLORE, MailKind.SITE_CODE_KNOWN}
    mails, minutes = per_hour(kind), SITE_BURST_MINUTES if of_sites else BURST_MINUTES
    return buckets.Shape.per_hour(mails, max(1, mails * minutes // _HOUR_MINUTES))
