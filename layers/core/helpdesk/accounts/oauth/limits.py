"""Rate limits per network address, browser and e-mail address (Specification: Limits, Other buckets)."""

from typing import NamedTuple

from helpdesk.accounts.oauth.errors import TooManyAttempts, TooManyRequests
from helpdesk.api.admission import buckets
from helpdesk.api.admission.allowance import BucketEmpty
from helpdesk.api.admission.anonymous import address_hash
from helpdesk.api.admission.record import AddressBucket, EmailBucket, SharedBucket
from helpdesk.platform.digest import sha256_hex
from helpdesk.storage.stored import Key

REGISTRATIONS_PER_HOUR, REGISTRATIONS_BURST = 300, 50
DEVICE_LOGINS_PER_HOUR, DEVICE_LOGINS_BURST = 300, 50
ALL_PER_HOUR = 6_000
# The specification names no burst for the total: one minute of requests.
ALL_BURST = 100
CODES_PER_EMAIL_PER_HOUR, CODES_PER_EMAIL_BURST = 10, 12
CODES_PER_EMAIL_AND_ADDRESS_PER_HOUR, CODES_PER_EMAIL_AND_ADDRESS_BURST = 5, 3
"""From one network, so that a stranger who asks for somebody's codes leaves some to them."""
CODES_PER_KNOWN_EMAIL_PER_HOUR, CODES_PER_KNOWN_EMAIL_BURST = 10, 5
"""In browsers in which the address signed in before. Nobody else charges them."""
CODES_PER_ADDRESS_PER_HOUR, CODES_PER_ADDRESS_BURST = 60, 20
USER_CODES_PER_HOUR, USER_CODES_BURST = 60, 10


def charge_registration(address: str) -> None:
    """Charge one registration. Raises TooManyRequests."""
    _charge_both("register", address, REGISTRATIONS_PER_HOUR, REGISTRATIONS_BURST)


def charge_device_login(address: str) -> None:
    """Charge one device login. Raises TooManyRequests."""
    _charge_both("device", address, DEVICE_LOGINS_PER_HOUR, DEVICE_LOGINS_BURST)


def charge_code_for_address(address: str, browser_hash: str) -> None:
    """Charge one request for a code by mail from a network address. Raises TooManyAttempts."""
    shape = buckets.Shape.per_hour(CODES_PER_ADDRESS_PER_HOUR, CODES_PER_ADDRESS_BURST)
    _charge_or_wait(address_hash(address) or browser_hash, "codes", shape)


def charge_user_code(address: str, browser_hash: str) -> None:
    """Charge one attempt at a user code. Raises TooManyAttempts."""
    shape = buckets.Shape.per_hour(USER_CODES_PER_HOUR, USER_CODES_BURST)
    _charge_or_wait(address_hash(address) or browser_hash, "user_codes", shape)


class MailBuckets(NamedTuple):
    """The buckets of the mails to an address: of the network that asks and of all, or of browsers that it signed in."""

    lots: tuple[tuple[Key, buckets.Shape], ...]

    def may_mail(self) -> bool:
        """Charge one mail; return whether one was left."""
        try:
            for key, shape in self.lots:
                buckets.charge_or_pass(key, shape)
        except BucketEmpty:
            return False
        return True

    def refund(self) -> None:
        """Refund a mail that was not sent."""
        for key, shape in self.lots:
            buckets.refund_or_pass(key, shape)


def mails_to(email_hash: str, address: str, browser_hash: str, *, known: bool) -> MailBuckets:
    """Return the buckets of an address. With `known`, the address signed in before in the browser that asks."""
    if known:
        shape = buckets.Shape.per_hour(CODES_PER_KNOWN_EMAIL_PER_HOUR, CODES_PER_KNOWN_EMAIL_BURST)
        return MailBuckets(((EmailBucket.key_for(email_hash, "codes_known"), shape),))
    of_network = sha256_hex(f"{email_hash} {address_hash(address) or browser_hash}")
    of_both = buckets.Shape.per_hour(CODES_PER_EMAIL_AND_ADDRESS_PER_HOUR, CODES_PER_EMAIL_AND_ADDRESS_BURST)
    of_all = buckets.Shape.per_hour(CODES_PER_EMAIL_PER_HOUR, CODES_PER_EMAIL_BURST)
    return MailBuckets(
        (
            (EmailBucket.key_for(of_network, "codes"), of_both),
            (EmailBucket.key_for(email_hash, "codes"), of_all),
        )
    )


def _charge_both(name: str, address: str, per_hour: int, burst: int) -> None:
    """Charge the bucket of an address, then the shared bucket.

    In this order, so that a refused address uses up nothing of the others. Without an address from the gateway only the
    shared bucket counts.
    """
    try:
        hashed = address_hash(address)
        if hashed:
            buckets.charge_or_pass(
                AddressBucket.key_for(hashed, name), buckets.Shape.per_hour(per_hour, burst)
            )
        buckets.charge_or_pass(
            SharedBucket.key_for("anonymous"), buckets.Shape.per_hour(ALL_PER_HOUR, ALL_BURST)
        )
    except BucketEmpty as empty:
        raise TooManyRequests(headers={"retry-after": str(empty.retry_after)}) from None


def _charge_or_wait(subject_hash: str, name: str, shape: buckets.Shape) -> None:
    try:
        buckets.charge_or_pass(AddressBucket.key_for(subject_hash, name), shape)
    except BucketEmpty as empty:
        raise TooManyAttempts(headers={"retry-after": str(empty.retry_after)}) from None
