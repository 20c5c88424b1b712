"""For whom a tool is called, as its server reads it."""

from helpdesk.customers.record import Identity
from helpdesk.platform.record import Record


class Visitor(Record):
    """For whom a tool is called. `external_id` is the organization's own ID of them. None is what is not known.

    `email` is an address that the organization vouches for or the visitor has proven. `name` proves nothing.
    """

    external_id: str | None
    name: str | None
    email: str | None


def visitor_of(identity: Identity) -> Visitor | None:
    """Return what a tool learns of a customer; None if nothing identifies them.

    The organization's own ID is the entry `externalId` of `user.metadata`. A name alone identifies nobody, nor does an
    address that a stranger can type: a tool would tell them what its owner may know (docs/decisions/0218).
    """
    email = identity.email if identity.email_verified else None
    if identity.external_id is None and email is None:
        return None
    return Visitor(identity.external_id, identity.name, email)
