"""Sign-in with a one-time code by mail.

Every address gets the same response, whether a customer has it or not: the first sign-in creates the customer.

A stranger can ask for anybody's codes, at any site. So a network gets a part of the codes of an address of mail, an
organization gets a part of those of all sites, and the rest is left to others. A browser in which the address signed in
before is charged to buckets of its own, which no stranger can empty.
"""

from collections.abc import Iterator

from helpdesk.accounts.organizations.record import Organization
from helpdesk.accounts.people.record import normalized_email
from helpdesk.api.admission import buckets
from helpdesk.api.admission.allowance import BucketEmpty
from helpdesk.api.admission.anonymous import address_hash
from helpdesk.api.admission.limits import Plan
from helpdesk.api.admission.record import AddressBucket, OrganizationBucket
from helpdesk.mail import ceilings
from helpdesk.mail import codes as waiting
from helpdesk.mail import service as mail
from helpdesk.mail.ceilings import CeilingReached, MailKind
from helpdesk.mail.codes import CODE_MINUTES, CodeExpired, SiteCode, WrongCode
from helpdesk.mail.errors import MailInDoubt, MailNotAllowed, MailNotSent, MailNotSetUp, MailRefused
from helpdesk.mail.names import safe_name
from helpdesk.platform.digest import sha256_hex
from helpdesk.platform.errors import RateLimited
from helpdesk.platform.logging import logger
from helpdesk.platform.record import Record
from helpdesk.site.record import Site
from helpdesk.site.sign_in.errors import MailNotWorking, SignInUnavailable
from helpdesk.site.texts import texts_in
from helpdesk.site.visitors.browsers import Browser
from helpdesk.storage.stored import Key
from helpdesk.visitor_texts.languages import Language

__all__ = ["CODE_MINUTES", "CodeExpired", "WrongCode"]  # and everything below


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

    organization: Organization
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


def begin(site: Site, browser: Browser, email: str, address: str, language: Language) -> str:
    """Mail a code to an address and return the handle of the sign-in.

    Above the limit of the address no mail is sent and no code signs in, but the response is the same. A browser in
    which the address signed in before has limits of its own, so strangers keep nobody from signing in there again.
    Raises InvalidEmail, RateLimited, SignInUnavailable, MailNotWorking.
    """
    email = normalized_email(email)
    asked = Asked(site.organization, email, address, browser)
    asked.charge_code()
    mailed = asked.may_mail()
    begun = waiting.begin(SiteCode, email, browser.hash, may_match=mailed, organization=site.organization.id)
    if mailed:
        try:
            _send(email, begun.code, site, language)
        except MailInDoubt:
            raise SignInUnavailable from None
        except MailNotSent as error:
            # Otherwise the next attempts would end at the limit, where the page says that a code was sent.
            asked.refund_mail()
            until_operator_acts = isinstance(error, (MailNotSetUp, MailNotAllowed))
            raise (MailNotWorking if until_operator_acts else SignInUnavailable) from None
    return begun.handle


def check(organization: str, browser: Browser, handle: str, code: str) -> str:
    """Return the address whose code this is. Raises WrongCode, CodeExpired. The code is not used up yet."""
    return waiting.check(SiteCode, handle, browser.hash, code, organization=organization)


def _send(email: str, code: str, site: Site, language: Language) -> None:
    t = texts_in(language)
    # Anyone can have a site on the free plan, and mail a code to any address. Its title would be their words.
    name = safe_name(site.title) if site.organization.may_mail else ""
    subject = t("sign_in_mail.subject", site=name) if name else t["sign_in_mail.subject_without_name"]
    sentences = (
        t("sign_in_mail.code", site=name) if name else t["sign_in_mail.code_without_name"],
        t("sign_in_mail.once", minutes=CODE_MINUTES),
        t["sign_in_mail.ignore"],
    )
    try:
        mail.send_site_code(email, code, subject=subject, sentences=sentences, language=language)
    except MailRefused as error:
        # The mail can never be delivered. The page must not say so: that would reveal something about the address.
        logger.warning("code_not_mailed", extra={"error": type(error).__name__})
    except MailNotSent as error:
        logger.error("code_not_mailed", extra={"error": type(error).__name__})
        raise
