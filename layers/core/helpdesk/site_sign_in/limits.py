"""Rate limits of codes by mail: per network address, per address of mail, per organization, and in this deployment.

One network gets half of the codes of an address of mail, so that a stranger who asks for them leaves some to its owner.
"""

from helpdesk.admission import buckets
from helpdesk.admission.allowance import BucketEmpty
from helpdesk.admission.anonymous import address_hash
from helpdesk.mail import ceilings
from helpdesk.mail.ceilings import CeilingReached, MailKind
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.errors import RateLimited
from helpdesk.site_sign_in.errors import SignInUnavailable
from helpdesk.storage import keys

CODES_PER_ADDRESS_PER_HOUR, CODES_PER_ADDRESS_BURST = 60, 20
CODES_PER_EMAIL_PER_HOUR, CODES_PER_EMAIL_BURST = 10, 6
CODES_PER_EMAIL_AND_ADDRESS_PER_HOUR, CODES_PER_EMAIL_AND_ADDRESS_BURST = 5, 3
CODES_PER_ORGANIZATION_PER_HOUR, CODES_PER_ORGANIZATION_BURST = 300, 50


def take_code(organization: str, address: str, browser_hash: str) -> None:
    """Take one code from the buckets of a network address, of the organization and of all.

    In this order, so that a refused address takes nothing from the others. Raises RateLimited, SignInUnavailable.
    """
    of_address = keys.AddressBucket(address_hash(address) or browser_hash, "site_codes")
    try:
        buckets.take_or_pass(
            of_address, buckets.Shape.per_hour(CODES_PER_ADDRESS_PER_HOUR, CODES_PER_ADDRESS_BURST)
        )
    except BucketEmpty as empty:
        raise RateLimited(headers={"retry-after": str(empty.retry_after)}) from None
    shape = buckets.Shape.per_hour(CODES_PER_ORGANIZATION_PER_HOUR, CODES_PER_ORGANIZATION_BURST)
    try:
        buckets.take_or_pass(keys.OrganizationBucket(organization, "site_codes"), shape)
        ceilings.take(MailKind.SITE_CODE)
    except (BucketEmpty, CeilingReached) as empty:
        raise SignInUnavailable(headers={"retry-after": str(empty.retry_after)}) from None


def may_mail(organization: str, email: str, address: str, browser_hash: str) -> bool:
    """Take one mail to an address; return whether it had one left in this organization and for this network."""
    try:
        for key, shape in _of_mail(organization, email, address, browser_hash):
            buckets.take_or_pass(key, shape)
    except BucketEmpty:
        return False
    return True


def give_back_mail(organization: str, email: str, address: str, browser_hash: str) -> None:
    """Give back a mail to an address that was not sent."""
    for key, shape in _of_mail(organization, email, address, browser_hash):
        buckets.give_back_or_pass(key, shape)


def _of_mail(
    organization: str, email: str, address: str, browser_hash: str
) -> list[tuple[keys.AddressBucket, buckets.Shape]]:
    whole = sha256_hex(f"{organization} {email}")
    of_network = sha256_hex(f"{whole} {address_hash(address) or browser_hash}")
    return [
        (
            keys.AddressBucket(of_network, "site_mail"),
            buckets.Shape.per_hour(CODES_PER_EMAIL_AND_ADDRESS_PER_HOUR, CODES_PER_EMAIL_AND_ADDRESS_BURST),
        ),
        (
            keys.AddressBucket(whole, "site_mail"),
            buckets.Shape.per_hour(CODES_PER_EMAIL_PER_HOUR, CODES_PER_EMAIL_BURST),
        ),
    ]
