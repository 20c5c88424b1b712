"""A member as stored in the organization's partition, and what is left of a former one."""

from helpdesk.api.admission.caller import Role
from helpdesk.storage.stored import Stored


class Member(Stored, kw_only=True):
    """A person's membership; `joined_at` is in ms."""

    PK, SK = "ORG#{organization}#MEMBER", "MEMBER#{user_id}"

    organization: str
    user_id: str
    name: str
    email: str
    role: Role
    joined_at: int


class FormerMember(Stored, kw_only=True):
    """The name with which a member left, for what they did before."""

    PK, SK = "ORG#{organization}#MEMBER", "FORMER#{user_id}"

    organization: str
    user_id: str
    name: str
