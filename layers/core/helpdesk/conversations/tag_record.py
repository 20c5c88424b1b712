"""The tags that an organization uses, as they are stored."""

from helpdesk.storage.stored import Stored


class UsedTag(Stored, kw_only=True):
    """A tag that was given to a conversation, last at `used_at` (ms), to the day."""

    PK, SK = "ORG#{organization}#TAGS", "TAG#{tag}"
    organization: str
    tag: str
    used_at: int
    expires_at: int
