"""Keys of the kinds of items that are not stored records yet (`storage.stored`).

Each is a value object that builds its partition and sort key from its parts and parses them back. The other `*_keys`
modules hold more of them, which are re-exported here. Every partition of a tenant begins `ORG#<organization>#`, so an
ID of another organization is not found by construction.
"""

from helpdesk.storage.account_keys import (
    AccessToken,
    Grant,
    LegacyKey,
    Person,
    PersonByEmail,
    Slug,
    SupportEmail,
    grants_of_person,
)
from helpdesk.storage.item_key import REGISTRY, ItemKey, MalformedKey
from helpdesk.storage.secret_keys import EndpointSecret, KeySecret

# The kinds of those modules; every kind below is exported, too.
__all__ = [
    "REGISTRY", "AccessToken", "EndpointSecret", "FormerMember", "Grant", "ItemKey", "KeySecret",
    "LegacyKey", "MalformedKey", "Person", "PersonByEmail", "Slug", "SupportEmail",
    "grants_of_organization", "grants_of_person",
]  # fmt: skip


class Organization(ItemKey):
    """An organization: its name, plan and settings."""

    PK, SK = "ORG#{organization}#ORG", "ORG"
    organization: str


class Member(ItemKey):
    """A person's membership: role, name, e-mail."""

    PK, SK = "ORG#{organization}#MEMBER", "MEMBER#{user_id}"
    organization: str
    user_id: str


class FormerMember(ItemKey):
    """The name with which a member left, for what they did before."""

    PK, SK = "ORG#{organization}#MEMBER", "FORMER#{user_id}"
    organization: str
    user_id: str


def grants_of_organization(organization: str) -> str:
    """Return the partition of GSI2 that lists the grants for an organization."""
    return f"ORG#{organization}#GRANTS"
