"""Confirming a support address with a code that is mailed to it.

Until then the address claims nothing, and no mail names it. The mailer chooses the code (organizations/mailing.py).
"""

from typing import Any

from helpdesk.accounts.organizations import repository
from helpdesk.accounts.organizations.errors import InvalidCode
from helpdesk.accounts.organizations.record import PendingEmail
from helpdesk.accounts.people.record import hash_of_email
from helpdesk.accounts.sign_in_codes import service as codes
from helpdesk.accounts.sign_in_codes.record import SupportEmailCode
from helpdesk.accounts.sign_in_codes.service import CodeExpired, WrongCode
from helpdesk.api.admission import buckets
from helpdesk.api.admission.allowance import BucketEmpty
from helpdesk.api.admission.caller import Caller
from helpdesk.api.admission.record import SupportEmailBucket
from helpdesk.mail import allowance
from helpdesk.platform import ids
from helpdesk.platform.errors import RateLimited

MAILS_PER_ADDRESS_PER_HOUR, MAILS_PER_ADDRESS_BURST = 10, 12
"""From all organizations. Apart from sign-in codes, so that nobody keeps a person from signing in this way."""


def settings_for(caller: Caller, email: str | None) -> dict[str, Any]:
    """Return the settings that a wanted support address leads to: it counts, or it is pending and gets a code.

    An address that the signed-in person has proved to be theirs counts at once. Raises RateLimited.
    """
    nothing_pending = {"pendingSupportEmail": None}
    if email is None or (caller.person is not None and caller.person.email == email):
        return {"supportEmail": email, **nothing_pending}
    if email == repository.get(caller.organization).support_email:
        return nothing_pending
    allowance.charge(caller.organization, allowance.SUPPORT_CODES)
    try:
        shape = buckets.Shape.per_hour(MAILS_PER_ADDRESS_PER_HOUR, MAILS_PER_ADDRESS_BURST)
        buckets.charge_or_pass(SupportEmailBucket.key_for(hash_of_email(email)), shape)
    except BucketEmpty as empty:
        raise RateLimited(
            "Wait a moment: too many codes were sent to this address. Try again after the seconds in Retry-After.",
            headers={"retry-after": str(empty.retry_after)},
        ) from None
    return {"pendingSupportEmail": PendingEmail(email, ids.new("mail")).to_item()}


def confirmed(organization: str, code: str) -> PendingEmail:
    """Count a try at the code of the pending address, and return what is pending. Raises InvalidCode."""
    pending = repository.get(organization).pending
    if pending is None:
        raise InvalidCode
    try:
        codes.check(SupportEmailCode, pending.handle, organization, code, organization=organization)
    except WrongCode as wrong:
        raise InvalidCode(f"This code is wrong. Tries left: {wrong.tries_left}.") from None
    except CodeExpired:
        raise InvalidCode from None
    return pending
