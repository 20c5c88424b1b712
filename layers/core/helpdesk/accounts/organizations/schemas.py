"""Request and response models of the organization's routes."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from helpdesk.accounts.organizations.errors import (
    MAX_PREFIX_CHARACTERS,
    MAX_SLUG_CHARACTERS,
    MIN_SLUG_CHARACTERS,
)
from helpdesk.accounts.people.record import MAX_EMAIL_CHARACTERS
from helpdesk.api.admission.limits import Plan, Tier
from helpdesk.api.http.schemas import Answer, Body, Milliseconds, schema_hint
from helpdesk.outbound.errors import MAX_URL_CHARACTERS

MAX_NAME_CHARACTERS = 80

Name = Annotated[str, schema_hint(minLength=1, maxLength=MAX_NAME_CHARACTERS)]
Slug = Annotated[
    str,
    schema_hint(
        minLength=MIN_SLUG_CHARACTERS, maxLength=MAX_SLUG_CHARACTERS, pattern="^[a-z0-9]+(-[a-z0-9]+)*$"
    ),
]
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
MIN_UNREAD_MAIL_MINUTES, MAX_UNREAD_MAIL_MINUTES = 2, 60


def _unread_mail_minutes(value: int) -> int:
    if value != 0 and not MIN_UNREAD_MAIL_MINUTES <= value <= MAX_UNREAD_MAIL_MINUTES:
        raise ValueError(f"must be 0, or from {MIN_UNREAD_MAIL_MINUTES} to {MAX_UNREAD_MAIL_MINUTES}")
    return value


UnreadMailMinutes = Annotated[
    int, AfterValidator(_unread_mail_minutes), schema_hint(minimum=0, maximum=MAX_UNREAD_MAIL_MINUTES)
]
SupportEmail = Annotated[str, schema_hint(maxLength=MAX_EMAIL_CHARACTERS, format="email")]


class Bucket(Answer):
    """One class's allowance: sustained requests per minute, and the burst."""

    per_minute: int
    """The sustained rate, in requests per minute."""
    burst: int
    """How many requests may arrive at once."""


class Buckets(Answer):
    """The allowance of each class."""

    read: Bucket
    write: Bucket
    upload: Bucket


class Usage(Answer):
    """A quota."""

    used: int
    """What the organization has."""
    limit: int
    """What its plan allows."""


class KnowledgeLimits(Answer):
    """The quotas of the knowledge base."""

    documents: Usage
    """The number of documents."""
    bytes: Usage
    """The bytes of their texts together, in UTF-8."""
    suggestions_today: Usage
    """The number of new suggestions since midnight UTC. What conversations teach beyond the limit is not suggested."""


class ModelLimits(Answer):
    """The budgets of language models in a calendar month and on this day (UTC)."""

    tokens: Usage
    """The tokens that models read and wrote this month, and those that turns under way have taken."""
    tokens_today: Usage
    """The same since midnight UTC. Past it, the team answers until the next day."""


class LimitsAnswer(Answer):
    """GET /billing/limits; `limits` is null on the unlimited tier."""

    tier: Tier
    """The row of the table of limits for the plan and its add-ons."""
    version: str
    """The date of that table."""
    limits: Buckets | None
    """Null on the unlimited tier, which is limited only by fair use."""
    knowledge: KnowledgeLimits
    """The quotas of the plan, and what of them is used."""
    model: ModelLimits
    """The month's quota of language models."""


class OrganizationInput(Body):
    """The body of POST /organizations."""

    name: Name
    """The name under which a key writes to customers; 1 to 80 characters after trimming."""
    slug: Slug
    """Unique among all organizations: 3 to 32 lowercase letters, digits and single dashes; not a reserved word."""


class OrganizationCreated(Answer):
    """The response of POST /organizations."""

    id: str
    """The organization's ID. Your access token now acts in it."""
    slug: Slug


class OrganizationAnswer(Answer):
    """The organization with its settings, the response of GET and PATCH /organization."""

    id: str
    name: Name
    """The name under which a key writes to customers."""
    slug: Slug
    plan: Plan
    """The plan; the operator sets it."""
    tier: Tier
    """The row of the table of limits for the plan and its add-ons."""
    show_branding: bool
    """Whether the attribution mark is shown on the widget and the help site."""
    task_key_prefix: TaskKeyPrefix | None
    """The prefix of task keys."""
    board_url: BoardUrl | None
    """The address of the task board; a task's own address begins with it."""
    support_email: SupportEmail | None
    """The organization's support address, which is confirmed; no other organization can have it."""
    pending_support_email: SupportEmail | None
    """The address that a code was mailed to; until the code confirms it, it has no effect."""
    retention_days: RetentionDays | None
    """How long conversations are kept after their last message, in days; null for no limit."""
    mail_address: str | None
    """Where customers can write by e-mail: have your own support address forward to it. Null where the deployment
    receives no mail."""
    unread_mail_minutes: UnreadMailMinutes
    """How long an answer stays unread before it's also mailed to the customer; 0 if none is. On paid plans."""
    publishable_key: str
    """Identifies the organization in public places; the API does not accept it as a credential."""
    created_at: Milliseconds


class OrganizationUpdate(Body):
    """The body of PATCH /organization; omitted fields stay as they are."""

    name: Name | None = None
    """1 to 80 characters after trimming."""
    slug: Slug | None = None
    """Unique among all organizations. The old slug is kept for a year, in which the help site's addresses lead on."""
    task_key_prefix: TaskKeyPrefix | None = None
    """Up to 8 letters or digits that begin with a letter; null removes it."""
    board_url: BoardUrl | None = None
    """An https address without credentials; null removes it."""
    support_email: SupportEmail | None = None
    """An address that no other organization has. It counts once the code mailed to it confirms it; null removes it."""
    support_email_code: str | None = None
    """The code that was mailed to the pending address. Send it without `supportEmail`."""
    retention_days: RetentionDays | None = None
    """Conversations without a message for this many days are erased each night; null keeps them."""
    unread_mail_minutes: UnreadMailMinutes | None = None
    """Mails answers that stay unread for 2 to 60 minutes to the customer, on paid plans. 0 turns it off."""


class Branding(Body):
    """The body of POST /billing/branding."""

    show_branding: bool
    """Whether the attribution mark is shown. Hiding it requires the Pro plan."""


class NewOrganization(BaseModel):
    """What the operator's command prints about a new organization; nothing else ever shows the secret key."""

    model_config = ConfigDict(defer_build=True)

    organization_id: str
    owner_id: str
    secret_key: str
    publishable_key: str
