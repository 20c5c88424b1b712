"""An access token that the operator makes for a member: on the local stack, and where nobody can sign in."""

from helpdesk.admission.service import sha256
from helpdesk.members.errors import MemberNotFound
from helpdesk.people import repository
from helpdesk.people import service as people
from helpdesk.people.record import normalized_email
from helpdesk.platform import ids
from helpdesk.platform.units import HOUR_SECONDS
from helpdesk.storage.transactions import Transaction

OPERATOR = "operator"
"""The client that such a token names."""
MAX_HOURS = 720


def issue(organization: str, email: str, *, hours: int) -> str:
    """Return a new access token of a member, bound to the organization, without a grant and so without renewal.

    Raises InvalidEmail, MemberNotFound. The token is told here and never again: the table holds its hash.
    """
    if not 1 <= hours <= MAX_HOURS:
        raise ValueError(f"a token lasts 1 to {MAX_HOURS} hours")
    person = people.by_email(normalized_email(email))
    if person is None:
        raise MemberNotFound
    token = f"svc_oat_{person.id.removeprefix('usr_')}_{ids.secret()}"
    transaction = Transaction()
    repository.require_member(transaction, person.id, organization, MemberNotFound())
    repository.put_token(transaction, sha256(token), person.id, organization, OPERATOR, hours * HOUR_SECONDS)
    transaction.commit()
    return token
