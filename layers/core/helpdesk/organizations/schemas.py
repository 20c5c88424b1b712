"""What goes in and out of the organization's routes."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from helpdesk.admission.limits import Plan, Tier
from helpdesk.http.schemas import Answer, Body, Milliseconds, schema_hint
from helpdesk.outbound.errors import MAX_URL_CHARACTERS
from helpdesk.people.record import MAX_EMAIL_CHARACTERS

MAX_NAME_CHARACTERS = 80
MAX_PREFIX_CHARACTERS = 8

Name = Annotated[str, schema_hint(minLength=1, maxLength=MAX_NAME_CHARACTERS)]
Slug = Annotated[str, schema_hint(minLength=3, maxLength=32, pattern="^[a-z0-9]+(-[a-z0-9]+)*$")]
TaskKeyPrefix = Annotated[
    str,
    schema_hint(
        maxLength=MAX_PREFIX_CHARACTERS, pattern=f"^[A-Za-z][A-Za-z0-9]{{0,{MAX_PREFIX_CHARACTERS - 1}}}$"
    ),
]
BoardUrl = Annotated[str, schema_hint(maxLength=MAX_URL_CHARACTERS, format="uri")]
MIN_RETENTION_DAYS, MAX_RETENTION_DAYS = 30, 3_650


def _retention_days(value: int) -> int:
    if not MIN_RETENTION_DAYS <= value <= MAX_RETENTION_DAYS:
        raise ValueError(f"must be from {MIN_RETENTION_DAYS} to {MAX_RETENTION_DAYS}")
    return value


RetentionDays = Annotated[
    int, AfterValidator(_retention_days), schema_hint(minimum=MIN_RETENTION_DAYS, maximum=MAX_RETENTION_DAYS)
]
SupportEmail = Annotated[str, schema_hint(maxLength=MAX_EMAIL_CHARACTERS, format="email")]


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


class OrganizationInput(Body):
    """The body of POST /organizations."""

    name: Name
    """As which a key speaks to customers; 1 to 80 characters after trimming."""
    slug: Slug
    """Unique among all organizations: 3 to 32 lowercase letters, digits and single dashes, no reserved word."""


class OrganizationCreated(Answer):
    """The answer of POST /organizations."""

    id: str
    """The organization's id; your access token is bound to it now."""
    slug: Slug


class OrganizationAnswer(Answer):
    """The organization with its settings, the answer of GET and PATCH /organization."""

    id: str
    name: Name
    """As which a key speaks to customers."""
    slug: Slug
    plan: Plan
    """What the organization is on; the operator sets it."""
    tier: Tier
    """The row of the table of limits that the plan and its add-ons give."""
    show_branding: bool
    """Whether the attribution mark is shown on the widget and the help site."""
    task_key_prefix: TaskKeyPrefix | None
    """What the keys of tasks begin with."""
    board_url: BoardUrl | None
    """Where the task board is; a task's own address is made of it."""
    support_email: SupportEmail | None
    """The organization's address for support; no other organization has it."""
    retention_days: RetentionDays | None
    """How long conversations are kept after their last message, in days; null for as long as the organization is."""
    publishable_key: str
    """Tells in public places which organization this is; the API refuses it as a credential."""
    created_at: Milliseconds


class OrganizationUpdate(Body):
    """The body of PATCH /organization; what is left out stays as it is."""

    name: Name | None = None
    """1 to 80 characters after trimming."""
    slug: Slug | None = None
    """Unique among all organizations. The old one is free for others at once."""
    task_key_prefix: TaskKeyPrefix | None = None
    """Up to 8 letters or digits that begin with a letter; null takes it away."""
    board_url: BoardUrl | None = None
    """An https address without credentials; null takes it away."""
    support_email: SupportEmail | None = None
    """An address that no other organization has; null takes it away."""
    retention_days: RetentionDays | None = None
    """After how many days without a message conversations are erased, each night; null keeps them."""


class Branding(Body):
    """The body of POST /billing/branding."""

    show_branding: bool
    """Whether the attribution mark is shown. Hiding it needs the plan Pro."""


class NewOrganization(BaseModel):
    """What the operator's command prints about a new organization; nothing else ever shows the secret key."""

    model_config = ConfigDict(defer_build=True)

    organization_id: str
    owner_id: str
    secret_key: str
    publishable_key: str
