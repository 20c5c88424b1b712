"""An organization as stored."""

import re
from collections.abc import Mapping
from copy import replace
from typing import Any, Self

from helpdesk.api.admission.limits import Plan, Tier
from helpdesk.platform.record import Record
from helpdesk.storage.table import Item

# The settings that PATCH /organization changes, by attribute of the item.
_SETTINGS = {
    "name": "name",
    "slug": "slug",
    "taskKeyPrefix": "task_key_prefix",
    "boardUrl": "board_url",
    "supportEmail": "support_email",
    "pendingSupportEmail": "pending_support_email",
    "retentionDays": "retention_days",
    "formerTaskKeyPrefixes": "former_task_key_prefixes",
    "formerSlugs": "former_slugs",
}

MAILS_CUSTOMERS = frozenset({Plan.STANDARD, Plan.PRO})
"""The plans whose organizations may write to customers by mail: the paid ones."""

MAX_FORMER_PREFIXES = 20
_DEFAULT_PREFIX_LETTERS = 3
_PREFIX_WITHOUT_LETTERS = "TASK"  # of a slug that holds digits alone


class PendingEmail(Record):
    """A support address that waits for its code.

    `mail_id` is the mail that was requested last. `handle` is that of its code, empty until it is sent.
    """

    email: str
    mail_id: str
    handle: str = ""

    @classmethod
    def from_item(cls, item: Mapping[str, str]) -> Self:
        """Read the attribute of the organization's item."""
        return cls(item["email"], item["mailId"], item.get("handle", ""))

    def to_item(self) -> Item:
        """Return the attribute of the organization's item while no code was sent."""
        return {"email": self.email, "mailId": self.mail_id}


class OrganizationRecord(Record, kw_only=True):
    """An organization; `created_at` is in ms, `retention_days` is None to keep conversations without limit.

    `task_key_prefix` is None until someone chooses one. `former_task_key_prefixes` are those that keys had before,
    chosen or not, newest first. `former_slugs` are the slugs that are kept for the organization, each with the second
    (since the Unix epoch) until which. `support_email` is confirmed; `pending_support_email` is a PendingEmail as
    stored.
    """

    id: str
    name: str
    slug: str
    plan: Plan
    tier: Tier
    show_branding: bool = True
    publishable_key: str
    created_at: int
    task_key_prefix: str | None = None
    board_url: str | None = None
    support_email: str | None = None
    pending_support_email: Mapping[str, str] | None = None
    retention_days: int | None = None
    former_task_key_prefixes: tuple[str, ...] = ()
    former_slugs: Mapping[str, int] = {}

    @property
    def pending(self) -> PendingEmail | None:
        """The support address that waits for its code."""
        return PendingEmail.from_item(self.pending_support_email) if self.pending_support_email else None

    @property
    def may_mail(self) -> bool:
        """Whether the plan includes mail to customers, in the organization's own words."""
        return self.plan in MAILS_CUSTOMERS

    @property
    def key_prefix(self) -> str:
        """The prefix of task keys: the chosen one, or else the first three letters of the slug in upper case."""
        letters = re.sub(r"[^a-z]", "", self.slug)[:_DEFAULT_PREFIX_LETTERS].upper()
        return self.task_key_prefix or letters or _PREFIX_WITHOUT_LETTERS

    @classmethod
    def from_item(cls, item: Item) -> Self:
        """Read an organization's item."""
        return cls(
            id=item["id"],
            name=item["name"],
            slug=item["slug"],
            plan=Plan(item["plan"]),
            tier=Tier(item["tier"]),
            show_branding=item["showBranding"],
            publishable_key=item["publishableKey"],
            created_at=item["createdAt"],
            task_key_prefix=item.get("taskKeyPrefix"),
            board_url=item.get("boardUrl"),
            support_email=item.get("supportEmail"),
            pending_support_email=item.get("pendingSupportEmail"),
            retention_days=item.get("retentionDays"),
            former_task_key_prefixes=tuple(item.get("formerTaskKeyPrefixes", ())),
            former_slugs=item.get("formerSlugs") or {},
        )

    def to_item(self) -> Item:
        """Return the attributes of a new organization's item; a setting that was never made is absent."""
        return {
            "id": self.id,
            "name": self.name,
            "slug": self.slug,
            "plan": self.plan.value,
            "tier": self.tier.value,
            "showBranding": self.show_branding,
            "publishableKey": self.publishable_key,
            "createdAt": self.created_at,
        }

    def setting(self, attribute: str) -> Any:
        """Return a setting that PATCH /organization changes, by its attribute, such as `taskKeyPrefix`."""
        return getattr(self, _SETTINGS[attribute])

    def with_settings(self, changed: Mapping[str, Any]) -> "OrganizationRecord":
        """Return the organization with changed settings, given by their attributes."""
        return replace(self, **{_SETTINGS[attribute]: value for attribute, value in changed.items()})
