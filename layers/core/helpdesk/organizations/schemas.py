"""What goes in and out of the organization's routes."""

from pydantic import BaseModel

from helpdesk.admission.limits import Tier
from helpdesk.http.schemas import Answer


class Bucket(Answer):
    """One class's allowance: sustained requests per minute, and how many may come at once."""

    per_minute: int
    burst: int


class Buckets(Answer):
    """The allowance of each class."""

    read: Bucket
    write: Bucket
    upload: Bucket


class LimitsAnswer(Answer):
    """GET /billing/limits; `limits` is null on the unlimited tier."""

    tier: Tier
    version: str
    limits: Buckets | None


class NewOrganization(BaseModel):
    """What the operator's command tells about an organization it made. The secrets are shown this once."""

    organization_id: str
    owner_id: str
    secret_key: str
    publishable_key: str
