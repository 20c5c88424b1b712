"""A rating as it is stored."""

from helpdesk.storage.stored import Stored


class Rating(Stored, kw_only=True):
    """A visitor's rating of one resolution: when it was given first (ms), and how many stars.

    Ratings are small and in one partition, so thousands are one query. Their IDs begin with their time.
    """

    PK, SK = "ORG#{organization}#RATINGS", "RATING#{id}"
    organization: str
    id: str
    conversation_id: str
    at: int
    stars: int
