"""The rules of organizations that other nouns call: adding one, its plan, its name and what its pages show."""

import secrets
from collections.abc import Iterator, Sequence
from typing import Any

from helpdesk.accounts.organizations import repository
from helpdesk.accounts.organizations.record import OrganizationRecord
from helpdesk.accounts.quotas import service as quotas
from helpdesk.api.admission.limits import Plan, Tier, tier_of
from helpdesk.api.logs import service as logs
from helpdesk.api.logs.kinds import LogKind
from helpdesk.platform import clock, ids
from helpdesk.platform.record import Record
from helpdesk.storage import shards
from helpdesk.storage.transactions import Transaction

_CURSOR_KEY_BYTES = 32


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
    record = OrganizationRecord(
        id=organization,
        name=name,
        slug=slug,
        plan=plan,
        tier=tier,
        publishable_key=publishable_key,
        created_at=clock.now_ms(),
    )
    repository.put_organization(transaction, record)
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
    transaction = Transaction()
    repository.set_plan(transaction, organization, plan, tier)
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


def plan_of(organization: str) -> Plan:
    """Return the organization's plan. Raises OrganizationNotFound."""
    return repository.get(organization).plan


def current_tier(organization: str) -> Tier:
    """Return the organization's tier. Raises OrganizationNotFound."""
    return repository.get(organization).tier


def name_of(organization: str) -> str:
    """Return the organization's name, under which a key writes in a conversation. Raises OrganizationNotFound."""
    return repository.get(organization).name


def shows_branding(organization: str) -> bool:
    """Return whether the organization shows the attribution mark on its widget and site."""
    return repository.get(organization).show_branding


def retention_days(organization: str) -> int | None:
    """Return how many days the organization keeps conversations, None for no limit."""
    return repository.get(organization).retention_days


class Named(Record):
    """An organization with what people know it by."""

    id: str
    name: str
    slug: str


def names_of(wanted: Sequence[str]) -> list[Named]:
    """Return the organizations that exist, by id, name and slug, in the order given. One call for up to 100."""
    return [Named(each.id, each.name, each.slug) for each in repository.get_many(wanted)]


class Correspondent(Record):
    """An organization as it writes to customers.

    `support_email` is where replies to its mail go, None if nobody reads them. `may_mail` says whether its plan
    includes mail to customers.
    """

    name: str
    support_email: str | None
    may_mail: bool


def correspondent(organization: str) -> Correspondent:
    """Return the organization as it writes to customers. Raises OrganizationNotFound."""
    found = repository.get(organization)
    return Correspondent(found.name, found.support_email, found.may_mail)


class TaskKeys(Record):
    """How an organization names its cards: the prefix of their keys, former ones, and the address of its board."""

    prefix: str
    former: tuple[str, ...]
    board_url: str | None

    @property
    def prefixes(self) -> tuple[str, ...]:
        """Every prefix with which a key names a card."""
        return (self.prefix, *self.former)

    def key_of(self, number: int) -> str:
        """Return the key of the card with a number, with the prefix that the organization has now."""
        return f"{self.prefix}-{number}"


def task_keys(organization: str) -> TaskKeys:
    """Return how the organization names its cards. Raises OrganizationNotFound."""
    found = repository.get(organization)
    return TaskKeys(found.key_prefix, found.former_task_key_prefixes, found.board_url)


def retaining(turn: int, until: int) -> Iterator[tuple[str, int]]:
    """Yield the organizations that limit how long they keep conversations, with the days.

    Stops at the instant `until` (ms). `turn` is a number that grows with each run; each run starts with another shard.
    """
    for page in shards.pages(repository.retaining, turn, until):
        yield from page
