"""The authors and voters of the feedback board: visitors by their session, customers, and the team."""

from collections.abc import Callable

from helpdesk.accounts.organizations.service import Actor
from helpdesk.api.admission.caller import Caller
from helpdesk.board.schemas import VoterInput, VoterQuery
from helpdesk.conversations.messages import sessions, visitors
from helpdesk.conversations.messages.visitors import SessionChanged
from helpdesk.customers import service as customers
from helpdesk.customers.errors import CustomerNotFound
from helpdesk.customers.record import Customer
from helpdesk.platform import ids
from helpdesk.platform.errors import InvalidRequest
from helpdesk.platform.record import Record
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.stored import MalformedKey
from helpdesk.storage.transactions import Transaction

ORGANIZATION = "organization"
"""The voter behind a secret key."""


class Participant(Record):
    """An author or voter. `customer_id` is None for the team; `name` is then who.

    A visitor whose session is not known yet has `new_session`, its hash, and becomes a customer. `is_verified` is false
    for every visitor who is known by a session alone.
    """

    organization: str
    voter_id: str
    customer_id: str | None = None
    name: str | None = None
    new_session: str | None = None
    is_verified: bool = True

    def add_to(self, transaction: Transaction) -> None:
        """Require in a transaction that the customer exists, or make them one.

        The transaction raises CustomerNotFound, or SessionChanged if another request made one of the same session.
        """
        if self.customer_id is None:
            return
        if self.new_session is None:
            customers.require(transaction, self.organization, self.customer_id)
        else:
            visitors.introduce(transaction, self.organization, self.new_session, self.customer_id)


def find(caller: Caller, sent: VoterInput | VoterQuery, *, named: bool = True) -> Participant:
    """Return the participant of a request: of its session, its customer, or the caller.

    Their `name` can cost a read; a vote needs none. Raises InvalidSession, InvalidRequest, and CustomerNotFound for an
    id that no customer can have.
    """
    if sent.session is not None and sent.customer_id is not None:
        raise InvalidRequest("Send either `session` or `customerId`, not both. Each identifies the customer.")
    if sent.session is not None:
        return _visitor(caller.organization, sent.session)
    if sent.customer_id is not None:
        try:
            Customer.key_for(caller.organization, sent.customer_id)
        except MalformedKey:
            raise CustomerNotFound from None
        return Participant(caller.organization, sent.customer_id, sent.customer_id)
    voter_id = caller.person.id if caller.person else ORGANIZATION
    return Participant(caller.organization, voter_id, name=Actor(caller).name if named else None)


def retried[T](
    find_again: Callable[[], Participant], act: Callable[[Participant], T], *, by_session: bool
) -> T:
    """Do something for a participant, and again if their session has another customer now than when it was read.

    Two first requests of one session at once thus make one customer, and a customer who is erased meanwhile is
    followed by another. Raises CustomerNotFound where no session is named.
    """
    stale = (SessionChanged, CustomerNotFound) if by_session else (SessionChanged,)
    return repeat_when_stale(lambda: act(find_again()), *stale)


def known_voter(organization: str, session: str) -> str | None:
    """Return the customer of a session, None for one that is not known. Raises InvalidSession."""
    found = _visitor(organization, session)
    return None if found.new_session is not None else found.customer_id


def _visitor(organization: str, session: str) -> Participant:
    session_hash = sessions.hashed(sessions.require_session(session))
    known = visitors.sessions.find(organization, session_hash)
    if known is not None:
        return Participant(organization, known.customer_id, known.customer_id, is_verified=False)
    customer_id = ids.new("cus")
    return Participant(organization, customer_id, customer_id, new_session=session_hash, is_verified=False)
