"""What goes in and out of the organization's routes."""

from pydantic import BaseModel

from helpdesk.admission.limits import Tier
from helpdesk.http.schemas import Answer


class Bucket(Answer):
    """One class's allowance: sustained requests per minute, and how many may come at once."""

    per_minute: int
    """The sustained rate, in requests per minute."""
    burst: int
    """How many may come at once."""


class Buckets(Answer):
    """The allowance of each class."""

    read: Bucket
    write: Bucket
    upload: Bucket


class LimitsAnswer(Answer):
    """GET /billing/limits; `limits` is null on the unlimited tier."""

    tier: Tier
    """The row of the table of limits that the plan and its add-ons give."""
    version: str
    """The date of that table."""
    limits: Buckets | None
    """Null on the unlimited tier, where fair use is the limit."""


class NewOrganization(BaseModel):
    """What the operator's command tells about an organization it made. The secrets are shown this once."""

    organization_id: str
    owner_id: str
    secret_key: str
    publishable_key: str
