"""How many mails an organization may have sent: a bucket for each kind, beside the three classes.

Specification: Limits, Other buckets (invitation e-mails). What the team writes to customers has a bucket, too: an
address is what a visitor said it is, and all organizations of a deployment send from one identity of SES.
"""

from typing import NamedTuple

from helpdesk.admission import buckets
from helpdesk.admission.allowance import BucketEmpty
from helpdesk.logs import service as logs
from helpdesk.platform.errors import RateLimited
from helpdesk.platform.logging import logger
from helpdesk.storage import keys
from helpdesk.storage.table import Throttled


class MailBucket(NamedTuple):
    """One kind of mail: the bucket's name to programs and to people, and its size."""

    name: str
    what: str
    per_hour: int
    burst: int


INVITATIONS = MailBucket("invite_emails", "invitation e-mails", 30, 10)
OUTREACH = MailBucket("outreach_emails", "e-mails to customers", 600, 100)


def take(organization: str, bucket: MailBucket) -> None:
    """Take one mail from an organization's bucket. One write, or two. Raises RateLimited."""
    shape = buckets.Shape.per_hour(bucket.per_hour, bucket.burst)
    try:
        buckets.take(keys.OrganizationBucket(organization, bucket.name), shape)
    except BucketEmpty as empty:
        logs.record_bucket_empty(organization, bucket.name, bucket.what)
        raise RateLimited(
            f"Wait a moment: an organization may send {bucket.per_hour} {bucket.what} an hour, {bucket.burst} of "
            "them at once. Try again after the seconds in Retry-After.",
            headers={"retry-after": str(empty.retry_after)},
        ) from None
    except Throttled:
        # As with the allowance: a limiter that cannot be written must not stop what it limits.
        logger.warning("bucket_throttled", extra={"organization": organization, "bucket": bucket.name})
