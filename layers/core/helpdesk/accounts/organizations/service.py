"""The rules of organizations that other nouns call: reading and adding one, its plan, and who acts in it."""

import secrets
from collections.abc import Iterator
from functools import cached_property
from typing import Any

from helpdesk.accounts.organizations import repository
from helpdesk.accounts.organizations.record import Organization
from helpdesk.accounts.organizations.repository import organizations
from helpdesk.accounts.quotas import service as quotas
from helpdesk.api.admission.caller import Caller
from helpdesk.api.admission.limits import Plan, Tier, tier_of
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.events import followers
from helpdesk.platform import clock, ids
from helpdesk.platform.settings import settings
from helpdesk.storage import shards
from helpdesk.storage.retrying import repeat_when_stale
from helpdesk.storage.table import ConditionFailed
from helpdesk.storage.transactions import Transaction

_CURSOR_KEY_BYTES = 32

get, by_ids = organizations.get, organizations.by_ids
holder_of = repository.holder_of


def add(
    transaction: Transaction,
    organization: str,
    name: str,
    slug: str,
    plan: Plan,
    tier: Tier,
    live_keys: dict[str, Any],
) -> str:
    """Add an organization that has one owner, its allowances and its publishable key; return that key.

    The caller adds the owner as a member in the same transaction, which raises SlugTaken.
    """
    publishable_key = f"svc_pk_{organization.removeprefix('org_')}_{ids.secret()}"
    repository.claim_slug(transaction, organization, slug)
    record = Organization(
        id=organization,
        name=name,
        slug=slug,
        plan=plan,
        tier=tier,
        publishable_key=publishable_key,
        created_at=clock.now_ms(),
    )
    transaction.put(record, new=True)
    if record.mails_unread_after is not None:
        followers.mail_unread(transaction, organization, record.mails_unread_after)
    repository.put_allowances(
        transaction,
        organization,
        tier,
        secrets.token_bytes(_CURSOR_KEY_BYTES),
        live_keys,
    )
    quotas.set_plan(transaction, organization, plan)
    return publishable_key


def set_plan(organization: str, plan: Plan, *, api_limits: bool, unlimited_api: bool) -> Tier:
    """Set an organization's plan; its limits change with the next request. Raises OrganizationNotFound."""
    tier = tier_of(plan, api_limits=api_limits, unlimited_api=unlimited_api)

    def attempt() -> Tier:
        transaction = Transaction()
        repository.set_plan(transaction, get(organization), plan, tier)
        repository.set_rates(transaction, organization, tier)
        quotas.change_plan(transaction, organization, plan)
        transaction.put(
            logs.entry(
                organization,
                LogKind.SETTINGS_CHANGED,
                actor=logs.SYSTEM,
                summary=f"Plan set to {plan}, tier {tier}.",
            )
        )
        transaction.commit()
        return tier

    return repeat_when_stale(attempt, ConditionFailed)


def mails_unread(of: Organization) -> bool:
    """Whether an organization mails what its customers haven't read: its settings, its plan and its operator let it."""
    return of.mails_unread_after is not None and bool(settings().mail_from)


def plan_of(organization: str) -> Plan:
    """Return the organization's plan. Raises OrganizationNotFound."""
    return get(organization).plan


def retaining(turn: int, until: int) -> Iterator[tuple[str, int]]:
    """Yield the organizations that limit how long they keep conversations, with the days.

    Stops at the instant `until` (ms). `turn` is a number that grows with each run; each run starts with another shard.
    """
    for page in shards.pages(repository.retaining, turn, until):
        for organization in page:
            if organization.retention_days is not None:
                yield organization.id, organization.retention_days


class Actor:
    """A person, or the organization if a secret key acts. `person_id` is None for a key."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self.person_id = caller.person.id if caller.person else None

    @cached_property
    def name(self) -> str:
        """The name that the thread shows. That of an organization costs one read, once."""
        if self._caller.person is not None:
            return self._caller.person.name
        return get(self._caller.organization).name
