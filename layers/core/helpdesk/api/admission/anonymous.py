"""Rate limits of the routes that need no credential: a token bucket for each network address of a caller.

Every such route declares its limit where it is declared (`limit=`). A route that returns the same document to everyone,
without a call to AWS, is declared STATIC: the gateway's throttle limits it.
"""

import ipaddress
from enum import Enum
from typing import NamedTuple

from helpdesk.api.admission import allowance, buckets
from helpdesk.api.admission.allowance import BucketEmpty
from helpdesk.api.admission.record import AddressBucket
from helpdesk.platform import clock, metrics
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.errors import RateLimited
from helpdesk.storage.table import Throttled

_IPV6_NETWORK = 64
_MESSAGE = (
    "Too many requests came from your network address. Wait for the seconds in Retry-After and try again."
)


class HourlyRate(NamedTuple):
    """A bucket's shape: the sustained rate per hour, and the burst."""

    per_hour: int
    burst: int


class AddressLimit(Enum):
    """What limits the requests of one network address to a route that needs no credential."""

    STATIC = "static"
    # What a service signed. A wrong signature costs no call to AWS: the gateway's throttle limits those.
    SIGNED = "signed"
    # The route's own rules charge buckets of their own (helpdesk.accounts.oauth.limits).
    OWN = "own"
    # Downloads of files: a thread shows several, and the people of an office share an address.
    FILES = "files"
    # Pages for people: sign-in, consent, device login, invitations. A login takes about six.
    PAGES = "pages"
    # Tokens: a program that serves many people refreshes theirs from one address.
    TOKENS = "tokens"
    # Forms on help sites: ratings of articles, posts, messages to the team.
    SITE_FORMS = "site-forms"
    # Searches on help sites, each of which takes as long as ten pages.
    SITE_SEARCHES = "site-searches"
    # Titles that are shown while someone types a search: about five requests for each search.
    SITE_TITLES = "site-titles"


RATES: dict[AddressLimit, HourlyRate] = {
    AddressLimit.FILES: HourlyRate(18_000, 600),
    AddressLimit.PAGES: HourlyRate(3_600, 200),
    AddressLimit.TOKENS: HourlyRate(12_000, 600),
    AddressLimit.SITE_FORMS: HourlyRate(600, 60),
    AddressLimit.SITE_SEARCHES: HourlyRate(1_200, 60),
    AddressLimit.SITE_TITLES: HourlyRate(6_000, 300),
}
"""The limits that `charge` applies, for each network address."""


def charge(limit: AddressLimit, address: str) -> None:
    """Charge one request of a network address. At most two writes, none while its bucket is known to be empty.

    While DynamoDB throttles the bucket, this environment admits its share of the rate. Raises RateLimited.
    """
    rate = RATES.get(limit)
    if rate is None:
        return
    # Without an address from the gateway, all such callers share a bucket.
    key = AddressBucket.key_for(address_hash(address) or sha256_hex(""), limit.value)
    shape = buckets.Shape.per_hour(*rate)
    try:
        buckets.charge(key, shape)
    except BucketEmpty as empty:
        raise _refused(empty) from None
    except Throttled:
        metrics.count("AllowanceThrottled")
        now = clock.now_us()
        share = allowance.memory().charge(key, shape.interval_us, shape.burst, now)
        if not share.charged:
            raise _refused(BucketEmpty(share.bucket, now)) from None


def _refused(empty: BucketEmpty) -> RateLimited:
    return RateLimited(_MESSAGE, headers={"retry-after": str(empty.retry_after)})


def address_hash(address: str) -> str | None:
    """Return the SHA-256 of a network address, or of the /64 of an IPv6 address (one subscriber); None without one."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return None
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            parsed = parsed.ipv4_mapped
        else:
            return sha256_hex(str(ipaddress.ip_network((parsed, _IPV6_NETWORK), strict=False)))
    return sha256_hex(str(parsed))
