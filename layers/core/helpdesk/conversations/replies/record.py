"""Saved replies as they are stored."""

from helpdesk.storage.actor_name import ActorName
from helpdesk.storage.stored import Stored


class SavedReply(Stored, kw_only=True):
    """A text that teammates insert into a reply. IDs sort by time; times are in ms. `version` counts its writes."""

    PK, SK = "ORG#{organization}#REPLIES", "REPLY#{id}"
    organization: str
    id: str
    title: str
    body: str
    created_by_name: ActorName
    created_at: int
    updated_at: int
    version: int = 1


class SavedReplyCount(Stored, kw_only=True):
    """The number of saved replies, so that the limit is a condition and not a count."""

    PK, SK = "ORG#{organization}#REPLIES", "COUNT"
    organization: str
    replies: int
