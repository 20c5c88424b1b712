"""Rate limits of the mail that organizations request: one bucket per kind of mail and organization, and its ceiling.

Specification: Limits, Other buckets (invitation e-mails). Mail to customers has a bucket, too: nobody has verified a
visitor's address, and all organizations of a deployment send from one SES identity.
"""

from typing import NamedTuple

from helpdesk.api.admission import buckets
from helpdesk.api.admission.allowance import BucketEmpty
from helpdesk.api.admission.record import OrganizationBucket
from helpdesk.api.logs import service as logs
from helpdesk.mail import ceilings
from helpdesk.mail.ceilings import CeilingReached, MailKind
from helpdesk.platform.errors import RateLimited
from helpdesk.platform.logging import logger
from helpdesk.storage.table import Throttled


class MailBucket(NamedTuple):
    """A kind of mail: the bucket's name for programs (`name`) and for people (`what`), and its size."""

    kind: MailKind
    name: str
    what: str
    per_hour: int
    burst: int


INVITATIONS = MailBucket(MailKind.INVITATION, "invite_emails", "invitation e-mails", 30, 10)
# These charge the ceiling of invitations: an admin requests both, for an address of their choice.
SUPPORT_CODES = MailBucket(MailKind.INVITATION, "support_codes", "codes for support addresses", 5, 3)
OUTREACH = MailBucket(MailKind.OUTREACH, "outreach_emails", "e-mails to customers", 600, 100)
# A bucket of their own, so that a signal with thousands of reporters does not hold up what the team writes.
NOTICES = MailBucket(MailKind.OUTREACH, "notice_emails", "e-mails to reporters of signals", 600, 100)


TEAM = MailBucket(MailKind.OUTREACH, "team_emails", "e-mails to members", 600, 100)


def charge(organization: str, bucket: MailBucket) -> None:
    """Charge one mail to an organization's bucket, and to the ceiling of all. Costs two writes, up to four.

    In this order, so that an organization above its own limit uses up nothing of the others. Raises RateLimited.
    """
    _charge_own(organization, bucket)
    try:
        ceilings.charge(bucket.kind)
    except CeilingReached as reached:
        raise RateLimited(
            f"Wait a moment: all organizations of this deployment together can send {ceilings.per_hour(bucket.kind):,} "
            f"{bucket.what} per hour. Try again after the seconds in Retry-After. If this persists, ask your operator "
            "to raise the limit.",
            headers={"retry-after": str(reached.retry_after)},
        ) from None


def _charge_own(organization: str, bucket: MailBucket) -> None:
    shape = buckets.Shape.per_hour(bucket.per_hour, bucket.burst)
    try:
        buckets.charge(OrganizationBucket.key_for(organization, bucket.name), shape)
    except BucketEmpty as empty:
        logs.record_bucket_empty(organization, bucket.name, bucket.what)
        raise RateLimited(
            # The words of the specification (Other buckets): the message asks to wait a moment.
            f"Wait a moment: an organization can send {bucket.per_hour} {bucket.what} per hour, with bursts of "
            f"{bucket.burst}. Try again after the seconds in Retry-After.",
            headers={"retry-after": str(empty.retry_after)},
        ) from None
    except Throttled:
        # As in admission: a limiter that cannot be written must not stop what it limits.
        logger.warning("bucket_throttled", extra={"organization": organization, "bucket": bucket.name})
