"""An organization as stored, and its claims on a slug and a support address."""

import re

from helpdesk.api.admission.limits import Plan, Tier
from helpdesk.platform.record import Record
from helpdesk.storage.shards import shard_of
from helpdesk.storage.stored import Stored

MAILS_CUSTOMERS = frozenset({Plan.STANDARD, Plan.PRO})
"""The plans whose organizations may write to customers by mail: the paid ones."""

HIDES_BRANDING = Plan.PRO
"""The plan whose organizations may hide the attribution mark (Specification: POST /billing/branding)."""

DEFAULT_UNREAD_MAIL_MINUTES = 5
MAX_FORMER_PREFIXES = 20
_DEFAULT_PREFIX_LETTERS = 3
_PREFIX_WITHOUT_LETTERS = "TASK"  # of a slug that holds digits alone


class PendingEmail(Record, omit_defaults=True):
    """A support address that waits for its code.

    `mail_id` is the mail that was requested last. `handle` is that of its code, empty until it is sent.
    """

    email: str
    mail_id: str
    handle: str = ""


class Organization(Stored, kw_only=True):
    """An organization; `created_at` is in ms, `retention_days` is None to keep conversations without limit.

    `unread_mail_minutes` is how long an answer stays unread before it's mailed, 0 if none is. `owners` counts the
    members who are owners. `task_key_prefix` is None until someone chooses one. `former_task_key_prefixes` are those
    that keys had before, chosen or not, newest first. `former_slugs` are the slugs that are kept for the organization,
    each with the second (since the Unix epoch) until which. `support_email` is confirmed.
    """

    PK, SK = "ORG#{id}#ORG", "ORG"
    GSI1 = "RETAINING#{shard}", "{id}"

    id: str
    name: str
    slug: str
    plan: Plan
    tier: Tier
    show_branding: bool = True
    publishable_key: str
    created_at: int
    owners: int = 1
    task_key_prefix: str | None = None
    board_url: str | None = None
    support_email: str | None = None
    pending_support_email: PendingEmail | None = None
    retention_days: int | None = None
    unread_mail_minutes: int = DEFAULT_UNREAD_MAIL_MINUTES
    former_task_key_prefixes: tuple[str, ...] | None = None
    former_slugs: dict[str, int] | None = None

    @property
    def shard(self) -> int | None:
        """The shard that lists it for the nightly job, None if it keeps conversations without limit."""
        return None if self.retention_days is None else shard_of(self.id)

    @property
    def may_mail(self) -> bool:
        """Whether the plan includes mail to customers, in the organization's own words."""
        return self.plan in MAILS_CUSTOMERS

    @property
    def mails_unread_after(self) -> int | None:
        """After how many minutes unread answers are mailed; None if the plan or the settings leave it out."""
        return self.unread_mail_minutes or None if self.may_mail else None

    @property
    def key_prefix(self) -> str:
        """The prefix of task keys: the chosen one, or else the first three letters of the slug in upper case."""
        letters = re.sub(r"[^a-z]", "", self.slug)[:_DEFAULT_PREFIX_LETTERS].upper()
        return self.task_key_prefix or letters or _PREFIX_WITHOUT_LETTERS

    @property
    def key_prefixes(self) -> tuple[str, ...]:
        """Every prefix with which a key names a task: the present one first."""
        return (self.key_prefix, *(self.former_task_key_prefixes or ()))

    def key_of_task(self, number: int) -> str:
        """Return the key of the task with a number, with the present prefix."""
        return f"{self.key_prefix}-{number}"


class Slug(Stored, kw_only=True):
    """Which organization holds a slug, or had it in the last year; its presence is what makes a slug unique.

    `expires_at` is the second until which a former slug is kept.
    """

    PK, SK = "SLUG#{slug}", "SLUG"

    slug: str
    organization: str
    expires_at: int | None = None


class SupportEmail(Stored, kw_only=True):
    """Which organization a support address belongs to; the address is kept as its SHA-256."""

    PK, SK = "SUPPORTEMAIL#{email_hash}", "SUPPORTEMAIL"

    email_hash: str
    organization: str
