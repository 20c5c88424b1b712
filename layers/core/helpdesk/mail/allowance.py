"""Rate limits of mail: one bucket per kind of mail and organization.

Specification: Limits, Other buckets (invitation e-mails). Mail to customers has a bucket, too: nobody has verified a
visitor's address, and all organizations of a deployment send from one SES identity.
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
    """A kind of mail: the bucket's name for programs (`name`) and for people (`what`), and its size."""

    name: str
    what: str
    per_hour: int
    burst: int


INVITATIONS = MailBucket("invite_emails", "invitation e-mails", 30, 10)
OUTREACH = MailBucket("outreach_emails", "e-mails to customers", 600, 100)


def take(organization: str, bucket: MailBucket) -> None:
    """Take one mail from an organization's bucket. Costs one write, or two. Raises RateLimited."""
    shape = buckets.Shape.per_hour(bucket.per_hour, bucket.burst)
    try:
        buckets.take(keys.OrganizationBucket(organization, bucket.name), shape)
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
