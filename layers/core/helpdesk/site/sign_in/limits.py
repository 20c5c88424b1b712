"""Rate limits of codes by mail: per network address, per address of mail, per organization, and in this deployment.

A stranger can ask for anybody's codes, at any site. So a network gets a part of the codes of an address of mail, an
organization gets a part of those of all sites, and the rest is left to others. A browser in which the address signed in
before is charged to buckets of its own, which no stranger can empty.
"""

from collections.abc import Iterator

from helpdesk.accounts.organizations.record import OrganizationRecord
from helpdesk.api.admission import buckets
from helpdesk.api.admission.allowance import BucketEmpty
from helpdesk.api.admission.anonymous import address_hash
from helpdesk.api.admission.limits import Plan
from helpdesk.api.admission.record import AddressBucket, OrganizationBucket
from helpdesk.mail import ceilings
from helpdesk.mail.ceilings import CeilingReached, MailKind
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.errors import RateLimited
from helpdesk.platform.record import Record
from helpdesk.site.sign_in.errors import SignInUnavailable
from helpdesk.site.visitors.browsers import Browser
from helpdesk.storage.stored import Key

CODES_PER_ADDRESS_PER_HOUR, CODES_PER_ADDRESS_BURST = 30, 20
CODES_PER_EMAIL_PER_HOUR, CODES_PER_EMAIL_BURST = 10, 12
CODES_PER_EMAIL_AND_ADDRESS_PER_HOUR, CODES_PER_EMAIL_AND_ADDRESS_BURST = 5, 3
CODES_PER_KNOWN_EMAIL_PER_HOUR, CODES_PER_KNOWN_EMAIL_BURST = 10, 5
ORGANIZATION_SHARE, CODES_PER_ORGANIZATION_BURST = 4, 10
"""An organization gets a quarter of what all sites on its kind of plan get in an hour, and ten codes at once."""
NETWORK_SHARE = 2
"""One network gets half of an organization's codes."""


class Asked(Record):
    """A code that a browser asks for: at whose site, for which address of mail, and from which network address."""

    organization: OrganizationRecord
    email: str
    address: str
    browser: Browser

    def charge_code(self) -> None:
        """Charge one code to the buckets of a network address, of the organization and of all.

        In this order, so that a refused address uses up nothing of the others. Raises RateLimited, SignInUnavailable.
        """
        try:
            if self._is_known:
                ceilings.charge(MailKind.SITE_CODE_KNOWN)
                return
            self._charge_network()
            buckets.charge_or_pass(
                OrganizationBucket.key_for(self.organization.id, "site_codes"), self._part(1)
            )
            ceilings.charge(self._kind)
        except (BucketEmpty, CeilingReached) as empty:
            raise SignInUnavailable(headers={"retry-after": str(empty.retry_after)}) from None

    def may_mail(self) -> bool:
        """Charge one mail to the address; return whether it had one left in this organization, for this network."""
        try:
            for key, shape in self._of_mail():
                buckets.charge_or_pass(key, shape)
        except BucketEmpty:
            return False
        return True

    def refund_mail(self) -> None:
        """Refund a mail to the address that was not sent."""
        for key, shape in self._of_mail():
            buckets.refund_or_pass(key, shape)

    @property
    def _is_known(self) -> bool:
        known = self.browser.known_email
        return known is not None and known.strip().lower() == self.email

    @property
    def _kind(self) -> MailKind:
        return MailKind.SITE_CODE_EXPLORE if self.organization.plan is Plan.EXPLORE else MailKind.SITE_CODE

    def _part(self, of_organization: int) -> buckets.Shape:
        """Return the shape of the organization's codes, or of a part of them: 2 for a half."""
        per_hour = ceilings.per_hour(self._kind) // ORGANIZATION_SHARE // of_organization
        return buckets.Shape.per_hour(max(1, per_hour), CODES_PER_ORGANIZATION_BURST // of_organization)

    @property
    def _network(self) -> str:
        return address_hash(self.address) or self.browser.hash

    def _charge_network(self) -> None:
        shape = buckets.Shape.per_hour(CODES_PER_ADDRESS_PER_HOUR, CODES_PER_ADDRESS_BURST)
        at_site = sha256_hex(f"{self.organization.id} {self._network}")
        try:
            buckets.charge_or_pass(AddressBucket.key_for(at_site, "site_codes"), self._part(NETWORK_SHARE))
            buckets.charge_or_pass(AddressBucket.key_for(self._network, "site_codes"), shape)
        except BucketEmpty as empty:
            raise RateLimited(headers={"retry-after": str(empty.retry_after)}) from None

    def _of_mail(self) -> Iterator[tuple[Key, buckets.Shape]]:
        whole = sha256_hex(f"{self.organization.id} {self.email}")
        per_hour = buckets.Shape.per_hour
        if self._is_known:
            shape = per_hour(CODES_PER_KNOWN_EMAIL_PER_HOUR, CODES_PER_KNOWN_EMAIL_BURST)
            yield AddressBucket.key_for(whole, "site_mail_known"), shape
            return
        shape = per_hour(CODES_PER_EMAIL_AND_ADDRESS_PER_HOUR, CODES_PER_EMAIL_AND_ADDRESS_BURST)
        yield AddressBucket.key_for(sha256_hex(f"{whole} {self._network}"), "site_mail"), shape
        yield (
            AddressBucket.key_for(whole, "site_mail"),
            per_hour(CODES_PER_EMAIL_PER_HOUR, CODES_PER_EMAIL_BURST),
        )
