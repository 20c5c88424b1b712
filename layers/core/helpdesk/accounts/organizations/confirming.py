"""Confirming a support address with a code that is mailed to it.

Until then the address claims nothing, and no mail names it. The mailer chooses the code (organizations/mailing.py).
"""

from typing import Any

from helpdesk.accounts.organizations.errors import InvalidCode
from helpdesk.accounts.organizations.record import PendingEmail
from helpdesk.accounts.organizations.repository import organizations
from helpdesk.accounts.people.record import hash_of_email
from helpdesk.api.admission import buckets
from helpdesk.api.admission.allowance import BucketEmpty
from helpdesk.api.admission.caller import Caller
from helpdesk.api.admission.record import SupportEmailBucket
from helpdesk.events.outbox import Job, JobBody, JobQueue, QueuedJob, job_item
from helpdesk.mail import allowance, codes
from helpdesk.mail.codes import CodeExpired, SupportEmailCode, WrongCode
from helpdesk.platform import ids
from helpdesk.platform.errors import RateLimited
from helpdesk.platform.record import field


class SupportEmailMail(JobBody, tag_field="kind", tag="support_email"):
    """One mail with a code, to the address that is pending under this mail's id."""

    organization: str
    id: str = field(name="mailId")

    def to_item(self) -> QueuedJob:
        """Return the outbox item that requests the mail."""
        return job_item(self.organization, Job(JobQueue.MAIL, self.to_body()))


MAILS_PER_ADDRESS_PER_HOUR, MAILS_PER_ADDRESS_BURST = 10, 12
"""From all organizations. Apart from sign-in codes, so that nobody keeps a person from signing in this way."""


def settings_for(caller: Caller, email: str | None) -> dict[str, Any]:
    """Return the fields to set for a wanted support address: it counts, or it is pending and gets a code.

    An address that the signed-in person has proved to be theirs counts at once. Raises RateLimited.
    """
    nothing_pending = {"pending_support_email": None}
    if email is None or (caller.person is not None and caller.person.email == email):
        return {"support_email": email, **nothing_pending}
    if email == organizations.get(caller.organization).support_email:
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
    return {"pending_support_email": PendingEmail(email, ids.new("mail"))}


def confirmed(organization: str, code: str) -> PendingEmail:
    """Count a try at the code of the pending address, and return what is pending. Raises InvalidCode."""
    pending = organizations.get(organization).pending_support_email
    if pending is None:
        raise InvalidCode
    try:
        codes.check(SupportEmailCode, pending.handle, organization, code, organization=organization)
    except WrongCode as wrong:
        raise InvalidCode(f"This code is wrong. Tries left: {wrong.tries_left}.") from None
    except CodeExpired:
        raise InvalidCode from None
    return pending
