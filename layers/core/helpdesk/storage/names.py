"""The names that people and keys have now, by their ids, for whatever shows who did something.

Of a person that is their name as a member of the organization; of a former member the name that they left with, since
what they are called elsewhere is no longer the organization's business. A key that is no longer stored has the name
that was noted with its act. Where none was, the organization's name stands for it: a key acts as the organization.
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


class NamedOrganization(Stored, kw_only=True):
    """The name of an organization."""

    VIEW_OF = "Organization"
    PK, SK = "ORG#{id}#ORG", "ORG"
    id: str
    name: str


def now(organization: str, shown: Iterable[ActorName]) -> dict[str, str]:
    """Return the present names by id, for the names that have one. One batch read, or none.

    An id without a present name is missing: the name that was noted with it stands.
    """
    noted = {each.id: each for each in shown if each.id is not None}
    wanted: list[Key] = []
    for each, name in noted.items():
        wanted += _keys_of(organization, each, known=bool(name))
    if not wanted:
        return {}
    found = table.get_many(wanted, consistent=False)
    present = {}
    for each, name in noted.items():
        items = [found[key] for key in _keys_of(organization, each, known=bool(name)) if key in found]
        if items:
            present[each] = str(items[0]["name"])
    return present


def of_key(organization: str, key_id: str) -> ActorName:
    """Return a key's name with its id, where the caller's allowance doesn't hold it. One batch read."""
    return ActorName(now(organization, [ActorName("", key_id)]).get(key_id, ""), key_id)


def _keys_of(organization: str, by_id: str, *, known: bool) -> list[Key]:
    """Return the items that can hold a name, the best first."""
    if by_id.startswith("usr_"):
        return [NamedMember.key_for(organization, by_id), NamedFormerMember.key_for(organization, by_id)]
    if by_id.startswith("key_"):
        return [
            NamedKey.key_for(organization, by_id),
            *([] if known else [NamedOrganization.key_for(organization)]),
        ]
    return []
