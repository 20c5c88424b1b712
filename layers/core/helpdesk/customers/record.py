"""Customers and the facts about them as they are stored. Times are milliseconds since 1970."""

from copy import replace
from typing import Self

from helpdesk.platform.record import Record, field
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.marks import BEING_ERASED
from helpdesk.storage.stored import Stored
from helpdesk.storage.table import Item

EMAIL_IS_UNPROVEN = "emailIsUnproven"
"""The attribute of a customer's item beside an address that only the visitor vouches for."""
EXTERNAL_ID = "externalId"
"""The entry of a customer's metadata that holds the organization's own ID of them."""
MAX_EXTERNAL_ID_CHARACTERS = 200
"""As long as an entry of metadata may be."""


class Customer(Record):
    """A customer.

    `session_hash` is the session that they write in, None if they never wrote. Name, e-mail, avatar and metadata are
    what their messages or the team said, unverified. With `email_is_unproven` the address is only the visitor's word:
    they typed it into the help site, or what signed them in did not call it verified. `outreach_id` is the latest
    conversation that the team started with them while they had no session. `identities` are the hashes of the verified
    addresses and external ids by which they sign in to the help site.
    """

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

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a customer's item."""
        return cls(
            id=item["id"],
            created_at=item["createdAt"],
            updated_at=item["updatedAt"],
            session_hash=item.get("sessionHash"),
            name=item.get("name"),
            email=item.get("email"),
            email_is_unproven=bool(item.get(EMAIL_IS_UNPROVEN)),
            avatar_url=item.get("avatarUrl"),
            metadata=item.get("metadata") or {},
            outreach_id=item.get("outreachId"),
            identities=tuple(item.get("identities") or ()),
        )

    def changed_by(self, said: Item) -> "Customer":
        """Return the customer with attributes of the item that were changed."""
        names = {
            "name": "name",
            "email": "email",
            EMAIL_IS_UNPROVEN: "email_is_unproven",
            "avatarUrl": "avatar_url",
            "metadata": "metadata",
        }
        return replace(self, **{names[name]: value for name, value in said.items()})


class Fact(Stored, kw_only=True):
    """What the team wrote down about a customer. IDs sort by time.

    `created_by_name` is None where a key did so before that was kept.
    """

    PK, SK = "ORG#{organization}#CUS#{customer_id}", "FACT#{id}"
    organization: str
    customer_id: str
    id: str
    text: str
    created_at: int
    created_by_name: ActorName | None = None


class CustomerIdentity(Stored, kw_only=True):
    """The customer whom a verified address or an external id belongs to; both are kept as their SHA-256."""

    PK, SK = "ORG#{organization}#IDENTITY#{identity_hash}", "IDENTITY"
    organization: str
    identity_hash: str
    customer_id: str
    created_at: int | None = None


class ErasableCustomer(Record):
    """A customer as an erasure sees them; `erasure_id` is the erasure that marked them, or None.

    `outreach_id` is the conversation that the team started with a customer without a session. `merged_from` are
    anonymous customers whom they took over. `updated_at` is in ms.
    """

    id: str
    session_hash: str | None
    outreach_id: str | None
    updated_at: int
    erasure_id: str | None
    attributes: frozenset[str]
    identities: tuple[str, ...] = ()
    merged_from: tuple[str, ...] = ()

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read a customer's item."""
        return cls(
            id=item["id"],
            session_hash=item.get("sessionHash"),
            outreach_id=item.get("outreachId"),
            updated_at=int(item["updatedAt"]),
            erasure_id=item.get(BEING_ERASED),
            attributes=frozenset(item),
            identities=tuple(item.get("identities") or ()),
            merged_from=tuple(item.get("mergedFrom") or ()),
        )
