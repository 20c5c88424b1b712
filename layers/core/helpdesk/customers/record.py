"""Customers and the facts about them as they are stored. Times are milliseconds since 1970."""

from helpdesk.platform.record import Record
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.stored import Stored, field

EXTERNAL_ID = "externalId"
"""The entry of a customer's metadata that holds the organization's own ID of them."""
MAX_EXTERNAL_ID_CHARACTERS = 200
"""As long as an entry of metadata may be."""


class Customer(Stored, kw_only=True, omit_defaults=True):
    """A customer (the visitor record).

    `session_hash` is the session that they write in, None if they never wrote. Name, e-mail, avatar and metadata are
    what their messages or the team said, unverified. With `email_is_unproven` the address is only the visitor's word:
    they typed it into the help site, or what signed them in did not call it verified. `outreach_id` is the latest
    conversation that the team started with them while they had no session. `identities` are the hashes of the verified
    addresses and external ids by which they sign in to the help site. With `notices_off` they have unsubscribed from
    notices by mail, which answer nothing. `merged_from` are anonymous customers whom they
    took over. `erasing` is the erasure that has marked them: they then have no personal data, and are gone for
    everyone but that erasure.
    """

    PK, SK = "ORG#{organization}#CUS#{id}", "CUS"
    GSI1 = "ORG#{organization}#CUSTOMERS", "{id}"

    organization: str
    id: str
    created_at: int
    updated_at: int
    session_hash: str | None = None
    name: str | None = None
    email: str | None = None
    email_is_unproven: bool = False
    avatar_url: str | None = None
    metadata: dict[str, str] = field(default_factory=dict)
    outreach_id: str | None = None
    identities: tuple[str, ...] = ()
    notices_off: bool = False
    merged_from: tuple[str, ...] = ()
    erasing: str | None = None

    @property
    def mail_notices(self) -> bool:
        """Whether notices may be mailed to them."""
        return not self.notices_off


class Identity(Record):
    """Who a customer was, as far as anybody had said it, at one moment; None is what nobody had said.

    A session's user can change at any time, so a call of a tool keeps the identity that it was asked for. `external_id`
    is the organization's own ID of them. `email_verified` means that the organization vouched for the address, or the
    customer proved it. `name` proves nothing.
    """

    external_id: str | None = None
    name: str | None = None
    email: str | None = None
    email_verified: bool = False


def identity_of(customer: Customer | None) -> Identity:
    """Return who a customer is now; None is a customer who was erased."""
    if customer is None:
        return Identity()
    email = customer.email or None
    return Identity(
        external_id=customer.metadata.get(EXTERNAL_ID) or None,
        name=customer.name,
        email=email,
        email_verified=email is not None and not customer.email_is_unproven,
    )


class Fact(Stored, kw_only=True):
    """What the team wrote down about a customer. IDs sort by time."""

    PK, SK = "ORG#{organization}#CUS#{customer_id}", "FACT#{id}"
    organization: str
    customer_id: str
    id: str
    text: str
    created_at: int
    created_by_name: ActorName


class CustomerIdentity(Stored, kw_only=True):
    """The customer whom a verified address or an external id belongs to; both are kept as their SHA-256."""

    PK, SK = "ORG#{organization}#IDENTITY#{identity_hash}", "IDENTITY"
    organization: str
    identity_hash: str
    customer_id: str
    created_at: int
