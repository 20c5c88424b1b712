"""The rate limit of manifest syncs (Specification: Limits, Other buckets)."""

from helpdesk.api.admission import buckets
from helpdesk.api.admission.allowance import BucketEmpty
from helpdesk.api.admission.record import OrganizationBucket
from helpdesk.api.logs import service as logs
from helpdesk.platform.errors import RateLimited
from helpdesk.platform.logging import logger
from helpdesk.storage.table import Throttled

SYNCS_PER_HOUR = 60
SYNC_BURST = 10

_NAME, _WHAT = "manifest_syncs", "manifest syncs"
_SHAPE = buckets.Shape.per_hour(SYNCS_PER_HOUR, SYNC_BURST)


def charge_syncs(organization: str, count: int) -> None:
    """Charge syncs to an organization's bucket: all of them, or none. One write, two at most. Raises RateLimited."""
    try:
        buckets.charge(OrganizationBucket.key_for(organization, _NAME), _SHAPE, count)
    except BucketEmpty as empty:
        logs.record_bucket_empty(organization, _NAME, _WHAT)
        # The bucket knows when it holds one token, and the others follow one by one.
        seconds = empty.bucket.retry_after(empty.now_us - (count - 1) * _SHAPE.interval_us)
        raise RateLimited(
            # The words of the specification (Other buckets): the message asks to wait a moment.
            f"Wait a moment: an organization can sync {SYNCS_PER_HOUR} manifests per hour, with bursts of "
            f"{SYNC_BURST}. Try again after the seconds in Retry-After.",
            headers={"retry-after": str(seconds)},
        ) from None
    except Throttled:
        # As in admission: a limiter that cannot be written must not stop what it limits.
        logger.warning("bucket_throttled", extra={"organization": organization, "bucket": _NAME})
