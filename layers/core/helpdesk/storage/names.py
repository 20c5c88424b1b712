"""The names that people and keys have now, by their ids, for whatever shows who did something.

Of a person that is their name as a member of the organization; of a former member the name that they left with, since
what they are called elsewhere is no longer the organization's business.
"""

from collections.abc import Iterable

from helpdesk.storage import table
from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.stored import Key, Stored


class NamedKey(Stored, kw_only=True):
    """The name of a secret key."""

    VIEW_OF = "SecretKey"
    PK, SK = "ORG#{organization}#KEY", "KEY#{id}"
    organization: str
    id: str
    name: str


class NamedMember(Stored, kw_only=True):
    """The name of a member."""

    VIEW_OF = "Member"
    PK, SK = "ORG#{organization}#MEMBER", "MEMBER#{user_id}"
    organization: str
    user_id: str
    name: str


class NamedFormerMember(Stored, kw_only=True):
    """The name with which a member left."""

    VIEW_OF = "FormerMember"
    PK, SK = "ORG#{organization}#MEMBER", "FORMER#{user_id}"
    organization: str
    user_id: str
    name: str


def now(organization: str, shown: Iterable[ActorName]) -> dict[str, str]:
    """Return the present names by id, for the names that have one. One batch read, or none.

    An id without a present name is missing: the name that was noted with it stands.
    """
    wanted = {each.id: _keys_of(organization, each.id) for each in shown if each.id is not None}
    keys = [key for each in wanted.values() for key in each]
    found = table.get_many(keys, consistent=False) if keys else {}
    present = {}
    for by_id, its in wanted.items():
        items = [found[key] for key in its if key in found]
        if items:
            present[by_id] = str(items[0]["name"])
    return present


def _keys_of(organization: str, by_id: str) -> list[Key]:
    """Return the items that can hold a name, the best first."""
    if by_id.startswith("usr_"):
        return [NamedMember.key_for(organization, by_id), NamedFormerMember.key_for(organization, by_id)]
    if by_id.startswith("key_"):
        return [NamedKey.key_for(organization, by_id)]
    return []
